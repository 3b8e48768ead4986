// SPDX-License-Identifier: ISC
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xtc::sim {

// What the world itself does, beside the note kinds of the loops (seam/chooser.h).
enum class Mark : uint32_t {
    turn = 100, // a: how many runs were allowed, b: how many things were handled
    jump,       // a: where the clock went
    fd_signal,  // a: the fd's ordinal, b: bits
    fd_done,    // a: the fd's ordinal, b: the operation's result
    offload,    // a: the job's ordinal, b: 0 begun, 1 reported
    user        // a, b: the workload's
};

// No addresses and no handles that carry one: two runs of a seed must agree on every field.
struct TraceEvent {
    int64_t time;
    uint32_t loop; // no_loop: the world
    uint32_t kind; // an xtc_note_kind_t or a Mark
    uint64_t a, b;
    bool operator==(const TraceEvent&) const = default;
};

// Every event goes into the hash; the last ones, or all if asked, are kept to be read.
class Trace {
public:
    static constexpr uint32_t no_loop = UINT32_MAX;

    explicit Trace(size_t ring = 4096);
    void keep_all() noexcept { keep_all_ = true; }
    void note(int64_t time, uint32_t loop, uint32_t kind, uint64_t a, uint64_t b);

    uint64_t hash() const noexcept { return hash_; }
    uint64_t count() const noexcept { return count_; }
    // The kept events, oldest first; the first has number count() - size().
    std::vector<TraceEvent> kept() const;

private:
    std::vector<TraceEvent> events_;
    size_t ring_;
    bool keep_all_ = false;
    uint64_t hash_;
    uint64_t count_ = 0;
};

std::string describe(const TraceEvent& event);

struct Difference {
    uint64_t number; // of the event, counted from the first
    std::string left, right;
};

// The first event in which two runs differ, as far back as both were kept.
std::optional<Difference> first_difference(const Trace& left, const Trace& right);

} // namespace xtc::sim
