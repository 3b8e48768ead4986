// SPDX-License-Identifier: ISC
// C ABI of xtc_accel.h.
#include <algorithm>
#include <new>

#include "accel/devices.hpp"
#include "loop/fd_claims.hpp"
#include "loop/io.hpp"
#include "loop/loop.hpp"
#include "xtc_accel.h"
#include "xtc_blocking.h"

using namespace xtc;

int xtc_accel_probe(xtc_accel_dev_t* out, int max, int* out_n) {
    if (out_n == nullptr || max < 0 || (out == nullptr && max > 0)) return XTC_E_INVAL;
    try {
        const auto found = find_devices("");
        std::copy_n(found.begin(), std::min<size_t>(found.size(), static_cast<size_t>(max)), out);
        *out_n = static_cast<int>(found.size());
        return XTC_OK;
    } catch (const std::bad_alloc&) {
        return XTC_E_NOMEM;
    }
}

int xtc_accel_wait_fence(int fd, int64_t timeout_ns) {
    Task* self = current_fiber();
    if (self == nullptr || fd < 0) return XTC_E_INVAL;
    IoWait how;
    how.tries_first = false;
    how.claims = fd_claims::kWatches;
    int status = XTC_OK;
    const IoEnd end = wait_readable(*self, fd, deadline_after(*self->loop, timeout_ns), how, &status);
    return end == IoEnd::done ? status : XTC_E_AGAIN;
}

int xtc_accel_run_blocking(int (*fn)(void*), void* arg, int* out_result) {
    return xtc_blocking_run(fn, arg, out_result);
}
