// SPDX-License-Identifier: ISC
#include "trace.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "base/assert.hpp"
#include "base/rand.hpp"
#include "seam/chooser.h"

namespace xtc::sim {

namespace {

void fold(uint64_t& hash, uint64_t word) {
    hash ^= word;
    hash = splitmix64(hash);
}

const char* name_of(uint32_t kind) {
    switch (kind) {
    case XTC_NOTE_SPAWN:
        return "spawn";
    case XTC_NOTE_RUN:
        return "run";
    case XTC_NOTE_WAKE:
        return "wake";
    case XTC_NOTE_TIMER:
        return "timer";
    case XTC_NOTE_OP:
        return "op";
    case XTC_NOTE_POST:
        return "post";
    case XTC_NOTE_EXIT:
        return "exit";
    case XTC_NOTE_USER:
        return "note";
    case static_cast<uint32_t>(Mark::turn):
        return "turn";
    case static_cast<uint32_t>(Mark::jump):
        return "jump";
    case static_cast<uint32_t>(Mark::fd_signal):
        return "fd-signal";
    case static_cast<uint32_t>(Mark::fd_done):
        return "fd-done";
    case static_cast<uint32_t>(Mark::offload):
        return "offload";
    case static_cast<uint32_t>(Mark::user):
        return "user";
    }
    return "?";
}

} // namespace

Trace::Trace(size_t ring) : ring_(ring), hash_(0) {
    XTC_ASSERT(ring > 0);
}

void Trace::note(int64_t time, uint32_t loop, uint32_t kind, uint64_t a, uint64_t b) {
    fold(hash_, static_cast<uint64_t>(time));
    fold(hash_, (uint64_t{loop} << 32) | kind);
    fold(hash_, a);
    fold(hash_, b);
    const TraceEvent event{time, loop, kind, a, b};
    if (keep_all_ || events_.size() < ring_) {
        events_.push_back(event);
    } else {
        events_[count_ % ring_] = event;
    }
    count_++;
}

std::vector<TraceEvent> Trace::kept() const {
    std::vector<TraceEvent> out = events_;
    if (!keep_all_ && count_ > ring_) {
        const auto oldest = static_cast<std::ptrdiff_t>(count_ % ring_);
        std::rotate(out.begin(), out.begin() + oldest, out.end());
    }
    return out;
}

std::string describe(const TraceEvent& event) {
    char where[16] = "world";
    if (event.loop != Trace::no_loop) std::snprintf(where, sizeof where, "loop %" PRIu32, event.loop);
    char line[128];
    std::snprintf(line, sizeof line, "%14" PRId64 " ns  %-7s %-9s %" PRIu64 " %" PRId64, event.time, where,
                  name_of(event.kind), event.a, static_cast<int64_t>(event.b));
    return line;
}

std::optional<Difference> first_difference(const Trace& left, const Trace& right) {
    if (left.count() == right.count() && left.hash() == right.hash()) return std::nullopt;
    const std::vector<TraceEvent> a = left.kept(), b = right.kept();
    const uint64_t a_first = left.count() - a.size(), b_first = right.count() - b.size();
    const uint64_t end = std::max(left.count(), right.count());
    const auto text = [](const std::vector<TraceEvent>& events, uint64_t first, uint64_t number) {
        return number - first < events.size() ? describe(events[number - first]) : std::string("(ended)");
    };
    for (uint64_t n = std::max(a_first, b_first); n < end; n++) {
        const bool both = n - a_first < a.size() && n - b_first < b.size();
        if (both && a[n - a_first] == b[n - b_first]) continue;
        return Difference{n, text(a, a_first, n), text(b, b_first, n)};
    }
    return Difference{0, "(no longer kept)", "(no longer kept)"};
}

} // namespace xtc::sim
