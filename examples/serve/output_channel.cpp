// SPDX-License-Identifier: ISC
#include "output_channel.hpp"

#include <xtc.h>

namespace serve {

OutputChannel::OutputChannel(std::size_t capacity, xtc_pid_t reader)
    : bytes_(std::make_unique<char[]>(capacity)), reader_(reader) {}

void OutputChannel::show(std::size_t visible) {
    if (visible == visible_.load()) return;
    visible_.store(visible);
    ring();
}

void OutputChannel::finish(Finish how) {
    finished_.store(how);
    ring();
}

// One mail however much is written before the reader looks. A reader that is gone needs none; one whose mail
// cannot be delivered now is rung again by the next byte.
void OutputChannel::ring() {
    if (rung_.exchange(true)) return;
    if (xtc_send(reader_, nullptr, 0) != XTC_OK) rung_.store(false);
}

OutputChannel::News OutputChannel::take() {
    rung_.store(false); // before looking, so that whatever is written after the look rings again
    const Finish finished = finished_.load();
    const std::size_t visible = visible_.load();
    const std::string_view text(bytes_.get() + taken_, visible - taken_);
    taken_ = visible;
    return {text, finished};
}

} // namespace serve
