// SPDX-License-Identifier: ISC
#include "nrt/package/manifest.hpp"

#include "base/assert.hpp"

#include <cmath>
#include <limits>

namespace xtc::nrt {
namespace {

// Integer operands wrap, so the factor of an integer tensor must be an integer; a double holds these exactly.
constexpr double largest_integer_factor = 9007199254740992.0; // 2^53

Complaint complain(const Builtin& builtin, const std::string& what) {
    return refuse("model.json: op '" + std::string(op_name(builtin.op)) + "' " + what);
}

bool is_same_kind(const TensorSpec& a, const TensorSpec& b) {
    return a.dtype == b.dtype && a.shape == b.shape;
}

Complaint check_matmul(const Manifest& m, const Builtin& builtin) {
    for (const TensorSpec* tensor : {&m.inputs[0], &m.inputs[1], &m.outputs[0]}) {
        if (tensor->dtype != Dtype::f32 || tensor->shape.size() != 2)
            return complain(builtin, "takes float32 tensors of two dimensions");
        for (const uint32_t dimension : tensor->shape) // OpenBLAS counts in int
            if (dimension > INT32_MAX) return complain(builtin, "takes dimensions below 2^31");
    }
    const auto &a = m.inputs[0].shape, &b = m.inputs[1].shape, &c = m.outputs[0].shape;
    if (a[1] != b[0] || c[0] != a[0] || c[1] != b[1])
        return complain(builtin, "takes [m,k] and [k,n] to [m,n]; the shapes differ");
    return {};
}

// What the element type must allow.
Complaint check_dtype(const Builtin& builtin, Dtype dtype) {
    const Kind kind = dtype_kind(dtype);
    const std::string name = dtype_name(dtype);
    switch (builtin.op) {
    case Op::add:
    case Op::scale:
    case Op::all_reduce:
        if (kind == Kind::opaque) return complain(builtin, "does not compute with " + name);
        break;
    case Op::nan:
        if (kind != Kind::real) return complain(builtin, "needs a type that has NaN, not " + name);
        break;
    default:
        break;
    }
    if (builtin.op == Op::scale && kind == Kind::real &&
        std::fabs(builtin.factor) > std::numeric_limits<float>::max())
        return complain(builtin, "needs a factor that float32 can hold for " + name);
    if (builtin.op == Op::scale && kind == Kind::integer &&
        (builtin.factor != std::trunc(builtin.factor) || std::fabs(builtin.factor) > largest_integer_factor))
        return complain(builtin, "needs an integer factor of at most 2^53 for " + name);
    return {};
}

} // namespace

const char* op_name(Op op) noexcept {
    switch (op) {
    case Op::copy:
        return "copy";
    case Op::add:
        return "add";
    case Op::scale:
        return "scale";
    case Op::matmul:
        return "matmul";
    case Op::all_reduce:
        return "all_reduce";
    case Op::sleep:
        return "sleep";
    case Op::fail:
        return "fail";
    case Op::nan:
        return "nan";
    case Op::fatal:
        return "fatal";
    }
    XTC_UNREACHABLE();
}

Complaint check_op(const Manifest& m, const Builtin& builtin) {
    const size_t n_in = builtin.op == Op::add || builtin.op == Op::matmul ? 2 : 1;
    if (m.inputs.size() != n_in)
        return complain(builtin, "takes " + std::to_string(n_in) + (n_in == 1 ? " input" : " inputs"));
    if (m.outputs.size() != 1) return complain(builtin, "has one output");
    if (builtin.op == Op::matmul) return check_matmul(m, builtin);
    for (const TensorSpec& input : m.inputs)
        if (!is_same_kind(input, m.outputs[0]))
            return complain(builtin, "takes inputs and output of one dtype and shape");
    return check_dtype(builtin, m.outputs[0].dtype);
}

} // namespace xtc::nrt
