// SPDX-License-Identifier: ISC
#include "nrt/package/builtin.hpp"

#include "base/assert.hpp"
#include "nrt/package/arithmetic.hpp"

#include <cstring>
#include <functional>

namespace xtc::nrt {
namespace {

void copy(const nrt_xtc_model_in_t& in, const nrt_xtc_model_out_t& out) {
    std::memmove(out.data, in.data, out.bytes);
}

bool overlap(const nrt_xtc_model_in_t& in, const nrt_xtc_model_out_t& out) {
    const auto* from = static_cast<const std::byte*>(in.data);
    const auto* to = static_cast<const std::byte*>(out.data);
    return std::less<>()(from, to + out.bytes) && std::less<>()(to, from + in.bytes);
}

bool is_float_aligned(const void* data) {
    return reinterpret_cast<uintptr_t>(data) % alignof(float) == 0;
}

Status matmul(const Manifest& manifest, std::span<const nrt_xtc_model_in_t> in,
              const nrt_xtc_model_out_t& out, Sgemm sgemm) {
    if (overlap(in[0], out) || overlap(in[1], out)) return Status::exec_bad_input;
    if (!is_float_aligned(in[0].data) || !is_float_aligned(in[1].data) || !is_float_aligned(out.data))
        return Status::exec_bad_input;
    const auto &a = manifest.inputs[0].shape, &b = manifest.inputs[1].shape;
    sgemm(static_cast<int32_t>(a[0]), static_cast<int32_t>(b[1]), static_cast<int32_t>(a[1]),
          static_cast<const float*>(in[0].data), static_cast<const float*>(in[1].data),
          static_cast<float*>(out.data));
    return Status::success;
}

} // namespace

Outcome run_builtin(const Manifest& manifest, const Builtin& builtin, std::span<const nrt_xtc_model_in_t> in,
                    std::span<const nrt_xtc_model_out_t> out, Sgemm sgemm, const Sleeper& sleeper) {
    const Dtype dtype = manifest.outputs[0].dtype;
    const nrt_xtc_model_out_t& to = out[0];
    switch (builtin.op) {
    case Op::all_reduce: // over a world of one
    case Op::copy:
        copy(in[0], to);
        return {};
    case Op::add:
        add_elements(dtype, in[0].data, in[1].data, to.data, to.bytes);
        return {};
    case Op::scale:
        scale_elements(dtype, in[0].data, builtin.factor, to.data, to.bytes);
        return {};
    case Op::matmul:
        return {matmul(manifest, in, to, sgemm), false};
    case Op::sleep:
        sleeper.sleep(sleeper.self, builtin.sleep_ns);
        copy(in[0], to);
        return {};
    case Op::fail:
        return {static_cast<Status>(builtin.status), false};
    case Op::nan:
        fill_with_nan(dtype, to.data, to.bytes);
        return {Status::exec_completed_with_num_err, false};
    case Op::fatal:
        return {Status::exec_hw_err_nc_ue, true};
    }
    XTC_UNREACHABLE();
}

} // namespace xtc::nrt
