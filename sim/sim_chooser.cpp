// SPDX-License-Identifier: ISC
#include "sim_chooser.hpp"

#include "base/assert.hpp"

namespace xtc::sim {

const xtc_seam_chooser_t SimChooser::table = {
    .size = sizeof(xtc_seam_chooser_t),
    .choose = [](void* self, uint32_t n) { return static_cast<SimChooser*>(self)->choose(n); },
    .note = [](void* self, xtc_note_kind_t kind, uint64_t a,
               uint64_t b) { static_cast<SimChooser*>(self)->note(kind, a, b); },
};

uint32_t SimChooser::choose(uint32_t n) {
    XTC_ASSERT(n >= 2);
    switch (knobs_.order) {
    case Order::random: return static_cast<uint32_t>(streams_[Stream::sched].below(n));
    case Order::fifo: return 0;
    case Order::lifo:
    case Order::pessimal: return n - 1;
    }
    XTC_UNREACHABLE();
}

void SimChooser::note(xtc_note_kind_t kind, uint64_t a, uint64_t b) {
    trace_.note(timeline_.now(), loop_, kind, a, b);
}

} // namespace xtc::sim
