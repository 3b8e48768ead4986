// SPDX-License-Identifier: ISC
#include "base/env.hpp"

#include <xtc.h>

#include <catch2/catch.hpp>

#include <string>

TEST_CASE("env: what was set is read back, what was not is NULL", "[base][env]") {
    CHECK(xtc_env_get("XTC_TEST_NOT_SET") == nullptr);
    CHECK(xtc_env_set("XTC_TEST_ENV", "first", 1) == XTC_OK);
    CHECK(std::string(xtc_env_get("XTC_TEST_ENV")) == "first");
}

TEST_CASE("env: without overwrite the old value stays", "[base][env]") {
    CHECK(xtc_env_set("XTC_TEST_KEEP", "old", 1) == XTC_OK);
    CHECK(xtc_env_set("XTC_TEST_KEEP", "new", 0) == XTC_OK);
    CHECK(std::string(xtc_env_get("XTC_TEST_KEEP")) == "old");
}

TEST_CASE("env: a value longer than the buffer is cut", "[base][env]") {
    CHECK(xtc_env_set("XTC_TEST_LONG", std::string(5000, 'x').c_str(), 1) == XTC_OK);
    CHECK(std::string(xtc_env_get("XTC_TEST_LONG")) == std::string(1023, 'x'));
}

TEST_CASE("env: bad names and values are refused", "[base][env]") {
    CHECK(xtc_env_get(nullptr) == nullptr);
    CHECK(xtc_env_set(nullptr, "v", 1) == XTC_E_INVAL);
    CHECK(xtc_env_set("XTC_TEST_ENV", nullptr, 1) == XTC_E_INVAL);
    CHECK(xtc_env_set("", "v", 1) == XTC_E_INVAL);
    CHECK(xtc_env_set("A=B", "v", 1) == XTC_E_INVAL);
}

TEST_CASE("env: the table says everything about each variable", "[base][env]") {
    for (const xtc::EnvVariable& variable : xtc::env_variables) {
        CAPTURE(variable.name);
        CHECK(std::string(variable.name).starts_with("XTC_"));
        CHECK_FALSE(std::string(variable.fallback).empty());
        CHECK_FALSE(std::string(variable.when_read).empty());
        CHECK_FALSE(std::string(variable.meaning).empty());
    }
}
