// SPDX-License-Identifier: ISC
//
// The forward pass over the stacked tokens of one step. network.py says the same to torch.
#pragma once

#include "kv_cache.hpp"
#include "weights.hpp"

#include <span>
#include <vector>

namespace transformer {

// New tokens of one sequence, side by side in the step.
struct Segment {
    uint32_t slot, past, first, count;
};

class Network {
public:
    Network(Weights weights, uint32_t max_context, uint32_t max_tokens);

    const Weights& weights() const { return weights_; }

    // tokens and positions: one for each token of all segments. wanted: indices of the tokens whose logits go
    // to `logits`.
    void forward(std::span<const Segment> segments, std::span<const int32_t> tokens,
                 std::span<const int32_t> positions, std::span<const uint32_t> wanted, KvCache& cache,
                 float* logits);

private:
    void remember(uint32_t layer, const Segment& segment, std::span<const int32_t> positions, KvCache& cache);
    void attention(uint32_t layer, const Segment& segment, KvCache& cache);

    Weights weights_;
    std::vector<float> cosine_, sine_; // [context, head width / 2]
    std::vector<float> stream_;        // [tokens, width]: what the layers add to
    std::vector<float> normal_;        // [tokens, width]
    std::vector<float> packed_;        // [tokens, packed width]: queries, keys, values
    std::vector<float> hidden_;        // [tokens, hidden]
    std::vector<float> scores_;        // [attention_block, context]
};

} // namespace transformer
