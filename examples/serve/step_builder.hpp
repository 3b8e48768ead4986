// SPDX-License-Identifier: ISC
// Chooses what one step computes: a token for every sequence in decode first, then the prompts that are not
// yet taken in, in arrival order, in chunks under what is left of the step's token budget. A long prompt thus
// takes several steps, and everybody else's next token never waits for more than one of them.
#pragma once

#include <cstddef>
#include <vector>

#include "sequence.hpp"

namespace serve {

class StepBuilder {
public:
    // token_budget is at least max_sequences, so that decode always fits.
    StepBuilder(std::size_t max_sequences, std::size_t token_budget);

    void add(Sequence& sequence);
    // The rows for what was added, which is then forgotten. Each sequence learns its row, or none.
    void build(Step& step);

private:
    void decode(Sequence& sequence, Step& step);
    void prefill(Sequence& sequence, Step& step);

    const std::size_t token_budget_;
    std::vector<Sequence*> decoding_;
    std::vector<Sequence*> prefilling_;
};

} // namespace serve
