// SPDX-License-Identifier: ISC
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "knobs.hpp"
#include "seam/driver.h"
#include "streams.hpp"
#include "timeline.hpp"
#include "trace.hpp"
#include "virtual_fd.hpp"

namespace xtc::sim {

// One loop's kernel: a clock that others move, descriptors that others signal, and a sleep that only the
// world ends.
class SimDriver final : public OpSink {
public:
    SimDriver(uint32_t loop, Timeline& timeline, Streams& streams, Trace& trace, const Knobs& knobs,
              VirtualFds& fds) noexcept;
    SimDriver(const SimDriver&) = delete;
    SimDriver& operator=(const SimDriver&) = delete;

    static const xtc_seam_driver_t table; // self is the SimDriver

    // While the world runs it alone moves the clock, and a wait only polls. At other times nobody else does:
    // a loop that is taken down waits for its last operations, and time passes for it.
    void set_paced(bool paced) noexcept { is_paced_ = paced; }

    // A wait would return at once.
    bool awake() const noexcept { return woken_ || done_head_ != nullptr; }
    size_t in_flight() const noexcept { return in_flight_; }
    uint64_t wakes() const noexcept { return wakes_; }

    void arrived(xtc_op_t& op, int64_t res) override;

private:
    static SimDriver& of(void* self) noexcept { return *static_cast<SimDriver*>(self); }

    int try_op(xtc_op_t& op);
    void submit(xtc_op_t& op);
    void cancel(xtc_op_t& op);
    xtc_op_t* wait(int64_t until);
    void pass_time(int64_t until);
    void wake() noexcept;
    void close_fd(int number);

    void finish(xtc_op_t& op, int64_t res);
    xtc_op_t* take_done();

    uint32_t loop_;
    Timeline& timeline_;
    Streams& streams_;
    Trace& trace_;
    const Knobs& knobs_;
    VirtualFds& fds_;

    // Operations that wait on a descriptor; one that is on its way to done is in neither. Never walked.
    std::unordered_map<const xtc_op_t*, std::shared_ptr<VirtualFd>> waiting_;
    size_t in_flight_ = 0;
    xtc_op_t* done_head_ = nullptr;
    xtc_op_t* done_tail_ = nullptr;
    bool woken_ = false;
    bool is_paced_ = false;
    uint64_t wakes_ = 0;
};

} // namespace xtc::sim
