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

namespace client {

// A tar with one file after the other.
inline std::string tar_of(const std::vector<std::pair<std::string, std::string>>& files) {
    std::string tar;
    for (const auto& [name, contents] : files) {
        char header[512] = {};
        std::snprintf(header, 100, "%s", name.c_str());
        std::memcpy(header + 100, "0000644\0000000000\0000000000", 24);
        std::snprintf(header + 124, 12, "%011zo", contents.size());
        std::memcpy(header + 136, "00000000000", 12);
        std::memset(header + 148, ' ', 8);
        header[156] = '0';
        std::memcpy(header + 257, "ustar\00000", 8);
        unsigned sum = 0;
        for (const char c : header) sum += static_cast<unsigned char>(c);
        std::snprintf(header + 148, 7, "%06o", sum);
        tar.append(header, sizeof header).append(contents);
        tar.resize((tar.size() + 511) / 512 * 512);
    }
    return tar.append(1024, '\0');
}

inline std::string spec(const std::string& name, const std::string& shape, const std::string& dtype) {
    return R"({"name":")" + name + R"(","dtype":")" + dtype + R"(","shape":)" + shape + "}";
}

inline std::string manifest(const std::string& inputs, const std::string& outputs,
                            const std::string& runner) {
    return R"({"format":1,"name":"m","inputs":[)" + inputs + R"(],"outputs":[)" + outputs + "]," + runner +
           "}";
}

// Input x and output y of one shape; attrs such as {"ns":5}.
inline std::string builtin(const std::string& op, const std::string& attrs = "{}",
                           const std::string& shape = "[4]", const std::string& dtype = "float32") {
    return tar_of({{"model.json", manifest(spec("x", shape, dtype), spec("y", shape, dtype),
                                           R"("runner":"builtin","op":")" + op + R"(","attrs":)" + attrs)}});
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
