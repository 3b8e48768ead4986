// SPDX-License-Identifier: ISC
#include "sequence.hpp"

#include <xtc.h>

namespace serve {

Sequence* Sequence::make(const CompletionRequest& request, xtc_pid_t reader) {
    return new Sequence(request, reader);
}

Sequence::Sequence(const CompletionRequest& request, xtc_pid_t reader)
    : prompt(request.prompt), max_tokens(request.max_tokens), sampling(request.sampling),
      arrived_ns(xtc_clock_mono()), output(request.max_tokens, reader), stops_(request.stops) {}

void Sequence::release() {
    if (holders_.fetch_sub(1) == 1) delete this;
}

bool Sequence::accept(std::uint8_t token) {
    output.append(token);
    const bool stopped = stops_.matches(output.written());
    const bool full = output.written().size() == max_tokens;
    if (stopped) finish = Finish::stop;
    if (!stopped && full) finish = Finish::length;
    // A stop sequence that was only begun when the answer ran out of room is text after all.
    output.show(finish == Finish::length ? output.written().size() : stops_.visible());
    return stopped || full;
}

} // namespace serve
