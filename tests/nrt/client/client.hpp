// SPDX-License-Identifier: ISC
// What the clients of these tests share: a runtime for the length of a test, tensors that are freed,
// variables that are set back.
#pragma once

#include <catch2/catch.hpp>

#include <nrt/nrt.h>
#include <nrt/nrt_xtc.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace client {

class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        ::setenv(name, value, 1);
    }
    ~Variable() {
        if (before_)
            ::setenv(name_, before_->c_str(), 1);
        else
            ::unsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

class Runtime {
public:
    Runtime() { REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS); }
    ~Runtime() { nrt_close(); }
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

private:
    Variable quiet_{"NEURON_RT_LOG_LEVEL", "QUIET"};
};

// Also in fibers, through which no failed REQUIRE may unwind: a NULL handle is refused everywhere.
class Tensor {
public:
    explicit Tensor(size_t size, nrt_tensor_placement_t placement = NRT_TENSOR_PLACEMENT_DEVICE) {
        CHECK(nrt_tensor_allocate(placement, 0, size, "a tensor", &handle) == NRT_SUCCESS);
    }
    Tensor(const Tensor& source, size_t offset, size_t size) {
        CHECK(nrt_tensor_allocate_slice(source.handle, offset, size, "a slice", &handle) == NRT_SUCCESS);
    }
    ~Tensor() { nrt_tensor_free(&handle); }
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;
    operator nrt_tensor_t*() const { return handle; }

    void write(const std::string& text, size_t offset = 0) const {
        CHECK(nrt_tensor_write(handle, text.data(), offset, text.size()) == NRT_SUCCESS);
    }
    std::string read(size_t offset, size_t size) const {
        std::string text(size, '?');
        CHECK(nrt_tensor_read(handle, text.data(), offset, size) == NRT_SUCCESS);
        return text;
    }

    nrt_tensor_t* handle = nullptr;
};

// The runtime lives on the host's executor.
class Lent {
public:
    explicit Lent(struct xtc_exec* exec) { REQUIRE(nrt_xtc_use_exec(exec) == NRT_SUCCESS); }
    ~Lent() { CHECK(nrt_xtc_use_exec(nullptr) == NRT_SUCCESS); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
};

// Runs a hidden test case in a process of its own, where the runtime has never been initialised. The exit
// status; 0 when all of it passed.
int run_fresh(const char* test_case);

} // namespace client
