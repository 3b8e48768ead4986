// SPDX-License-Identifier: ISC
//
// The transformer as packages of the CPU device, beside the model's own C interface.
#include "model_fixture.hpp"

#include "nrt/package/model.hpp"

using model_test::Logits;
using model_test::Model;
namespace nrt = xtc::nrt;

namespace {

const nrt::Sleeper no_sleep{[](void*, int64_t) {}, nullptr};

std::unique_ptr<nrt::Model> load(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::unique_ptr<nrt::Model> model;
    const nrt::Complaint why = nrt::Model::load(std::as_bytes(std::span(bytes)), {}, model);
    INFO((why ? why->sentence : ""));
    REQUIRE(model != nullptr);
    return model;
}

std::string write_on(nrt::Model& model, const std::string& prompt, bool tell_length = true) {
    std::vector<char> text(model.manifest().inputs[0].bytes);
    std::copy(prompt.begin(), prompt.end(), text.begin());
    const int32_t length = tell_length ? int32_t(prompt.size()) : 0;
    std::string answer(model.manifest().outputs[0].bytes, '?');
    const nrt::InBuffer in[] = {{text.data(), text.size()}, {&length, sizeof length}};
    const nrt::OutBuffer out{answer.data(), answer.size()};
    const auto status = model.run(in, {&out, 1}, no_sleep).status;
    return status == nrt::Status::success ? answer : "status " + std::to_string(int(status));
}

struct Token {
    int32_t byte, position, sequence, wanted;
};

// The step package as a server would drive it.
class Stepper {
public:
    Stepper() : model_(load(MODEL_PACKAGE_STEP)) {}

    nrt::Status step(const std::vector<Token>& tokens) {
        const size_t room = model_->manifest().inputs[0].shape[0];
        std::vector<int32_t> columns[4];
        for (auto& column : columns) column.assign(room, 0);
        std::fill(columns[2].begin(), columns[2].end(), -1);
        for (size_t i = 0; i < tokens.size(); ++i) {
            columns[0][i] = tokens[i].byte;
            columns[1][i] = tokens[i].position;
            columns[2][i] = tokens[i].sequence;
            columns[3][i] = tokens[i].wanted;
        }
        logits_.assign(model_->manifest().outputs[0].bytes / sizeof(float), 0);
        nrt::InBuffer in[4];
        for (int i = 0; i < 4; ++i) in[i] = {columns[i].data(), room * sizeof(int32_t)};
        const nrt::OutBuffer out{logits_.data(), logits_.size() * sizeof(float)};
        return model_->run(in, {&out, 1}, no_sleep).status;
    }

    Logits logits(size_t row) const {
        const auto begin = logits_.begin() + std::ptrdiff_t(row * MODEL_VOCABULARY);
        return {begin, begin + MODEL_VOCABULARY};
    }

private:
    std::unique_ptr<nrt::Model> model_;
    std::vector<float> logits_;
};

void append(std::vector<Token>& tokens, const std::string& text, int32_t first, int32_t sequence) {
    for (size_t i = 0; i < text.size(); ++i)
        tokens.push_back({uint8_t(text[i]), first + int32_t(i), sequence, i + 1 == text.size()});
}

} // namespace

TEST_CASE("the greedy package writes what the model's own interface writes") {
    const auto package = load(MODEL_PACKAGE_GREEDY);
    for (const std::string& prompt : {std::string("In the beginning"), std::string("And it came to pass, "),
                                      std::string(400, 'a') + " long prompt of two steps"}) {
        Model model({1, 0, 0});
        const uint32_t sequence = model.open();
        std::string expected;
        if (prompt.size() > 256) { // the step's limit
            model.step(sequence, prompt.substr(0, 256));
            expected = model.greedy(sequence, prompt.substr(256), 128);
        } else {
            expected = model.greedy(sequence, prompt, 128);
        }
        CHECK(write_on(*package, prompt) == expected);
        CHECK(write_on(*package, prompt, false) == expected); // up to the first zero byte
    }
}

TEST_CASE("the greedy package begins as torch does") {
    const model_test::Reference reference = model_test::read_reference();
    const std::string answer = write_on(*load(MODEL_PACKAGE_GREEDY), reference.prompt);
    CHECK(answer.substr(0, reference.greedy.size()) == reference.greedy);
}

TEST_CASE("the greedy package refuses a prompt that is empty or longer than its room") {
    const auto package = load(MODEL_PACKAGE_GREEDY);
    CHECK(write_on(*package, "") == "status 1002");
    std::vector<char> text(512, 'a');
    for (const int32_t length : {-1, 513}) {
        std::string answer(128, '?');
        const nrt::InBuffer in[] = {{text.data(), text.size()}, {&length, sizeof length}};
        const nrt::OutBuffer out{answer.data(), answer.size()};
        CHECK(package->run(in, {&out, 1}, no_sleep).status == nrt::Status::exec_bad_input);
    }
}

TEST_CASE("the step package computes the logits of model_step, sequences side by side") {
    Stepper stepper;
    Model model({32, 0, 256});
    const std::vector<std::string> texts{"In the ", "And God said, ", "x"};
    std::vector<uint32_t> sequences;
    std::vector<int32_t> lengths;
    for (size_t i = 0; i < texts.size(); ++i) sequences.push_back(model.open());

    std::vector<std::string> next = texts;
    lengths.assign(texts.size(), 0);
    for (int round = 0; round < 8; ++round) {
        std::vector<Token> tokens;
        for (size_t i = 0; i < next.size(); ++i) append(tokens, next[i], lengths[i], int32_t(i));
        const std::vector<Logits> expected = model.step(sequences, next);
        REQUIRE(stepper.step(tokens) == nrt::Status::success);
        for (size_t i = 0; i < next.size(); ++i) {
            CHECK(stepper.logits(i) == expected[i]);
            lengths[i] += int32_t(next[i].size());
            next[i] = char(model_test::argmax(expected[i]));
        }
    }
}

TEST_CASE("a sequence that begins at 0 again is a new one, and loads do not disturb each other") {
    Stepper first, second;
    std::vector<Token> tokens, other;
    append(tokens, "In the ", 0, 5);
    append(other, "Another beginning", 0, 5);
    REQUIRE(first.step(tokens) == nrt::Status::success);
    const Logits logits = first.logits(0);
    REQUIRE(second.step(other) == nrt::Status::success);
    REQUIRE(first.step(tokens) == nrt::Status::success);
    CHECK(first.logits(0) == logits);
}

TEST_CASE("a step that makes no sense is bad input, and the next one runs") {
    Stepper stepper;
    CHECK(stepper.step({}) == nrt::Status::exec_bad_input);
    CHECK(stepper.step({{256, 0, 0, 1}}) == nrt::Status::exec_bad_input);
    CHECK(stepper.step({{65, 7, 0, 1}}) == nrt::Status::exec_bad_input);
    CHECK(stepper.step({{65, 0, 32, 1}}) == nrt::Status::exec_bad_input);
    CHECK(stepper.step({{65, 0, 31, 1}}) == nrt::Status::success);
}
