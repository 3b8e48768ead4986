// SPDX-License-Identifier: ISC
#include <xtc.h>

#include <catch2/catch.hpp>

#include <string>

TEST_CASE("version: the text begins with the three numbers", "[base][version]") {
    int major = -1, minor = -1, patch = -1;
    REQUIRE(xtc_version_components(&major, &minor, &patch) == XTC_OK);
    const std::string numbers =
        std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
    CHECK(std::string(xtc_version_string()).starts_with(numbers));
    CHECK(std::string(XTC_VERSION_STRING) == xtc_version_string());
}

TEST_CASE("version: a NULL out-pointer is refused and nothing is written", "[base][version]") {
    int a = 77, b = 77;
    CHECK(xtc_version_components(nullptr, &a, &b) == XTC_E_INVAL);
    CHECK(xtc_version_components(&a, nullptr, &b) == XTC_E_INVAL);
    CHECK(xtc_version_components(&a, &b, nullptr) == XTC_E_INVAL);
    CHECK(a == 77);
    CHECK(b == 77);
}
