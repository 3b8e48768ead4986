// SPDX-License-Identifier: ISC
//
// What model.json says, once it is checked.
#pragma once

#include "nrt/package/dtype.hpp"
#include "nrt/package/refusal.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace xtc::nrt {

inline constexpr const char manifest_file[] = "model.json";
inline constexpr size_t max_manifest_bytes = size_t{1} << 20;
inline constexpr size_t max_name_bytes = 255; // nrt_tensor_info_t has room for 256 with the NUL
inline constexpr size_t max_tensors = 256;    // inputs, and outputs
inline constexpr size_t max_dimensions = 32;
inline constexpr int64_t max_sleep_ns = int64_t{3600} * 1'000'000'000;

struct TensorSpec {
    std::string name;
    Dtype dtype = Dtype::u8;
    std::vector<uint32_t> shape;
    uint64_t bytes = 0;
};

enum class Op : uint8_t { copy, add, scale, matmul, all_reduce, sleep, fail, nan, fatal };
enum class Reduce : uint8_t { add, max, min };

struct Builtin {
    Op op = Op::copy;
    double factor = 1;           // scale
    Reduce reduce = Reduce::add; // all_reduce
    int64_t sleep_ns = 0;        // sleep
    int32_t status = 0;          // fail
};

struct Native {
    std::string library, entry;
};

struct Manifest {
    std::string name;
    std::vector<TensorSpec> inputs, outputs;
    std::variant<Builtin, Native> runner;
};

const char* op_name(Op op) noexcept;

// The text of model.json. Throws std::bad_alloc and nothing else.
Complaint parse_manifest(std::span<const std::byte> text, Manifest& manifest);

// Whether a builtin operation fits the tensors: their number, types and shapes.
Complaint check_op(const Manifest& manifest, const Builtin& builtin);

} // namespace xtc::nrt
