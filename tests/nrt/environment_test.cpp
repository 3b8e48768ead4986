// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <map>
#include <string>

#include "nrt/environment.hpp"

using namespace xtc::nrt;
using Catch::Matchers::Contains;

namespace {

std::map<std::string, std::string> variables;

const char* get(const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
}

// What those variables give on a machine of 4 processors, its log kept quiet.
NRT_STATUS settings_of(std::map<std::string, std::string> set, Settings* out, uint32_t cpus = 4) {
    variables = std::move(set);
    variables.try_emplace("NEURON_RT_LOG_LEVEL", "QUIET");
    return read_settings(get, cpus, out);
}

} // namespace

TEST_CASE("With nothing set every setting has its default", "[nrt][environment]") {
    Settings s;
    REQUIRE(settings_of({}, &s) == NRT_SUCCESS);
    CHECK(s.log_place == LogPlace::console);
    CHECK(s.core_count == 4);
    CHECK_FALSE(s.visible_cores);
    CHECK(s.num_cores == 0);
    CHECK_FALSE(s.implicit_async());
    CHECK(s.compute_queue == 8);
    CHECK(s.other_queue == 1024);
    CHECK(s.exec_timeout_s == 30);
    CHECK(s.allow_native);
    CHECK(Settings{}.log_level == LogLevel::error);
}

TEST_CASE("The number of cores follows the processors, 1 to 128", "[nrt][environment]") {
    Settings s;
    CHECK(settings_of({}, &s, 300) == NRT_SUCCESS);
    CHECK(s.core_count == 128);
    CHECK(settings_of({}, &s, 0) == NRT_SUCCESS);
    CHECK(s.core_count == 1);
    CHECK(settings_of({{"XTC_NRT_VNC_COUNT", "128"}}, &s) == NRT_SUCCESS);
    CHECK(s.core_count == 128);
}

TEST_CASE("Each variable arrives in its setting", "[nrt][environment]") {
    Settings s;
    REQUIRE(settings_of({{"NEURON_RT_LOG_LEVEL", "warning"},
                         {"NEURON_RT_LOG_LOCATION", "SYSLOG"},
                         {"XTC_NRT_VNC_COUNT", "16"},
                         {"NEURON_RT_VISIBLE_CORES", "4-6"},
                         {"NEURON_RT_NUM_CORES", "2"},
                         {"NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "64"},
                         {"NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS", "3"},
                         {"XTC_NRT_XU_MAX_QUEUED_REQUESTS", "5"},
                         {"NEURON_RT_EXEC_TIMEOUT", "7"},
                         {"XTC_NRT_ALLOW_NATIVE", "0"}},
                        &s) == NRT_SUCCESS);
    CHECK(s.log_level == LogLevel::warn);
    CHECK(s.log_place == LogPlace::syslog);
    CHECK(s.core_count == 16);
    CHECK(*s.visible_cores == std::vector<uint32_t>{4, 5, 6});
    CHECK(s.num_cores == 2);
    CHECK(s.inflight_requests == 63); // more are not allowed, and not an error
    CHECK(s.implicit_async());
    CHECK(s.compute_queue == 3);
    CHECK(s.other_queue == 5);
    CHECK(s.exec_timeout_s == 7);
    CHECK_FALSE(s.allow_native);
    set_log(LogLevel::quiet, LogPlace::console);
}

TEST_CASE("An empty variable counts as not set", "[nrt][environment]") {
    Settings s;
    CHECK(settings_of({{"XTC_NRT_VNC_COUNT", ""}, {"NEURON_RT_VISIBLE_CORES", ""}}, &s) == NRT_SUCCESS);
    CHECK(s.core_count == 4);
    CHECK_FALSE(s.visible_cores);
}

TEST_CASE("A malformed variable is an error and changes nothing", "[nrt][environment]") {
    const std::pair<const char*, const char*> bad[] = {
        {"NEURON_RT_LOG_LEVEL", "LOUD"},
        {"NEURON_RT_LOG_LOCATION", "/tmp/log"},
        {"XTC_NRT_VNC_COUNT", "0"},
        {"XTC_NRT_VNC_COUNT", "129"},
        {"XTC_NRT_VNC_COUNT", "four"},
        {"XTC_NRT_VNC_COUNT", "4 "},
        {"XTC_NRT_VNC_COUNT", "-1"},
        {"NEURON_RT_VISIBLE_CORES", "0,2"},
        {"NEURON_RT_NUM_CORES", "1.5"},
        {"NEURON_RT_NUM_CORES", "18446744073709551616"},
        {"NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "yes"},
        {"NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS", "0"},
        {"XTC_NRT_XU_MAX_QUEUED_REQUESTS", "0"},
        {"NEURON_RT_EXEC_TIMEOUT", "0"},
        {"XTC_NRT_ALLOW_NATIVE", "maybe"},
    };
    for (const auto& [name, value] : bad) {
        CAPTURE(name, value);
        Settings s;
        s.core_count = 77;
        CHECK(settings_of({{name, value}}, &s) == NRT_INVALID);
        CHECK(s.core_count == 77);
    }
    set_log(LogLevel::quiet, LogPlace::console);
}

TEST_CASE("A value too long to have been read whole is malformed, however it begins", "[nrt][environment]") {
    Settings s;
    CHECK(settings_of({{"XTC_NRT_VNC_COUNT", std::string(1023, '0')}}, &s) == NRT_INVALID);
}

TEST_CASE("The description has each variable with its value and its meaning", "[nrt][environment]") {
    Settings s;
    REQUIRE(settings_of({{"XTC_NRT_VNC_COUNT", "16"}}, &s) == NRT_SUCCESS);
    const std::string text = describe(s);
    CHECK_THAT(text, Contains("XTC_NRT_VNC_COUNT=16\n    how many logical cores the device has"));
    CHECK_THAT(text, Contains("NEURON_RT_XU_COMPUTE_MAX_QUEUED_REQUESTS=8 (default)\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 2 * static_cast<long>(kVariables));
}

TEST_CASE("Numbers are decimal digits and nothing else", "[nrt][environment]") {
    uint64_t value = 0;
    CHECK(parse_number("18446744073709551615", UINT64_MAX, &value));
    CHECK(value == UINT64_MAX);
    CHECK(parse_number("0", 0, &value));
    CHECK(value == 0);
    for (const char* text : {"", "18446744073709551616", "1e3", "0x10", " 1", "-0", "1\n"})
        CHECK_FALSE(parse_number(text, UINT64_MAX, &value));
    CHECK_FALSE(parse_number("11", 10, &value));
}
