// SPDX-License-Identifier: ISC
#include "step_builder.hpp"

#include <algorithm>

namespace serve {

StepBuilder::StepBuilder(std::size_t max_sequences, std::size_t token_budget)
    : token_budget_(std::max(token_budget, max_sequences)) {
    decoding_.reserve(max_sequences);
    prefilling_.reserve(max_sequences);
}

void StepBuilder::add(Sequence& sequence) {
    sequence.row = Sequence::no_row;
    (sequence.in_prefill() ? prefilling_ : decoding_).push_back(&sequence);
}

void StepBuilder::build(Step& step) {
    step.rows.clear();
    step.tokens.clear();
    for (Sequence* sequence : decoding_) decode(*sequence, step);
    std::sort(prefilling_.begin(), prefilling_.end(),
              [](const Sequence* a, const Sequence* b) { return a->turn < b->turn; });
    for (Sequence* sequence : prefilling_) prefill(*sequence, step);
    decoding_.clear();
    prefilling_.clear();
}

void StepBuilder::decode(Sequence& sequence, Step& step) {
    sequence.row = static_cast<std::uint32_t>(step.rows.size());
    step.rows.push_back({.slot = sequence.slot,
                         .first = static_cast<std::uint32_t>(step.tokens.size()),
                         .count = 1,
                         .fresh = false,
                         .sample = true,
                         .sampling = {},
                         .token = 0});
    step.tokens.push_back(static_cast<std::uint8_t>(sequence.output.written().back()));
}

void StepBuilder::prefill(Sequence& sequence, Step& step) {
    const std::size_t left = sequence.prompt.size() - sequence.prefilled;
    const std::size_t count = std::min(left, token_budget_ - step.tokens.size());
    if (count == 0) return;
    sequence.row = static_cast<std::uint32_t>(step.rows.size());
    step.rows.push_back({.slot = sequence.slot,
                         .first = static_cast<std::uint32_t>(step.tokens.size()),
                         .count = static_cast<std::uint32_t>(count),
                         .fresh = sequence.prefilled == 0,
                         .sample = count == left,
                         .sampling = sequence.sampling,
                         .token = 0});
    const auto from = sequence.prompt.begin() + sequence.prefilled;
    step.tokens.insert(step.tokens.end(), from, from + static_cast<std::ptrdiff_t>(count));
}

} // namespace serve
