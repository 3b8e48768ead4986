// SPDX-License-Identifier: ISC
//
// The shared object of native_models.c, and packages of it.
#pragma once

#include "package_text.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

namespace test {

inline std::string native_library_text(const char* path = NATIVE_MODELS) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    REQUIRE(!text.empty());
    return text;
}

inline Bytes native_library(const char* path = NATIVE_MODELS) {
    const std::string text = native_library_text(path);
    const auto bytes = bytes_of(text);
    return {bytes.begin(), bytes.end()};
}

inline Bytes native_package(const std::string& manifest) {
    return TarBuilder()
        .file("model.json", manifest)
        .file("lib/model.so", native_library_text())
        .file("weights.bin", "weights of the model")
        .finish();
}

} // namespace test
