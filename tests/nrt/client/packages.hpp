// SPDX-License-Identifier: ISC
// Model packages as a client without xtc-model would write them, and models, sets and executions over them.
#pragma once

#include <catch2/catch.hpp>

#include <nrt/nrt.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "nrt/client/client.hpp"
#include "support/manifest_text.hpp"
#include "support/tar_builder.hpp"

namespace client {

using test::manifest_text;
using test::tensor_text;

// A description, and the library that it names if it does.
inline std::string package_of(const std::string& manifest, const std::string& library = "") {
    test::TarBuilder files;
    files.file("model.json", manifest);
    if (!library.empty()) files.file("model.so", library);
    const test::Bytes tar = files.finish();
    return {reinterpret_cast<const char*>(tar.data()), tar.size()};
}

// Input x and output y of one shape; attrs such as {"ns":5}.
inline std::string builtin(const std::string& op, const std::string& attrs = "{}",
                           const std::string& shape = "[4]", const std::string& dtype = "float32") {
    return package_of(manifest_text(tensor_text("x", dtype, shape), tensor_text("y", dtype, shape),
                                    R"("runner":"builtin","op":")" + op + R"(","attrs":)" + attrs));
}

class Model {
public:
    explicit Model(const std::string& package, int vnc = 0) {
        CHECK(nrt_load(package.data(), package.size(), vnc, 1, &handle) == NRT_SUCCESS);
    }
    ~Model() {
        if (handle != nullptr) nrt_unload(handle);
    }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    operator nrt_model_t*() const { return handle; }

    nrt_model_t* handle = nullptr;
};

class Set {
public:
    Set() { CHECK(nrt_allocate_tensor_set(&handle) == NRT_SUCCESS); }
    ~Set() { nrt_destroy_tensor_set(&handle); }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;
    operator nrt_tensor_set_t*() const { return handle; }

    void put(const char* name, nrt_tensor_t* tensor) const {
        CHECK(nrt_add_tensor_to_tensor_set(handle, name, tensor) == NRT_SUCCESS);
    }

    nrt_tensor_set_t* handle = nullptr;
};

// x and y of a builtin, and the sets they are in.
class Unary {
public:
    explicit Unary(size_t bytes = 16, nrt_tensor_placement_t placement = NRT_TENSOR_PLACEMENT_DEVICE)
        : x(bytes, placement), y(bytes, placement) {
        in.put("x", x);
        out.put("y", y);
    }
    NRT_STATUS run(nrt_model_t* model) const { return nrt_execute(model, in, out); }
    // Writes x, runs, reads y.
    std::string run_on(nrt_model_t* model, const std::string& text) const {
        x.write(text);
        CHECK(run(model) == NRT_SUCCESS);
        return y.read(0, text.size());
    }

    Tensor x, y;
    Set in, out;
};

inline std::string bytes_of(const std::vector<float>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

} // namespace client
