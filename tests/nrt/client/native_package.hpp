// SPDX-License-Identifier: ISC
// Packages that bring code along.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "nrt/client/packages.hpp"

namespace client {

inline std::string contents_of(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// An entry of native_models.c.
inline std::string native(const std::string& entry, const std::string& shape = "[4]",
                          const std::string& dtype = "float32") {
    return package_of(manifest_text(tensor_text("x", dtype, shape), tensor_text("y", dtype, shape),
                                    R"("runner":"native","library":"model.so","entry":")" + entry + "\""),
                      contents_of(NATIVE_MODELS));
}

} // namespace client
