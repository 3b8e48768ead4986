// SPDX-License-Identifier: ISC
// What the server needs of a model: one step over rows of several sequences at once, each with a cache slot
// of its own. Everything a step reads and writes is in the Step, so that a device may still be busy with one
// whose requests are long gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace serve {

struct Sampling {
    std::uint64_t seed = 0;
    float temperature = 1; // 0 takes the most likely token
    float top_p = 1;
};

// The next tokens of one sequence: one in decode, a chunk of its prompt in prefill.
struct Row {
    std::uint32_t slot;
    std::uint32_t first; // index of the first one in Step::tokens
    std::uint32_t count;
    bool fresh;  // the slot is empty and starts over with this row's sampling
    bool sample; // choose the token that follows, into token
    Sampling sampling;
    std::uint8_t token;
};

struct Step {
    std::vector<Row> rows;
    std::vector<std::uint8_t> tokens;
};

class Model {
public:
    virtual ~Model() = default;

    virtual std::string name() const = 0;
    // Tokens that one sequence can hold, prompt and answer together.
    virtual std::uint32_t context() const = 0;
    // Called on the device thread, one step at a time. False when the device failed.
    virtual bool step(Step& step) = 0;
};

} // namespace serve
