// SPDX-License-Identifier: ISC
// C ABI: bytes into, out of and between tensors.
#include <nrt/nrt.h>

#include <optional>

#include "nrt/gate.hpp"
#include "nrt/log.hpp"
#include "nrt/transfer.hpp"

using namespace xtc::nrt;

namespace {

NRT_STATUS find_op(const nrt_tensor_batch_t& batch, const nrt_tensor_batch_op_t& op, Range* out) {
    if (!is_given(op.buffer, "buffer")) return NRT_INVALID;
    return Range::find(batch.tensor, "tensor", op.offset, op.size, out);
}

// Calls each(op, range) for every operation; stops at the first status that is not NRT_SUCCESS.
template <class Each>
NRT_STATUS for_each_op(const nrt_tensor_batch_t* batches, uint64_t num_batches, const Each& each) {
    for (uint64_t b = 0; b < num_batches; ++b) {
        const nrt_tensor_batch_t& batch = batches[b];
        if (!is_given(batch.tensor, "tensor")) return NRT_INVALID;
        if (batch.num_ops != 0 && !is_given(batch.ops, "ops")) return NRT_INVALID;
        for (uint32_t i = 0; i < batch.num_ops; ++i) {
            Range range;
            NRT_STATUS status = find_op(batch, batch.ops[i], &range);
            if (status == NRT_SUCCESS) status = each(batch.ops[i], range);
            if (status != NRT_SUCCESS) return status;
        }
    }
    return NRT_SUCCESS;
}

// What can fail comes first, waiting included: a batch moves all of its bytes or none.
template <class Each>
NRT_STATUS run_batches(const nrt_tensor_batch_t* batches, uint64_t num_batches,
                       std::optional<Access::Kind> waits_to, const Each& each) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(batches, "batches")) return NRT_INVALID;
    const auto only_check = [](const nrt_tensor_batch_op_t&, const Range&) { return NRT_SUCCESS; };
    if (const NRT_STATUS status = for_each_op(batches, num_batches, only_check); status != NRT_SUCCESS)
        return status;
    const auto wait = [&](const nrt_tensor_batch_op_t&, const Range& range) {
        return range.wait_to(*waits_to);
    };
    if (waits_to)
        if (const NRT_STATUS status = for_each_op(batches, num_batches, wait); status != NRT_SUCCESS)
            return status;
    return for_each_op(batches, num_batches, each);
}

std::optional<Access::Kind> unless(bool unsafe, Access::Kind kind) {
    return unsafe ? std::nullopt : std::optional(kind);
}

} // namespace

NRT_STATUS nrt_tensor_read(const nrt_tensor_t* tensor, void* buf, size_t offset, size_t size) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(buf, "buf")) return NRT_INVALID;
    Range range;
    if (const NRT_STATUS status = Range::find(tensor, "tensor", offset, size, &range); status != NRT_SUCCESS)
        return status;
    return range.read(buf, Waits::yes);
}

NRT_STATUS nrt_tensor_write(nrt_tensor_t* tensor, const void* buf, size_t offset, size_t size) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(buf, "buf")) return NRT_INVALID;
    Range range;
    if (const NRT_STATUS status = Range::find(tensor, "tensor", offset, size, &range); status != NRT_SUCCESS)
        return status;
    return range.write(buf, Waits::yes);
}

NRT_STATUS nrt_tensor_read_batch(const nrt_tensor_batch_t* batches, uint64_t num_batches, bool unsafe) {
    return run_batches(
        batches, num_batches, unless(unsafe, Access::Kind::read),
        [](const nrt_tensor_batch_op_t& op, const Range& range) { return range.read(op.buffer, Waits::no); });
}

NRT_STATUS nrt_tensor_write_batch(const nrt_tensor_batch_t* batches, uint64_t num_batches, bool unsafe) {
    return run_batches(batches, num_batches, unless(unsafe, Access::Kind::write),
                       [](const nrt_tensor_batch_op_t& op, const Range& range) {
                           return range.write(op.buffer, Waits::no);
                       });
}

NRT_STATUS nrt_tensor_copy(const nrt_tensor_t* src, size_t src_offset, nrt_tensor_t* dst, size_t dst_offset,
                           size_t size) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    Range from;
    Range to;
    if (const NRT_STATUS status = Range::find(src, "src", src_offset, size, &from); status != NRT_SUCCESS)
        return status;
    if (const NRT_STATUS status = Range::find(dst, "dst", dst_offset, size, &to); status != NRT_SUCCESS)
        return status;
    return to.copy_from(from);
}

NRT_STATUS nrt_tensor_memset(nrt_tensor_t* tensor, uint64_t offset, int value, size_t size) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    Range range;
    if (const NRT_STATUS status = Range::find(tensor, "tensor", offset, size, &range); status != NRT_SUCCESS)
        return status;
    return range.fill(value);
}
