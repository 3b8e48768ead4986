// SPDX-License-Identifier: ISC
// Puts a kill of the calling process off until leave().
#pragma once

#include <xtc.h>
#include <xtc_proc.h>

namespace xtc::nrt {

class Masked {
public:
    Masked() : entered_(xtc_mask_enter() == XTC_OK) {}
    Masked(const Masked&) = delete;
    Masked& operator=(const Masked&) = delete;
    // Not the destructor's work: a kill that came meanwhile is delivered here, by unwinding.
    void leave() {
        if (entered_) xtc_mask_leave();
    }

private:
    const bool entered_;
};

} // namespace xtc::nrt
