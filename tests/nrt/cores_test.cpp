// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "nrt/cores.hpp"
#include "nrt/environment.hpp"

using namespace xtc::nrt;

namespace {

using List = std::vector<uint32_t>;

Settings with_cores(uint32_t count) {
    set_log(LogLevel::quiet, LogPlace::console);
    Settings settings;
    settings.core_count = count;
    return settings;
}

} // namespace

TEST_CASE("A core list is cores and ranges that ascend without a hole", "[nrt][cores]") {
    const struct {
        const char* text;
        List cores;
    } good[] = {
        {"0", {0}},
        {"7", {7}},
        {"0-3", {0, 1, 2, 3}},
        {"2,3-5", {2, 3, 4, 5}},
        {"1,1,2", {1, 2}},
        {"0-2,1-3", {0, 1, 2, 3}},
        {"4-4", {4}},
        {"007", {7}},
    };
    for (const auto& [text, cores] : good) {
        CAPTURE(text);
        List found;
        CHECK(parse_core_list(text, &found));
        CHECK(found == cores);
    }
    for (const char* text : {"",
                             ",",
                             "1,",
                             ",1",
                             "a",
                             "1-",
                             "-1",
                             "3-1",
                             "0,2",
                             "2,1",
                             "1 2",
                             " 1",
                             "1 ",
                             "0x1",
                             "1--2",
                             "1-2-3",
                             "99999999999999999999",
                             "65536",
                             "0-65536",
                             "+1",
                             "1;2"}) {
        CAPTURE(text);
        List found{42};
        CHECK_FALSE(parse_core_list(text, &found));
        CHECK(found == List{42});
    }
}

TEST_CASE("Without a selection a process uses all cores", "[nrt][cores]") {
    Cores cores;
    CHECK(select_cores(with_cores(5), &cores) == NRT_SUCCESS);
    CHECK(cores.first == 0);
    CHECK(cores.count == 5);
    CHECK(cores.total == 5);
    CHECK(cores.has(0));
    CHECK(cores.has(4));
    CHECK_FALSE(cores.has(5));
    CHECK_FALSE(cores.has(-1));
}

TEST_CASE("A visible range wins over a number of cores", "[nrt][cores]") {
    Settings settings = with_cores(8);
    settings.num_cores = 2;
    Cores cores;
    CHECK(select_cores(settings, &cores) == NRT_SUCCESS);
    CHECK(cores.count == 2);
    settings.visible_cores = List{4, 5, 6};
    CHECK(select_cores(settings, &cores) == NRT_SUCCESS);
    CHECK(cores.first == 4);
    CHECK(cores.count == 3);
    CHECK(cores.total == 8);
}

TEST_CASE("A core that the device does not have fails and changes nothing", "[nrt][cores]") {
    Settings settings = with_cores(4);
    Cores cores{9, 9, 9};
    settings.visible_cores = List{3, 4};
    CHECK(select_cores(settings, &cores) == NRT_FAILURE);
    settings.visible_cores.reset();
    settings.num_cores = 5;
    CHECK(select_cores(settings, &cores) == NRT_FAILURE);
    settings.num_cores = UINT32_MAX;
    CHECK(select_cores(settings, &cores) == NRT_FAILURE);
    CHECK(cores.total == 9);
}
