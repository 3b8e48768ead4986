// SPDX-License-Identifier: ISC
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "knobs.hpp"
#include "seam/driver.h"
#include "streams.hpp"
#include "timeline.hpp"
#include "trace.hpp"

namespace xtc::sim {

// Where a finished operation goes: the driver of the loop that started it.
class OpSink {
public:
    virtual void arrived(xtc_op_t& op, int64_t res) = 0;

protected:
    ~OpSink() = default;
};

// A description behind a number. It outlives its number while operations wait on it, as an open file does.
struct VirtualFd {
    enum class Kind : uint8_t { signal, stream };
    struct Waiter {
        xtc_op_t* op;
        OpSink* sink;
    };

    Kind kind;
    uint64_t ordinal; // in the trace in the place of the number
    int number;       // -1: closed

    uint32_t bits = 0; // signal: what is raised

    std::weak_ptr<VirtualFd> peer; // stream: gone once the other end is closed
    std::deque<unsigned char> in;  // arrived, not read
    size_t flying = 0;             // sent by the peer, not arrived
    size_t capacity = 0;           // bounds both together
    int64_t last_arrival = 0;
    bool hung_up = false; // the peer's end has been seen

    std::vector<Waiter> waiters; // in order of arrival
};

// The virtual descriptors of one world. Numbers are the process's (a signal names no world), the lowest free
// from first_number up.
class VirtualFds {
public:
    static constexpr int first_number = 1 << 30;
    static constexpr size_t stream_capacity = 4096;

    VirtualFds(Timeline& timeline, Streams& streams, Trace& trace, const Knobs& knobs);
    ~VirtualFds();
    VirtualFds(const VirtualFds&) = delete;
    VirtualFds& operator=(const VirtualFds&) = delete;

    int create_signal();
    std::pair<int, int> create_pair(size_t capacity = stream_capacity);
    std::shared_ptr<VirtualFd> find(int number) const;
    static VirtualFds* owner_of(int number); // null: no such number in any world
    size_t open_count() const noexcept { return open_.size(); }

    // The host's side. False: the number is not open, or is not that kind.
    bool show(int number, uint32_t bits, int64_t delay);
    bool clear(int number, uint32_t bits);
    bool close(int number);

    // The driver's side. A value: done, with that result.
    std::optional<int64_t> attempt(const std::shared_ptr<VirtualFd>& fd, xtc_op_t& op);
    void wait(VirtualFd& fd, xtc_op_t& op, OpSink& sink) { fd.waiters.push_back({&op, &sink}); }
    bool forget(VirtualFd& fd, const xtc_op_t& op);
    void abort(int number); // every operation that waits on it, on every loop, ends with -ECONNABORTED

private:
    std::shared_ptr<VirtualFd> open(VirtualFd::Kind kind);
    uint32_t readiness(const VirtualFd& fd) const;
    int64_t receive(const std::shared_ptr<VirtualFd>& fd, xtc_op_t& op);
    int64_t send(VirtualFd& peer, std::shared_ptr<VirtualFd> to, const xtc_op_t& op);
    int64_t arrival_time(VirtualFd& fd);
    size_t short_of(size_t n);
    void touch(std::shared_ptr<VirtualFd> fd); // it may have become ready: serve who waits

    Timeline& timeline_;
    Streams& streams_;
    Trace& trace_;
    const Knobs& knobs_;
    uint64_t last_ordinal_ = 0;
    std::map<int, std::shared_ptr<VirtualFd>> open_;
    std::deque<std::shared_ptr<VirtualFd>> touched_;
    bool settling_ = false;
};

} // namespace xtc::sim
