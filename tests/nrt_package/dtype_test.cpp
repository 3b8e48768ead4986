// SPDX-License-Identifier: ISC
#include "nrt/package/dtype.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace xtc::nrt;

TEST_CASE("types have the numbers of nrt_dtype_t, and their sizes") {
    struct Row {
        int number;
        const char* name;
        uint32_t bytes;
    };
    const Row rows[] = {{1, "uint64", 8},  {2, "int8", 1},     {3, "uint8", 1},   {4, "int16", 2},
                        {5, "uint16", 2},  {6, "bfloat16", 2}, {7, "float16", 2}, {8, "int32", 4},
                        {9, "uint32", 4},  {10, "float32", 4}, {11, "fp32r", 4},  {12, "int64", 8},
                        {13, "fp8_e3", 1}, {14, "fp8_e4", 1},  {15, "fp8_e5", 1}};
    for (const Row& row : rows) {
        const auto dtype = static_cast<Dtype>(row.number);
        CHECK(dtype_name(dtype) == std::string(row.name));
        CHECK(dtype_of(row.name) == dtype);
        CHECK(dtype_bytes(dtype) == row.bytes);
    }
    CHECK(!dtype_of("invalid"));
}
