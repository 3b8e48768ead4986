// SPDX-License-Identifier: ISC
#include "nrt/package/status.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>

using namespace xtc::nrt;

TEST_CASE("exactly the 28 numbers of the ABI have a name, each its own") {
    std::set<std::string> names;
    int count = 0;
    for (int32_t code = -100; code < 5000; ++code)
        if (const char* name = status_name(code)) {
            ++count;
            CHECK(std::string(name).starts_with("NRT_"));
            names.insert(name);
        }
    CHECK(count == 28);
    CHECK(names.size() == 28);
    CHECK(status_name(8) == nullptr);
    CHECK(status_name(12) == nullptr);
    CHECK(status_name(INT32_MIN) == nullptr);
    CHECK(status_name(static_cast<int32_t>(Status::exec_hw_err_nc_ue)) ==
          std::string("NRT_EXEC_HW_ERR_NC_UE"));
}
