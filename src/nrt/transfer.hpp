// SPDX-License-Identifier: ISC
// Synchronous transfers: check, wait for queued requests that are in the way, move the bytes.
#pragma once

#include <nrt/nrt_status.h>

#include <cstdint>

#include "nrt/storage.hpp"
#include "nrt/tensor.hpp"

namespace xtc::nrt {

enum class Waits { yes, no };

// A range of a tensor that is known to be inside it; holds the memory.
class Range {
public:
    // NRT_INVALID, with a logged sentence: no tensor, no memory, or outside of it.
    static NRT_STATUS find(const nrt_tensor_t* tensor, const char* what, uint64_t offset, uint64_t size,
                           Range* out);

    NRT_STATUS read(void* into, Waits waits) const;
    NRT_STATUS write(const void* from, Waits waits) const;
    NRT_STATUS fill(int value) const;
    NRT_STATUS copy_from(const Range& source) const; // of the same size

    std::byte* data() const noexcept { return view_->at(offset_); }
    size_t size() const noexcept { return size_; }
    View& view() const noexcept { return *view_; }

    // For what reads and writes wait for.
    NRT_STATUS wait_to(Access::Kind kind) const;

private:
    Ref<View> view_;
    size_t offset_ = 0;
    size_t size_ = 0;
};

// memmove, in slices between which a fiber lets the others run.
void move_bytes(void* to, const void* from, size_t size);

} // namespace xtc::nrt
