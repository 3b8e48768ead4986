// SPDX-License-Identifier: ISC
//
// The model behind the entries of two packages of the CPU device. The weights are the file weights.bin of the
// package; a load has a library of its own, so what is static here belongs to one load.
#include "model.h"
#include "sampler.h"

#include "nrt/nrt_xtc_model.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace {

// Of NRT_STATUS.
constexpr int success = 0;
constexpr int failure = 1;
constexpr int bad_input = 1002;

struct Close {
    void operator()(model_t* model) const { model_close(model); }
};
using ModelPointer = std::unique_ptr<model_t, Close>;

ModelPointer open_weights(const nrt_xtc_model_call_t* call, uint32_t sequences, uint32_t step_tokens) {
    const void* weights = nullptr;
    size_t bytes = 0;
    model_t* model = nullptr;
    const model_options_t options{sequences, 0, step_tokens};
    if (call->file(call, "weights.bin", &weights, &bytes) != 0) return nullptr;
    model_open_memory(weights, bytes, &options, &model, nullptr, 0);
    for (uint32_t i = 0, sequence = 0; model != nullptr && i < sequences; ++i)
        if (model_seq_open(model, &sequence) != MODEL_OK) return nullptr;
    return ModelPointer(model);
}

bool fit(const model_tensor_t* tensors, uint32_t count, const auto* buffers, uint32_t n_buffers) {
    if (n_buffers != count) return false;
    for (uint32_t i = 0; i < count; ++i)
        if (std::strcmp(tensors[i].name, buffers[i].name) != 0 || tensors[i].bytes != buffers[i].bytes)
            return false;
    return true;
}

// A sequence whose first position is 0 begins anew.
void reset_fresh(model_t* model, const model_tensor_t* inputs) {
    const auto* positions = static_cast<const int32_t*>(inputs[1].data);
    const auto* sequence = static_cast<const int32_t*>(inputs[2].data);
    for (uint64_t i = 0; i < inputs[2].shape[0] && sequence[i] >= 0; ++i)
        if (positions[i] == 0) model_seq_reset(model, static_cast<uint32_t>(sequence[i]));
}

struct Prompt {
    const uint8_t* text;
    uint32_t length;
};

// A length of 0 means up to the first zero byte, so that a padded file needs no length.
bool take_prompt(const nrt_xtc_model_call_t* call, Prompt& prompt) {
    prompt.text = static_cast<const uint8_t*>(call->in[0].data);
    const auto room = static_cast<uint32_t>(call->in[0].bytes);
    int32_t length = 0;
    std::memcpy(&length, call->in[1].data, sizeof length);
    if (length < 0 || static_cast<uint32_t>(length) > room) return false;
    prompt.length = static_cast<uint32_t>(length);
    if (length == 0)
        prompt.length = static_cast<uint32_t>(std::find(prompt.text, prompt.text + room, 0) - prompt.text);
    return prompt.length > 0;
}

// The logits after the last of these tokens, taken in steps the model has room for.
const float* feed(model_t* model, const uint8_t* tokens, uint32_t count, uint32_t most) {
    for (uint32_t at = 0; at < count; at += most) {
        const uint32_t n = std::min(most, count - at);
        const model_row_t row{0, tokens + at, n, at + n == count};
        if (model_step(model, &row, 1) != MODEL_OK) return nullptr;
    }
    return model_logits(model, 0);
}

} // namespace

extern "C" {

// One step over many sequences, as model.h describes: tokens, positions, sequence, wanted -> logits.
__attribute__((visibility("default"))) int step(const nrt_xtc_model_call_t* call) {
    static const ModelPointer model =
        open_weights(call, static_cast<uint32_t>(call->out[0].bytes / (MODEL_VOCABULARY * sizeof(float))),
                     static_cast<uint32_t>(call->in[0].bytes / sizeof(int32_t)));
    if (!model) return failure;
    uint32_t n_in = 0, n_out = 0;
    const model_tensor_t* inputs = model_inputs(model.get(), &n_in);
    const model_tensor_t* outputs = model_outputs(model.get(), &n_out);
    if (!fit(inputs, n_in, call->in, call->n_in) || !fit(outputs, n_out, call->out, call->n_out))
        return bad_input;
    for (uint32_t i = 0; i < n_in; ++i) std::memcpy(inputs[i].data, call->in[i].data, inputs[i].bytes);
    reset_fresh(model.get(), inputs);
    if (model_execute(model.get()) != MODEL_OK) return bad_input;
    std::memcpy(call->out[0].data, outputs[0].data, outputs[0].bytes);
    return success;
}

// The most likely text: prompt, length -> text, as many bytes as the output has.
__attribute__((visibility("default"))) int greedy(const nrt_xtc_model_call_t* call) {
    constexpr uint32_t step_tokens = 256;
    static const ModelPointer model = open_weights(call, 1, step_tokens);
    if (!model) return failure;
    Prompt prompt{};
    model_sampler_t sampler{};
    const model_sampler_options_t most_likely{};
    if (!take_prompt(call, prompt) || model_sampler_init(&sampler, &most_likely) != MODEL_OK)
        return bad_input;
    model_seq_reset(model.get(), 0);
    auto* text = static_cast<uint8_t*>(call->out[0].data);
    const float* logits = feed(model.get(), prompt.text, prompt.length, step_tokens);
    for (size_t i = 0; i < call->out[0].bytes; ++i) {
        if (i > 0) logits = feed(model.get(), &text[i - 1], 1, step_tokens);
        if (logits == nullptr) return bad_input; // longer than the context
        text[i] = model_sample(&sampler, logits);
    }
    return success;
}
}
