// SPDX-License-Identifier: ISC
#include "model.h"

#include "kernels.hpp"
#include "network.hpp"

#include <cstdio>
#include <fstream>
#include <limits>
#include <new>
#include <string>

using transformer::KvCache;
using transformer::Network;
using transformer::Segment;
using transformer::Weights;

namespace {

constexpr uint32_t max_sequences_limit = 1u << 16;
constexpr uint32_t max_step_tokens_limit = 1u << 16;
constexpr uint64_t max_file_bytes = uint64_t(1) << 31;
constexpr uint32_t no_logits = std::numeric_limits<uint32_t>::max();

void say(char* why, size_t why_bytes, const std::string& sentence) {
    if (why && why_bytes != 0) std::snprintf(why, why_bytes, "%s", sentence.c_str());
}

model_tensor_t tensor(const char* name, const char* dtype, void* data, uint64_t rows, uint64_t columns) {
    const uint64_t bytes = rows * columns * 4;
    if (columns == 1) return {name, dtype, 1, {rows, 0}, data, bytes};
    return {name, dtype, 2, {rows, columns}, data, bytes};
}

} // namespace

struct model {
    model(Weights weights, const model_options_t& o)
        : options(o), network(std::move(weights), o.max_context, o.max_step_tokens),
          cache(network.weights().shape, o.max_sequences, o.max_context), tokens(o.max_step_tokens),
          positions(o.max_step_tokens), sequence(o.max_step_tokens, -1), wanted(o.max_step_tokens),
          logits(uint64_t(o.max_sequences) * MODEL_VOCABULARY), seen(o.max_sequences),
          logits_row(o.max_sequences) {
        inputs[0] = tensor("tokens", "int32", tokens.data(), o.max_step_tokens, 1);
        inputs[1] = tensor("positions", "int32", positions.data(), o.max_step_tokens, 1);
        inputs[2] = tensor("sequence", "int32", sequence.data(), o.max_step_tokens, 1);
        inputs[3] = tensor("wanted", "int32", wanted.data(), o.max_step_tokens, 1);
        outputs[0] = tensor("logits", "float32", logits.data(), o.max_sequences, MODEL_VOCABULARY);
        segments.reserve(o.max_sequences);
        wanted_tokens.reserve(o.max_sequences);
    }

    model_status_t plan_step();
    model_status_t add_token(uint32_t index);
    model_status_t check_row(const model_row_t& row, uint64_t& total) const;

    model_options_t options;
    Network network;
    KvCache cache;
    std::vector<int32_t> tokens, positions, sequence, wanted;
    std::vector<float> logits;

    // The plan of the step at hand.
    std::vector<Segment> segments;
    std::vector<uint32_t> wanted_tokens;
    std::vector<uint64_t> seen; // by slot: the number of the last step that had it
    uint64_t step_number = 0;

    std::vector<uint32_t> logits_row; // by row of the last model_step: its row in logits, or no_logits
    uint32_t n_rows = 0;

    model_tensor_t inputs[4]{};
    model_tensor_t outputs[1]{};
};

// Each token either goes on with the segment before it or begins the only segment of its sequence.
model_status_t model::add_token(uint32_t index) {
    if (tokens[index] < 0 || tokens[index] >= int32_t(MODEL_VOCABULARY)) return MODEL_INVALID;
    const auto slot = uint32_t(sequence[index]);
    if (!cache.is_open(slot)) return MODEL_INVALID;
    if (segments.empty() || segments.back().slot != slot) {
        if (seen[slot] == step_number) return MODEL_INVALID;
        seen[slot] = step_number;
        segments.push_back({slot, cache.length(slot), index, 0});
    }
    Segment& segment = segments.back();
    const uint32_t position = segment.past + segment.count;
    if (position >= options.max_context) return MODEL_CONTEXT_FULL;
    if (positions[index] != int32_t(position)) return MODEL_INVALID;
    segment.count += 1;
    if (wanted[index] != 0) {
        if (wanted_tokens.size() == options.max_sequences) return MODEL_INVALID;
        wanted_tokens.push_back(index);
    }
    return MODEL_OK;
}

model_status_t model::plan_step() {
    step_number += 1;
    segments.clear();
    wanted_tokens.clear();
    uint32_t count = 0;
    for (; count < options.max_step_tokens && sequence[count] >= 0; ++count)
        if (const model_status_t status = add_token(count); status != MODEL_OK) return status;
    return count == 0 ? MODEL_INVALID : MODEL_OK;
}

model_status_t model::check_row(const model_row_t& row, uint64_t& total) const {
    if (!row.tokens || row.n_tokens == 0 || !cache.is_open(row.sequence)) return MODEL_INVALID;
    if (row.n_tokens > options.max_context - cache.length(row.sequence)) return MODEL_CONTEXT_FULL;
    total += row.n_tokens;
    return total > options.max_step_tokens ? MODEL_STEP_FULL : MODEL_OK;
}

const char* model_status_text(model_status_t status) {
    switch (status) {
    case MODEL_OK:
        return "no error";
    case MODEL_INVALID:
        return "an argument is out of range";
    case MODEL_IO:
        return "the weights file cannot be read";
    case MODEL_BAD_WEIGHTS:
        return "the weights file is damaged or of another kind";
    case MODEL_NO_MEMORY:
        return "not enough memory";
    case MODEL_NO_SLOT:
        return "all sequences are in use";
    case MODEL_CONTEXT_FULL:
        return "the sequence would grow past its context";
    case MODEL_STEP_FULL:
        return "too many tokens for one step";
    }
    return "unknown status";
}

static model_status_t settle_options(const model_options_t* given, const transformer::Shape& shape,
                                     model_options_t& options, std::string& why) {
    options = given ? *given : model_options_t{};
    if (options.max_sequences == 0) options.max_sequences = 1;
    if (options.max_context == 0) options.max_context = shape.context;
    if (options.max_step_tokens == 0) options.max_step_tokens = std::max(options.max_sequences, 256u);
    if (options.max_sequences > max_sequences_limit) why = "max_sequences is above 65536";
    if (options.max_context > shape.context) why = "max_context is above what the weights were trained for";
    if (options.max_step_tokens > max_step_tokens_limit) why = "max_step_tokens is above 65536";
    return why.empty() ? MODEL_OK : MODEL_INVALID;
}

model_status_t model_open_memory(const void* bytes, size_t size, const model_options_t* options,
                                 model_t** out, char* why, size_t why_bytes) {
    if (!out) return MODEL_INVALID;
    *out = nullptr;
    if (!bytes) return MODEL_INVALID;
    try {
        Weights weights;
        if (const std::string fault = transformer::parse_weights(bytes, size, weights); !fault.empty()) {
            say(why, why_bytes, fault);
            return MODEL_BAD_WEIGHTS;
        }
        model_options_t settled;
        std::string fault;
        if (const auto status = settle_options(options, weights.shape, settled, fault); status != MODEL_OK) {
            say(why, why_bytes, fault);
            return status;
        }
        transformer::prepare_blas();
        *out = new model(std::move(weights), settled);
        return MODEL_OK;
    } catch (const std::exception&) { // bad_alloc, or length_error where a size is beyond any memory
        say(why, why_bytes, model_status_text(MODEL_NO_MEMORY));
        return MODEL_NO_MEMORY;
    }
}

model_status_t model_open(const char* path, const model_options_t* options, model_t** out, char* why,
                          size_t why_bytes) {
    if (!out) return MODEL_INVALID;
    *out = nullptr;
    if (!path) return MODEL_INVALID;
    try {
        std::ifstream file(path, std::ios::binary | std::ios::ate);
        const std::streamoff size = file ? std::streamoff(file.tellg()) : -1;
        if (size < 0 || uint64_t(size) > max_file_bytes) {
            say(why, why_bytes, std::string("cannot read ") + path);
            return MODEL_IO;
        }
        std::vector<char> bytes(size_t(size) + 1); // never empty, so that data() is never null
        file.seekg(0);
        if (!file.read(bytes.data(), size)) {
            say(why, why_bytes, std::string("cannot read ") + path);
            return MODEL_IO;
        }
        return model_open_memory(bytes.data(), size_t(size), options, out, why, why_bytes);
    } catch (const std::exception&) {
        say(why, why_bytes, model_status_text(MODEL_NO_MEMORY));
        return MODEL_NO_MEMORY;
    }
}

void model_close(model_t* m) {
    delete m;
}

void model_get_info(const model_t* m, model_info_t* info) {
    const transformer::Shape& shape = m->network.weights().shape;
    *info = {m->network.weights().parameters,
             m->cache.bytes(),
             m->options.max_sequences,
             m->options.max_context,
             m->options.max_step_tokens,
             shape.width,
             shape.layers,
             shape.heads,
             shape.hidden};
}

model_status_t model_seq_open(model_t* m, uint32_t* sequence) {
    if (!sequence) return MODEL_INVALID;
    return m->cache.acquire(*sequence) ? MODEL_OK : MODEL_NO_SLOT;
}

model_status_t model_seq_reset(model_t* m, uint32_t sequence) {
    if (!m->cache.is_open(sequence)) return MODEL_INVALID;
    m->cache.reset(sequence);
    return MODEL_OK;
}

model_status_t model_seq_close(model_t* m, uint32_t sequence) {
    if (!m->cache.is_open(sequence)) return MODEL_INVALID;
    m->cache.release(sequence);
    return MODEL_OK;
}

uint32_t model_seq_length(const model_t* m, uint32_t sequence) {
    return m->cache.is_open(sequence) ? m->cache.length(sequence) : 0;
}

model_status_t model_execute(model_t* m) {
    if (const model_status_t status = m->plan_step(); status != MODEL_OK) return status;
    const uint32_t count = m->segments.back().first + m->segments.back().count;
    m->network.forward(m->segments, {m->tokens.data(), count}, {m->positions.data(), count}, m->wanted_tokens,
                       m->cache, m->logits.data());
    for (const Segment& segment : m->segments) m->cache.grow(segment.slot, segment.count);
    m->n_rows = 0;
    return MODEL_OK;
}

model_status_t model_step(model_t* m, const model_row_t* rows, uint32_t n_rows) {
    if (!rows || n_rows == 0 || n_rows > m->options.max_sequences) return MODEL_INVALID;
    uint64_t total = 0;
    for (uint32_t i = 0; i < n_rows; ++i)
        if (const model_status_t status = m->check_row(rows[i], total); status != MODEL_OK) return status;

    uint32_t at = 0;
    for (uint32_t i = 0; i < n_rows; ++i) {
        const model_row_t& row = rows[i];
        const uint32_t past = m->cache.length(row.sequence);
        for (uint32_t k = 0; k < row.n_tokens; ++k, ++at) {
            m->tokens[at] = row.tokens[k];
            m->positions[at] = int32_t(past + k);
            m->sequence[at] = int32_t(row.sequence);
            m->wanted[at] = 0;
        }
        m->wanted[at - 1] = row.want_logits != 0;
    }
    if (at < m->options.max_step_tokens) m->sequence[at] = -1;

    if (const model_status_t status = model_execute(m); status != MODEL_OK) return status;
    uint32_t next = 0;
    for (uint32_t i = 0; i < n_rows; ++i) m->logits_row[i] = rows[i].want_logits ? next++ : no_logits;
    m->n_rows = n_rows;
    return MODEL_OK;
}

const float* model_logits(const model_t* m, uint32_t row) {
    if (row >= m->n_rows || m->logits_row[row] == no_logits) return nullptr;
    return &m->logits[uint64_t(m->logits_row[row]) * MODEL_VOCABULARY];
}

const model_tensor_t* model_inputs(const model_t* m, uint32_t* count) {
    if (count) *count = 4;
    return m->inputs;
}

const model_tensor_t* model_outputs(const model_t* m, uint32_t* count) {
    if (count) *count = 1;
    return m->outputs;
}
