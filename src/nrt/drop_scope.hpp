// SPDX-License-Identifier: ISC
// Undoes something if the loop ends under the calling fiber, whose stack is then dropped and not unwound.
// Nothing elsewhere.
#pragma once

#include "seam/loop.h"

namespace xtc::nrt {

class DropScope {
public:
    DropScope(void (*undo)(void* self), void* self) noexcept : node_{undo, self, {}, 0} {
        xtc_seam_fiber_on_drop(&node_);
    }
    ~DropScope() { xtc_seam_fiber_no_drop(&node_); }
    DropScope(const DropScope&) = delete;
    DropScope& operator=(const DropScope&) = delete;

private:
    xtc_seam_drop_t node_;
};

} // namespace xtc::nrt
