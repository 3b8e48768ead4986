// SPDX-License-Identifier: ISC
#include "nrt/transfer.hpp"

#include <xtc_async.h>

#include <algorithm>
#include <cstring>

#include "nrt/log.hpp"
#include "nrt/masked.hpp"
#include "nrt/status.hpp"

namespace xtc::nrt {

namespace {

constexpr size_t kSlice = size_t{1} << 20;

// Calls step(offset, size) for each slice, from the front or from the back. A fiber that is killed meanwhile
// finishes first.
template <class Step> void in_slices(size_t size, bool backwards, const Step& step) {
    if (size <= kSlice) return step(0, size);
    Masked masked;
    for (size_t done = 0; done < size;) {
        const size_t part = std::min(kSlice, size - done);
        step(backwards ? size - done - part : done, part);
        done += part;
        if (done < size) xtc_yield();
    }
    masked.leave();
}

} // namespace

void move_bytes(void* to, const void* from, size_t size) {
    auto* const target = static_cast<std::byte*>(to);
    const auto* const source = static_cast<const std::byte*>(from);
    // Where they overlap, no slice may overwrite what a later one reads.
    const bool backwards = std::less<>()(source, target);
    in_slices(size, backwards,
              [&](size_t offset, size_t part) { std::memmove(target + offset, source + offset, part); });
}

NRT_STATUS Range::find(const nrt_tensor_t* handle, const char* what, uint64_t offset, uint64_t size,
                       Range* out) {
    const Tensor* const tensor = Tensor::of(handle);
    if (tensor == nullptr) {
        log(LogLevel::error, handle == nullptr ? "%s is NULL" : "%s is no tensor", what);
        return NRT_INVALID;
    }
    Ref<View> view = tensor->view();
    if (!view) {
        log(LogLevel::error, "%s: tensor '%s' has no memory", what, tensor->name().c_str());
        return NRT_INVALID;
    }
    if (!view->holds(offset, size)) {
        log(LogLevel::error, "%s: %llu bytes at %llu are not inside tensor '%s' of %zu bytes", what,
            static_cast<unsigned long long>(size), static_cast<unsigned long long>(offset),
            tensor->name().c_str(), view->size());
        return NRT_INVALID;
    }
    out->view_ = std::move(view);
    out->offset_ = offset;
    out->size_ = size;
    return NRT_SUCCESS;
}

NRT_STATUS Range::wait_to(Access::Kind kind) const {
    return status_of(view_->storage().access().wait_to(kind));
}

NRT_STATUS Range::read(void* into, Waits waits) const {
    if (waits == Waits::yes)
        if (const NRT_STATUS status = wait_to(Access::Kind::read); status != NRT_SUCCESS) return status;
    move_bytes(into, data(), size_);
    return NRT_SUCCESS;
}

NRT_STATUS Range::write(const void* from, Waits waits) const {
    if (waits == Waits::yes)
        if (const NRT_STATUS status = wait_to(Access::Kind::write); status != NRT_SUCCESS) return status;
    move_bytes(data(), from, size_);
    return NRT_SUCCESS;
}

NRT_STATUS Range::fill(int value) const {
    if (const NRT_STATUS status = wait_to(Access::Kind::write); status != NRT_SUCCESS) return status;
    in_slices(size_, false, [&](size_t offset, size_t part) { std::memset(data() + offset, value, part); });
    return NRT_SUCCESS;
}

NRT_STATUS Range::copy_from(const Range& source) const {
    if (const NRT_STATUS status = source.wait_to(Access::Kind::read); status != NRT_SUCCESS) return status;
    if (const NRT_STATUS status = wait_to(Access::Kind::write); status != NRT_SUCCESS) return status;
    move_bytes(data(), source.data(), size_);
    return NRT_SUCCESS;
}

} // namespace xtc::nrt
