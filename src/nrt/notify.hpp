// SPDX-License-Identifier: ISC
// A wake-up that is made once and costs no memory later.
#pragma once

#include <xtc.h>
#include <xtc_sync.h>

#include "base/assert.hpp"

namespace xtc::nrt {

class Notify {
public:
    Notify() = default;
    ~Notify() { xtc_notify_destroy(notify_); }
    Notify(const Notify&) = delete;
    Notify& operator=(const Notify&) = delete;

    bool make() noexcept { return xtc_notify_create(&notify_) == XTC_OK; }
    void signal() noexcept { xtc_notify_signal(notify_); }
    void wait() { // where waiting is possible: a fiber, or a thread of our own
        const int rc = xtc_notify_wait(notify_, -1);
        XTC_ASSERT(rc == XTC_OK);
    }

private:
    xtc_notify_t* notify_ = nullptr;
};

} // namespace xtc::nrt
