// SPDX-License-Identifier: ISC
// The trained model of model/, as the server's device runs it. What belongs to a sequence, its cache and its
// sampler, is kept here by slot, so that only the device thread touches it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device.hpp"
#include "model/model.h"
#include "model/sampler.h"

namespace serve {

class NetworkModel : public Model {
public:
    // Nothing, with a sentence, when the weights cannot be used. step_tokens is the longest step there will
    // be.
    static std::unique_ptr<NetworkModel> open(const std::string& weights, std::uint32_t slots,
                                              std::uint32_t step_tokens, std::string& trouble);
    ~NetworkModel() override;

    std::string name() const override { return "xtc-bytes"; }
    std::uint32_t context() const override { return info_.max_context; }
    bool step(Step& step) override;

private:
    struct Slot {
        std::uint32_t sequence;
        model_sampler_t sampler;
    };

    explicit NetworkModel(model_t* model) : model_(model) {}
    bool begin(const Row& row);

    model_t* const model_;
    model_info_t info_ = {};
    std::vector<Slot> slots_;
    std::vector<model_row_t> rows_;
};

} // namespace serve
