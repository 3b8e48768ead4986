// SPDX-License-Identifier: ISC
#include "model_fixture.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace model_test;

TEST_CASE("the logits are those that torch computed") {
    const Reference reference = read_reference();
    REQUIRE(reference.logits.size() >= 5);
    Model model;
    const uint32_t sequence = model.open();
    uint32_t done = 0;
    for (const auto& [position, expected] : reference.logits) {
        const Logits got = model.step(sequence, reference.prompt.substr(done, position + 1 - done));
        done = position + 1;
        CHECK(largest_difference(got, expected) < 2e-3f);
        CHECK(argmax(got) == argmax(expected));
    }
}

TEST_CASE("the greedy text is the one torch wrote") {
    const Reference reference = read_reference();
    REQUIRE(reference.greedy.size() == 64);
    Model model;
    CHECK(model.greedy(model.open(), reference.prompt, 64) == reference.greedy);
}

TEST_CASE("many sequences in a step say what each says alone") {
    const std::vector<std::string> prompts = {
        "In the beginning ",   "And",           "The king of Israel said unto the prophet, ",
        "Blessed is he ",      "For the LORD ", "A",
        "Then Peter answered "};
    constexpr uint32_t steps = 48;
    std::vector<std::string> alone;
    std::vector<Logits> last_alone;
    for (const std::string& prompt : prompts) {
        Model model;
        const uint32_t sequence = model.open();
        alone.push_back(model.greedy(sequence, prompt, steps));
        last_alone.push_back(model.step(sequence, alone.back().substr(steps - 1)));
    }

    Model model({.max_sequences = uint32_t(prompts.size())});
    std::vector<uint32_t> sequences;
    std::vector<std::string> together(prompts.size());
    std::vector<Logits> last(prompts.size());
    for (const std::string& prompt : prompts) {
        sequences.push_back(model.open());
        last[sequences.size() - 1] = model.step(sequences.back(), prompt);
    }
    for (uint32_t step = 0; step < steps; ++step) {
        std::vector<std::string> next;
        for (size_t i = 0; i < prompts.size(); ++i) {
            next.emplace_back(1, char(argmax(last[i])));
            together[i] += next.back();
        }
        last = model.step(sequences, next);
    }
    for (size_t i = 0; i < prompts.size(); ++i) {
        CHECK(together[i] == alone[i]);
        CHECK(largest_difference(last[i], last_alone[i]) < 2e-3f);
    }
}

TEST_CASE("a prompt taken in chunks gives what it gives whole") {
    const std::string prompt =
        "And the angel of the LORD went before them in the way, and he said unto all the people "
        "of the land, Hear ye the word which was from the beginning, and keep it: ";
    Model whole_model;
    const Logits whole = whole_model.step(whole_model.open(), prompt);
    for (const uint32_t chunk : {1u, 3u, 7u, 64u, 65u, 100u}) {
        Model model({.max_step_tokens = 128});
        const uint32_t sequence = model.open();
        Logits last;
        for (size_t at = 0; at < prompt.size(); at += chunk)
            last = model.step(sequence, prompt.substr(at, chunk));
        INFO("chunk " << chunk);
        CHECK(largest_difference(last, whole) < 2e-3f);
        CHECK(model_seq_length(model.get(), sequence) == prompt.size());
    }
}

TEST_CASE("prefill and decode share a step, and only the rows that want logits get them") {
    Model alone;
    const uint32_t a = alone.open();
    alone.step(a, "The LORD is my ");
    const Logits decode_alone = alone.step(a, "s");
    Model fresh;
    const Logits prefill_alone = fresh.step(fresh.open(), "He that hath an ear, ");

    Model model({.max_sequences = 3});
    const uint32_t decoding = model.open(), filling = model.open(), silent = model.open();
    model.step(decoding, "The LORD is my ");
    const std::string ear = "He that hath an ear, ", word = "word";
    const model_row_t rows[] = {row(filling, ear, true), row(silent, word, false), row(decoding, "s", true)};
    REQUIRE(model_step(model.get(), rows, 3) == MODEL_OK);
    REQUIRE(model_logits(model.get(), 0) != nullptr);
    CHECK(model_logits(model.get(), 1) == nullptr);
    REQUIRE(model_logits(model.get(), 2) != nullptr);
    CHECK(model_logits(model.get(), 3) == nullptr);
    CHECK(largest_difference(model.logits(0), prefill_alone) < 2e-3f);
    CHECK(largest_difference(model.logits(2), decode_alone) < 2e-3f);
    CHECK(model_seq_length(model.get(), silent) == 4);
}

TEST_CASE("a sequence never grows past the context, and a refused step changes nothing") {
    Model model({.max_sequences = 2, .max_context = 16});
    const uint32_t full = model.open(), other = model.open();
    const std::string fifteen(15, 'a'), two = "bc";
    model.step(full, fifteen);
    const model_row_t rows[] = {row(other, two, true), row(full, two, true)};
    CHECK(model_step(model.get(), rows, 2) == MODEL_CONTEXT_FULL);
    CHECK(model_seq_length(model.get(), full) == 15);
    CHECK(model_seq_length(model.get(), other) == 0);
    CHECK(model_step(model.get(), rows, 1) == MODEL_OK);
    model.step(full, "b");
    CHECK(model_seq_length(model.get(), full) == 16);
    const model_row_t one = row(full, "c", true);
    CHECK(model_step(model.get(), &one, 1) == MODEL_CONTEXT_FULL);
}

TEST_CASE("the last position of the whole context computes") {
    Model model({.max_step_tokens = 1024});
    model_info_t info;
    model_get_info(model.get(), &info);
    REQUIRE(info.max_context >= 512);
    const uint32_t sequence = model.open();
    std::string text;
    while (text.size() < info.max_context) text += "And it came to pass in those days. ";
    text.resize(info.max_context);
    const Logits logits = model.step(sequence, text);
    CHECK(std::isfinite(logits[argmax(logits)]));
}

TEST_CASE("wrong rows are refused") {
    Model model({.max_sequences = 2, .max_step_tokens = 8});
    const uint32_t sequence = model.open();
    const std::string nine(9, 'x'), five(5, 'x'), one = "x";
    const auto refused = [&](std::vector<model_row_t> rows) {
        return model_step(model.get(), rows.data(), uint32_t(rows.size()));
    };
    CHECK(refused({row(sequence, nine, true)}) == MODEL_STEP_FULL);
    const uint32_t second = model.open();
    CHECK(refused({row(sequence, five, true), row(second, five, true)}) == MODEL_STEP_FULL);
    CHECK(refused({row(sequence, one, true), row(sequence, one, true)}) == MODEL_INVALID);
    CHECK(refused({{sequence, nullptr, 1, 1}}) == MODEL_INVALID);
    CHECK(refused({row(sequence, "", true)}) == MODEL_INVALID);
    CHECK(refused({row(7, one, true)}) == MODEL_INVALID);
    CHECK(refused({row(0xffffffffu, one, true)}) == MODEL_INVALID);
    CHECK(model_step(model.get(), nullptr, 1) == MODEL_INVALID);
    CHECK(refused({}) == MODEL_INVALID);
    CHECK(model_seq_length(model.get(), sequence) == 0);
    CHECK(model_seq_close(model.get(), second) == MODEL_OK);
    CHECK(refused({row(second, one, true)}) == MODEL_INVALID);
    CHECK(refused({row(sequence, one, true)}) == MODEL_OK);
}

TEST_CASE("slots run out, come back, and a used one starts empty") {
    Model model({.max_sequences = 2});
    const uint32_t first = model.open();
    model.open();
    uint32_t third = 0;
    CHECK(model_seq_open(model.get(), &third) == MODEL_NO_SLOT);
    const Logits fresh = model.step(first, "Woe unto ");
    model.step(first, "thee, O land, when thy king is a child");
    CHECK(model_seq_reset(model.get(), first) == MODEL_OK);
    CHECK(largest_difference(model.step(first, "Woe unto "), fresh) == 0);

    CHECK(model_seq_close(model.get(), first) == MODEL_OK);
    CHECK(model_seq_close(model.get(), first) == MODEL_INVALID);
    CHECK(model_seq_reset(model.get(), first) == MODEL_INVALID);
    CHECK(model_seq_length(model.get(), first) == 0);
    REQUIRE(model_seq_open(model.get(), &third) == MODEL_OK);
    CHECK(largest_difference(model.step(third, "Woe unto "), fresh) == 0);
}

TEST_CASE("a step over the named buffers is the step over rows") {
    Model rows_model;
    const Logits expected = rows_model.step(rows_model.open(), "Behold");

    Model model({.max_sequences = 2, .max_step_tokens = 32});
    const uint32_t sequence = model.open();
    uint32_t n_inputs = 0, n_outputs = 0;
    const model_tensor_t* in = model_inputs(model.get(), &n_inputs);
    const model_tensor_t* out = model_outputs(model.get(), &n_outputs);
    REQUIRE(n_inputs == 4);
    REQUIRE(n_outputs == 1);
    const char* names[] = {"tokens", "positions", "sequence", "wanted"};
    for (int i = 0; i < 4; ++i) {
        CHECK(std::string(in[i].name) == names[i]);
        CHECK(std::string(in[i].dtype) == "int32");
        CHECK(in[i].rank == 1);
        CHECK(in[i].shape[0] == 32);
        CHECK(in[i].bytes == 32 * 4);
    }
    CHECK(std::string(out[0].name) == "logits");
    CHECK(std::string(out[0].dtype) == "float32");
    CHECK((out[0].rank == 2 && out[0].shape[0] == 2 && out[0].shape[1] == 256));
    CHECK(out[0].bytes == 2 * 256 * 4);

    auto* tokens = static_cast<int32_t*>(in[0].data);
    auto* positions = static_cast<int32_t*>(in[1].data);
    auto* slots = static_cast<int32_t*>(in[2].data);
    auto* wanted = static_cast<int32_t*>(in[3].data);
    const std::string text = "Behold";
    for (int i = 0; i < 6; ++i) {
        tokens[i] = uint8_t(text[i]);
        positions[i] = i;
        slots[i] = int32_t(sequence);
        wanted[i] = i == 5;
    }
    slots[6] = -1;

    const auto refused_with = [&](int32_t& cell, int32_t value) {
        const int32_t before = std::exchange(cell, value);
        const model_status_t status = model_execute(model.get());
        cell = before;
        return status;
    };
    CHECK(refused_with(tokens[3], 256) == MODEL_INVALID);
    CHECK(refused_with(tokens[3], -1) == MODEL_INVALID);
    CHECK(refused_with(positions[0], 1) == MODEL_INVALID);
    CHECK(refused_with(positions[3], 1 << 30) == MODEL_INVALID);
    CHECK(refused_with(slots[2], 1) == MODEL_INVALID);
    CHECK(refused_with(slots[2], 1 << 30) == MODEL_INVALID);
    CHECK(refused_with(slots[0], -1) == MODEL_INVALID);
    CHECK(model_seq_length(model.get(), sequence) == 0);

    REQUIRE(model_execute(model.get()) == MODEL_OK);
    const auto* logits = static_cast<const float*>(out[0].data);
    CHECK(largest_difference(Logits(logits, logits + 256), expected) < 2e-3f);
    CHECK(model_seq_length(model.get(), sequence) == 6);
}
