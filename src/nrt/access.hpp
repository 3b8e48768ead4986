// SPDX-License-Identifier: ISC
// Who queued requests on a piece of memory. Requests count themselves in when they are accepted and out when
// they are done; synchronous calls wait for those that are in their way.
#pragma once

#include <atomic>
#include <cstdint>

#include "nrt/wait_list.hpp"

namespace xtc::nrt {

class Access {
public:
    enum class Kind { read, write };

    // Any thread; neither waits.
    void begin(Kind kind) noexcept { counter(kind).fetch_add(1, std::memory_order_seq_cst); }
    void end(Kind kind) noexcept {
        counter(kind).fetch_sub(1, std::memory_order_seq_cst);
        rest_.changed();
    }

    // Until no queued request writes (before a read), or is there at all (before a write). Requests that come
    // meanwhile count. XTC_OK or why it could not wait.
    int wait_to(Kind kind) {
        return rest_.wait([this, kind] { return is_free_to(kind); });
    }
    bool is_free_to(Kind kind) const noexcept {
        return writers_.load(std::memory_order_seq_cst) == 0 &&
               (kind == Kind::read || readers_.load(std::memory_order_seq_cst) == 0);
    }

private:
    std::atomic<uint32_t>& counter(Kind kind) noexcept { return kind == Kind::read ? readers_ : writers_; }

    std::atomic<uint32_t> readers_{0};
    std::atomic<uint32_t> writers_{0};
    WaitList rest_;
};

} // namespace xtc::nrt
