// SPDX-License-Identifier: ISC
#pragma once

#include <xtc_batch.h>

namespace xtc {

// How far a group is closed. Only forward: DRAIN may become CANCEL, nothing reopens.
class Closing {
public:
    static bool is_mode(int mode) { return mode == XTC_BATCH_DRAIN || mode == XTC_BATCH_CANCEL; }

    void advance(int mode) {
        if (mode <= mode_) return;
        mode_ = mode;
        cancel_due_ = mode_ == XTC_BATCH_CANCEL;
    }
    bool is_closed() const { return mode_ != 0; }
    bool is_cancelled() const { return mode_ == XTC_BATCH_CANCEL; }
    // The driver carries a close(CANCEL) out once, where it sees it.
    bool take_cancel_due() {
        const bool due = cancel_due_;
        cancel_due_ = false;
        return due;
    }

private:
    static_assert(XTC_BATCH_DRAIN < XTC_BATCH_CANCEL);
    int mode_ = 0;
    bool cancel_due_ = false;
};

} // namespace xtc
