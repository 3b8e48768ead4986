// SPDX-License-Identifier: ISC
// Who queued requests on a piece of memory. Requests count themselves in when they are accepted and out when
// they are done; synchronous calls wait for those that are in their way.
#pragma once

#include <xtc.h>

#include <atomic>
#include <cstdint>

#include "nrt/callout.hpp"
#include "nrt/wait_list.hpp"

namespace xtc::nrt {

class Access {
public:
    enum class Kind { read, write };
    // Executions of one core are in order by themselves and wait for transfers only.
    enum class Source { transfer, execution };

    // Any thread; neither waits.
    void begin(Kind kind, Source source = Source::transfer) noexcept {
        counter(kind, source).fetch_add(1, std::memory_order_seq_cst);
    }
    void end(Kind kind, Source source = Source::transfer) noexcept {
        counter(kind, source).fetch_sub(1, std::memory_order_seq_cst);
        rest_.changed();
    }

    // Until no queued request writes (before a read), or is there at all (before a write). Requests that come
    // meanwhile count. XTC_OK or why it could not wait: XTC_E_DEADLK where they may wait for the caller.
    int wait_to(Kind kind) {
        return wait([this, kind] { return is_free_to(kind); });
    }
    // The same for an execution.
    int wait_for_transfers_to(Kind kind) {
        return wait([this, kind] { return is_free_to(kind, Source::transfer); });
    }
    bool is_free_to(Kind kind) const noexcept {
        return is_free_to(kind, Source::transfer) && is_free_to(kind, Source::execution);
    }

private:
    struct Counts {
        std::atomic<uint32_t> readers{0};
        std::atomic<uint32_t> writers{0};
    };

    template <class Condition> int wait(const Condition& is_free) {
        return !is_free() && Callout::is_awaited_by_core() ? XTC_E_DEADLK : rest_.wait(is_free);
    }
    bool is_free_to(Kind kind, Source source) const noexcept {
        const Counts& counts = source == Source::transfer ? transfers_ : executions_;
        return counts.writers.load(std::memory_order_seq_cst) == 0 &&
               (kind == Kind::read || counts.readers.load(std::memory_order_seq_cst) == 0);
    }
    std::atomic<uint32_t>& counter(Kind kind, Source source) noexcept {
        Counts& counts = source == Source::transfer ? transfers_ : executions_;
        return kind == Kind::read ? counts.readers : counts.writers;
    }

    Counts transfers_;
    Counts executions_;
    WaitList rest_;
};

} // namespace xtc::nrt
