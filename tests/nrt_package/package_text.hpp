// SPDX-License-Identifier: ISC
//
// Packages as tests write them: a line of model.json, and what else is in the tar.
#pragma once

#include "support/manifest_text.hpp"
#include "support/tar_builder.hpp"

#include "nrt/package/model.hpp"

#include <memory>
#include <string>

namespace test {

// One input x, one output y, both of this dtype and shape.
inline std::string unary_text(const std::string& op, const std::string& attrs = "",
                              const std::string& dtype = "float32", const std::string& shape = "[4]") {
    std::string runner = R"("runner":"builtin","op":")" + op + "\"";
    if (!attrs.empty()) runner += R"(,"attrs":)" + attrs;
    return manifest_text(tensor_text("x", dtype, shape), tensor_text("y", dtype, shape), runner);
}

inline std::string native_text(const std::string& entry, const std::string& dtype = "float32",
                               const std::string& shape = "[4]") {
    return manifest_text(tensor_text("x", dtype, shape), tensor_text("y", dtype, shape),
                         R"("runner":"native","library":"lib/model.so","entry":")" + entry + "\"");
}

inline Bytes package_of(const std::string& manifest) {
    return TarBuilder().file("model.json", manifest).finish();
}

// The sentence of a refusal, or "" for none.
inline std::string sentence(const xtc::nrt::Complaint& complaint) {
    return complaint ? complaint->sentence : "";
}

inline std::string load_complaint(const Bytes& bytes, std::unique_ptr<xtc::nrt::Model>& out,
                                  const xtc::nrt::LoadOptions& options = {}) {
    return sentence(xtc::nrt::Model::load(bytes, options, out));
}

inline const xtc::nrt::Sleeper no_sleep{[](void*, int64_t) {}, nullptr};

} // namespace test
