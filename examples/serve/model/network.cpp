// SPDX-License-Identifier: ISC
#include "network.hpp"

#include "attention.hpp"
#include "kernels.hpp"

#include <algorithm>
#include <cmath>

namespace transformer {

Network::Network(Weights weights, uint32_t max_context, uint32_t max_tokens) : weights_(std::move(weights)) {
    const Shape& shape = weights_.shape;
    const uint64_t tokens = max_tokens;
    const uint32_t half = shape.head_width() / 2;
    stream_.resize(tokens * shape.width);
    normal_.resize(tokens * shape.width);
    packed_.resize(tokens * shape.packed_width());
    hidden_.resize(tokens * shape.hidden);
    scores_.resize(uint64_t(attention_block) * max_context);
    cosine_.resize(uint64_t(max_context) * half);
    sine_.resize(cosine_.size());
    for (uint32_t i = 0; i < half; ++i) {
        const double frequency = std::pow(double(shape.rope_base), -double(i) / half);
        for (uint32_t position = 0; position < max_context; ++position) {
            cosine_[uint64_t(position) * half + i] = float(std::cos(position * frequency));
            sine_[uint64_t(position) * half + i] = float(std::sin(position * frequency));
        }
    }
}

// Turns queries and keys to their positions, and puts keys and values into the cache.
void Network::remember(uint32_t layer, const Segment& segment, std::span<const int32_t> positions,
                       KvCache& cache) {
    const Shape& shape = weights_.shape;
    const uint32_t width = shape.head_width(), stride = shape.packed_width();
    for (uint32_t i = segment.first; i < segment.first + segment.count; ++i) {
        const auto position = uint64_t(positions[i]);
        const float* cosine = &cosine_[position * (width / 2)];
        const float* sine = &sine_[position * (width / 2)];
        float* query = &packed_[uint64_t(i) * stride];
        float* key = query + shape.heads * width;
        const float* value = key + shape.shared_heads * width;
        for (uint32_t head = 0; head < shape.heads + shape.shared_heads; ++head)
            rotate(query + head * width, cosine, sine, width);
        for (uint32_t head = 0; head < shape.shared_heads; ++head) {
            std::copy_n(key + head * width, width, cache.keys(segment.slot, layer, head) + position * width);
            std::copy_n(value + head * width, width,
                        cache.values(segment.slot, layer, head) + position * width);
        }
    }
}

void Network::attention(uint32_t layer, const Segment& segment, KvCache& cache) {
    const Shape& shape = weights_.shape;
    const uint32_t width = shape.head_width(), group = shape.heads / shape.shared_heads;
    const float scale = 1 / std::sqrt(float(width));
    for (uint32_t shared = 0; shared < shape.shared_heads; ++shared) {
        const SharedHead head{cache.keys(segment.slot, layer, shared),
                              cache.values(segment.slot, layer, shared),
                              width,
                              group,
                              segment.past,
                              scale,
                              scores_.data()};
        const uint32_t column = shared * group * width;
        attend(head, &packed_[uint64_t(segment.first) * shape.packed_width() + column], shape.packed_width(),
               segment.count, &normal_[uint64_t(segment.first) * shape.width + column], shape.width);
    }
}

void Network::forward(std::span<const Segment> segments, std::span<const int32_t> tokens,
                      std::span<const int32_t> positions, std::span<const uint32_t> wanted, KvCache& cache,
                      float* logits) {
    const Shape& shape = weights_.shape;
    const auto rows = uint32_t(tokens.size());
    for (uint32_t i = 0; i < rows; ++i)
        std::copy_n(weights_.embedding + uint64_t(tokens[i]) * shape.width, shape.width,
                    &stream_[uint64_t(i) * shape.width]);

    for (uint32_t i = 0; i < shape.layers; ++i) {
        const LayerWeights& layer = weights_.layers[i];
        normalise(stream_.data(), layer.attention_norm, shape.norm_epsilon, normal_.data(), rows,
                  shape.width);
        project(normal_.data(), layer.attention_in, packed_.data(), rows, shape.width, shape.packed_width(),
                0);
        for (const Segment& segment : segments) {
            remember(i, segment, positions, cache);
            attention(i, segment, cache);
        }
        project(normal_.data(), layer.attention_out, stream_.data(), rows, shape.width, shape.width, 1);

        normalise(stream_.data(), layer.feed_norm, shape.norm_epsilon, normal_.data(), rows, shape.width);
        project(normal_.data(), layer.feed_in, hidden_.data(), rows, shape.width, shape.hidden, 0);
        squared_relu(hidden_.data(), uint64_t(rows) * shape.hidden);
        project(hidden_.data(), layer.feed_out, stream_.data(), rows, shape.hidden, shape.width, 1);
    }

    const auto count = uint32_t(wanted.size());
    if (count == 0) return;
    for (uint32_t i = 0; i < count; ++i)
        normalise(&stream_[uint64_t(wanted[i]) * shape.width], weights_.final_norm, shape.norm_epsilon,
                  &normal_[uint64_t(i) * shape.width], 1, shape.width);
    project(normal_.data(), weights_.readout, logits, count, shape.width, shape.vocabulary, 0);
}

} // namespace transformer
