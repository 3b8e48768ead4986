// SPDX-License-Identifier: ISC
//
// weights.bin, little-endian, all numbers unsigned unless said:
//
//     offset  bytes
//          0      8  "xtclm" and three zero bytes
//          8      4  version, 1
//         12      4  number of tensors: 3 + 6 for each layer
//         16     28  vocabulary (256), context, width, layers, heads, shared heads, hidden: 4 bytes each
//         44      8  rope base, norm epsilon: float32 each
//         52      4  zero
//         56      8  size of the file
//         64      8  FNV-1a, 64 bits at a time, of everything from offset 72 on
//         72   56*n  tensor table: name (32 bytes, zero-filled), rows (4), columns (4), zero (8), offset (8)
//
// then the tensors, float32, row after row, each at a multiple of 64; the gaps are zero and the file ends at
// a multiple of 64. A matrix has a row for each input, so that y = x W.
//
//     embedding                  256 x width
//     layerN.attention_norm        1 x width
//     layerN.attention_in      width x packed     queries, keys, values; heads side by side in each
//     layerN.attention_out     width x width
//     layerN.feed_norm             1 x width
//     layerN.feed_in           width x hidden
//     layerN.feed_out         hidden x width
//     final_norm                   1 x width
//     readout                  width x 256
//
// A head is width / heads wide. Keys and values have only the shared heads, each for heads / shared heads
// query heads that stand together; packed is (heads + 2 shared heads) heads wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace transformer {

struct Shape {
    uint32_t vocabulary, context, width, layers, heads, shared_heads, hidden;
    float rope_base, norm_epsilon;

    uint32_t head_width() const { return width / heads; }
    uint32_t packed_width() const { return (heads + 2 * shared_heads) * head_width(); }
};

struct LayerWeights {
    const float *attention_norm, *attention_in, *attention_out, *feed_norm, *feed_in, *feed_out;
};

struct Weights {
    Shape shape{};
    const float* embedding = nullptr;
    std::vector<LayerWeights> layers;
    const float* final_norm = nullptr;
    const float* readout = nullptr;
    uint64_t parameters = 0;
    std::vector<float> storage; // what the pointers above point into
};

// Returns an empty string, or a sentence that says what is wrong with the bytes.
std::string parse_weights(const void* bytes, size_t size, Weights& weights);

} // namespace transformer
