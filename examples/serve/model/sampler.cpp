// SPDX-License-Identifier: ISC
#include "sampler.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace {

struct Candidate {
    float weight;
    uint8_t token;
};

uint64_t splitmix64(uint64_t& state) {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint8_t greedy(const float* logits) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < MODEL_VOCABULARY; ++i)
        if (logits[i] > logits[best]) best = i;
    return uint8_t(best);
}

size_t reach(const Candidate* sorted, size_t count, double share) {
    double total = 0, sum = 0;
    for (size_t i = 0; i < count; ++i) total += sorted[i].weight;
    for (size_t i = 0; i < count; ++i) {
        sum += sorted[i].weight;
        if (sum >= share * total) return i + 1;
    }
    return count;
}

} // namespace

model_status_t model_sampler_init(model_sampler_t* sampler, const model_sampler_options_t* options) {
    if (!sampler || !options) return MODEL_INVALID;
    if (!(options->temperature >= 0 && options->temperature <= 100)) return MODEL_INVALID;
    if (!(options->top_p >= 0 && options->top_p <= 1)) return MODEL_INVALID;
    *sampler = {options->seed, options->temperature, options->top_p, options->top_k};
    return MODEL_OK;
}

uint8_t model_sample(model_sampler_t* sampler, const float* logits) {
    const uint8_t likeliest = greedy(logits);
    if (sampler->temperature == 0) return likeliest;
    const double draw = double(splitmix64(sampler->state) >> 11) * 0x1p-53;

    std::array<Candidate, MODEL_VOCABULARY> candidates;
    for (uint32_t i = 0; i < MODEL_VOCABULARY; ++i)
        candidates[i] = {std::exp((logits[i] - logits[likeliest]) / sampler->temperature), uint8_t(i)};
    size_t count = candidates.size();
    if (sampler->top_k != 0 || (sampler->top_p > 0 && sampler->top_p < 1)) {
        std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
            return a.weight != b.weight ? a.weight > b.weight : a.token < b.token;
        });
        if (sampler->top_k != 0) count = std::min<size_t>(count, sampler->top_k);
        if (sampler->top_p > 0 && sampler->top_p < 1)
            count = reach(candidates.data(), count, double(sampler->top_p));
    }

    double total = 0;
    for (size_t i = 0; i < count; ++i) total += candidates[i].weight;
    double left = draw * total;
    for (size_t i = 0; i < count; ++i) {
        left -= candidates[i].weight;
        if (left < 0) return candidates[i].token;
    }
    return likeliest;
}
