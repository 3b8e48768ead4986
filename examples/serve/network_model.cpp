// SPDX-License-Identifier: ISC
#include "network_model.hpp"

#include <algorithm>

namespace serve {

std::unique_ptr<NetworkModel> NetworkModel::open(const std::string& weights, std::uint32_t slots,
                                                 std::uint32_t step_tokens, std::string& trouble) {
    const model_options_t options = {
        .max_sequences = slots, .max_context = 0, .max_step_tokens = std::max(slots, step_tokens)};
    char why[160] = "";
    model_t* opened = nullptr;
    if (model_open(weights.c_str(), &options, &opened, why, sizeof why) != MODEL_OK) {
        trouble = why;
        return nullptr;
    }
    std::unique_ptr<NetworkModel> model(new NetworkModel(opened));
    model_get_info(opened, &model->info_);
    model->slots_.resize(slots);
    model->rows_.reserve(slots);
    for (Slot& slot : model->slots_) model_seq_open(opened, &slot.sequence);
    return model;
}

NetworkModel::~NetworkModel() {
    model_close(model_);
}

bool NetworkModel::begin(const Row& row) {
    Slot& slot = slots_[row.slot];
    const model_sampler_options_t options = {.seed = row.sampling.seed,
                                             .temperature = row.sampling.temperature,
                                             .top_p = row.sampling.top_p,
                                             .top_k = 0};
    return model_sampler_init(&slot.sampler, &options) == MODEL_OK &&
           model_seq_reset(model_, slot.sequence) == MODEL_OK;
}

bool NetworkModel::step(Step& step) {
    rows_.clear();
    for (const Row& row : step.rows) {
        if (row.fresh && !begin(row)) return false;
        rows_.push_back({.sequence = slots_[row.slot].sequence,
                         .tokens = step.tokens.data() + row.first,
                         .n_tokens = row.count,
                         .want_logits = row.sample ? 1u : 0u});
    }
    if (model_step(model_, rows_.data(), static_cast<std::uint32_t>(rows_.size())) != MODEL_OK) return false;
    for (std::uint32_t i = 0; i < step.rows.size(); ++i) {
        Row& row = step.rows[i];
        if (row.sample) row.token = model_sample(&slots_[row.slot].sampler, model_logits(model_, i));
    }
    return true;
}

} // namespace serve
