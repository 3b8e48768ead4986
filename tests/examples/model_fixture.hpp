// SPDX-License-Identifier: ISC
#pragma once

// Options are named one by one, and the rest left 0: that is what they are made for.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include "model.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace model_test {

using Logits = std::vector<float>;

inline uint8_t argmax(const Logits& logits) {
    return uint8_t(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

inline float largest_difference(const Logits& a, const Logits& b) {
    float largest = a.size() == b.size() ? 0.0f : INFINITY;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest = std::max(largest, std::fabs(a[i] - b[i]));
    return largest;
}

inline model_row_t row(uint32_t sequence, const std::string& text, bool want) {
    return {sequence, reinterpret_cast<const uint8_t*>(text.data()), uint32_t(text.size()), want};
}
// The tokens are read during the step: a literal lives long enough.
inline model_row_t row(uint32_t sequence, const char* text, bool want) {
    return {sequence, reinterpret_cast<const uint8_t*>(text), uint32_t(std::char_traits<char>::length(text)),
            want};
}

class Model {
public:
    explicit Model(const model_options_t& options = {}) {
        char why[160] = "";
        const model_status_t status = model_open(MODEL_WEIGHTS, &options, &model_, why, sizeof why);
        INFO(why);
        REQUIRE(status == MODEL_OK);
    }
    ~Model() { model_close(model_); }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    model_t* get() { return model_; }

    uint32_t open() {
        uint32_t sequence = 0;
        REQUIRE(model_seq_open(model_, &sequence) == MODEL_OK);
        return sequence;
    }

    Logits logits(uint32_t row_index) {
        const float* values = model_logits(model_, row_index);
        REQUIRE(values != nullptr);
        return {values, values + MODEL_VOCABULARY};
    }

    Logits step(uint32_t sequence, const std::string& text) {
        const model_row_t one = row(sequence, text, true);
        REQUIRE(model_step(model_, &one, 1) == MODEL_OK);
        return logits(0);
    }

    std::vector<Logits> step(const std::vector<uint32_t>& sequences, const std::vector<std::string>& texts) {
        std::vector<model_row_t> rows;
        for (size_t i = 0; i < texts.size(); ++i) rows.push_back(row(sequences[i], texts[i], true));
        REQUIRE(model_step(model_, rows.data(), uint32_t(rows.size())) == MODEL_OK);
        std::vector<Logits> all;
        for (uint32_t i = 0; i < rows.size(); ++i) all.push_back(logits(i));
        return all;
    }

    std::string greedy(uint32_t sequence, const std::string& prompt, uint32_t count) {
        Logits last = step(sequence, prompt);
        std::string text;
        while (true) {
            text += char(argmax(last));
            if (text.size() == count) return text;
            last = step(sequence, text.substr(text.size() - 1));
        }
    }

private:
    model_t* model_ = nullptr;
};

struct Reference {
    std::string prompt, greedy;
    std::vector<std::pair<uint32_t, Logits>> logits; // after the token at a position
};

inline Reference read_reference() {
    Reference reference;
    std::ifstream file(MODEL_REFERENCE);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "prompt" || kind == "greedy") {
            std::string& text = kind == "prompt" ? reference.prompt : reference.greedy;
            for (int byte; words >> byte;) text += char(byte);
        } else if (kind == "logits") {
            uint32_t position = 0;
            words >> position;
            if (reference.logits.empty() || reference.logits.back().first != position)
                reference.logits.emplace_back(position, Logits());
            Logits& logits = reference.logits.back().second;
            logits.insert(logits.end(), std::istream_iterator<float>(words), {});
        }
    }
    return reference;
}

inline std::vector<unsigned char> read_weights() {
    std::ifstream file(MODEL_WEIGHTS, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace model_test
