// SPDX-License-Identifier: ISC
#include "model_fixture.hpp"
#include "sampler.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace model_test;

namespace {

model_sampler_t sampler(const model_sampler_options_t& options) {
    model_sampler_t s;
    REQUIRE(model_sampler_init(&s, &options) == MODEL_OK);
    return s;
}

std::string draws(const model_sampler_options_t& options, const Logits& logits, int count) {
    model_sampler_t s = sampler(options);
    std::string all;
    for (int i = 0; i < count; ++i) all += char(model_sample(&s, logits.data()));
    return all;
}

Logits logits_of(std::initializer_list<std::pair<int, double>> shares) {
    Logits logits(256, -100.0f);
    for (const auto& [token, share] : shares) logits[size_t(token)] = float(std::log(share));
    return logits;
}

} // namespace

TEST_CASE("the same seed draws the same tokens, another seed others") {
    const Logits flat(256, 0.0f);
    const model_sampler_options_t seven{.seed = 7, .temperature = 1}, eight{.seed = 8, .temperature = 1};
    CHECK(draws(seven, flat, 100) == draws(seven, flat, 100));
    CHECK(draws(seven, flat, 100) != draws(eight, flat, 100));
}

TEST_CASE("a seeded text of the model repeats") {
    const auto write = [](uint64_t seed) {
        Model model;
        model_sampler_t s = sampler({.seed = seed, .temperature = 0.9f, .top_p = 0.95f});
        const uint32_t sequence = model.open();
        Logits last = model.step(sequence, "And he ");
        std::string text;
        for (int i = 0; i < 60; ++i) {
            text += char(model_sample(&s, last.data()));
            last = model.step(sequence, text.substr(text.size() - 1));
        }
        return text;
    };
    CHECK(write(1) == write(1));
    CHECK(write(1) != write(2));
}

TEST_CASE("temperature 0 takes the likeliest token and the lowest of equals") {
    Logits logits(256, 0.0f);
    logits[200] = logits[100] = 1;
    CHECK(draws({}, logits, 3) == "ddd");
    CHECK(draws({.seed = 3, .temperature = 1, .top_k = 1}, logits, 3) == "ddd");
}

TEST_CASE("tokens come as often as their share, and temperature flattens it") {
    const Logits logits = logits_of({{'a', 0.75}, {'b', 0.25}});
    const auto count_a = [&](float temperature) {
        const std::string all = draws({.seed = 5, .temperature = temperature}, logits, 20000);
        return int(std::count(all.begin(), all.end(), 'a'));
    };
    CHECK(std::abs(count_a(1) - 15000) < 300);
    CHECK(std::abs(count_a(2) - 12679) < 300); // sqrt(3) to 1
}

TEST_CASE("top_p and top_k keep only the likeliest") {
    const Logits logits = logits_of({{'a', 0.4}, {'b', 0.3}, {'c', 0.2}, {'d', 0.1}});
    const auto kinds = [&](model_sampler_options_t options) {
        options.temperature = 1;
        const std::string all = draws(options, logits, 2000);
        return std::set<char>(all.begin(), all.end());
    };
    CHECK(kinds({.top_p = 0.65f}) == std::set<char>{'a', 'b'});
    CHECK(kinds({.top_p = 0.75f}) == std::set<char>{'a', 'b', 'c'});
    CHECK(kinds({.top_p = 1}) == std::set<char>{'a', 'b', 'c', 'd'});
    CHECK(kinds({.top_k = 3}) == std::set<char>{'a', 'b', 'c'});
    CHECK(kinds({.top_k = 1000}) == std::set<char>{'a', 'b', 'c', 'd'});
    CHECK(kinds({.top_p = 0.65f, .top_k = 1}) == std::set<char>{'a'});
}

TEST_CASE("impossible sampling options are refused") {
    model_sampler_t s;
    const auto refused = [&](const model_sampler_options_t& options) {
        return model_sampler_init(&s, &options) == MODEL_INVALID;
    };
    CHECK(refused({.temperature = -1}));
    CHECK(refused({.temperature = NAN}));
    CHECK(refused({.temperature = INFINITY}));
    CHECK(refused({.top_p = 1.5f}));
    CHECK(refused({.top_p = -0.1f}));
    CHECK(refused({.top_p = NAN}));
    CHECK(model_sampler_init(&s, nullptr) == MODEL_INVALID);
    CHECK(model_sampler_init(nullptr, nullptr) == MODEL_INVALID);
}
