// SPDX-License-Identifier: ISC
//
// model.json as tests write it.
#pragma once

#include <string>

namespace test {

inline std::string tensor_text(const std::string& name, const std::string& dtype, const std::string& shape) {
    return R"({"name":")" + name + R"(","dtype":")" + dtype + R"(","shape":)" + shape + "}";
}

inline std::string manifest_text(const std::string& inputs, const std::string& outputs,
                                 const std::string& runner) {
    return R"({"format":1,"name":"m","inputs":[)" + inputs + R"(],"outputs":[)" + outputs + "]," + runner +
           "}";
}

} // namespace test
