// SPDX-License-Identifier: ISC
//
// The end of an operation, in one of four shapes. Lives on the driver's stack; its end leaves nothing behind
// that could still write to it, and uses up a future exactly once.
#pragma once

#include "loop/blocking.hpp"
#include "loop/wake_cell.hpp"
#include "seam/driver.h"
#include "sync/future.hpp"

#include <xtc_batch.h>

#include <optional>

namespace xtc {

class Token {
public:
    explicit Token(Task& driver) : driver_(driver) {}
    ~Token() { leave(); }
    Token(const Token&) = delete;
    Token& operator=(const Token&) = delete;

    // XTC_OK, or why it can not be awaited.
    int begin(const xtc_batch_exec_t& exec);
    bool has_fired() { return fired().has_permit(); }
    // A closure can not be left: it lasts until it has returned.
    bool can_be_left() const { return kind_ != XTC_BATCH_EXEC_BLOCKING; }

    enum class Event : uint8_t { fired, boundary, timeout, killed };
    // Until it fires, `boundary` has a permit (which is taken), the deadline or a kill.
    Event wait(WakeCell& boundary, int64_t deadline, OnKill on_kill);

    int status(); // of one that has fired: exec_status
    void leave(); // gives up waiting

private:
    int begin_fence(int fd);
    static void fence_done(xtc_op_t* op);
    WakeCell& fired();

    Task& driver_;
    int kind_ = 0; // 0: nothing is awaited
    WakeCell fence_fired_;
    xtc_op_t fence_ = {};
    FutureCell* future_ = nullptr;
    std::optional<BlockingCall> call_;
};

} // namespace xtc
