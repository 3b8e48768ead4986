// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <memory>

#include "fake_model.hpp"
#include "step_builder.hpp"

using namespace serve;

namespace {

struct Release {
    void operator()(Sequence* sequence) const {
        sequence->release();
        sequence->release(); // the engine's hold, which nobody has here
    }
};
using Held = std::unique_ptr<Sequence, Release>;

Held make_sequence(std::string prompt, std::uint32_t max_tokens, std::uint64_t turn,
                   std::vector<std::string> stops = {}) {
    CompletionRequest request;
    request.prompt = std::move(prompt);
    request.max_tokens = max_tokens;
    request.stops = std::move(stops);
    Held sequence(Sequence::make(request, XTC_PID_NONE));
    sequence->turn = turn;
    sequence->slot = static_cast<std::uint32_t>(turn - 1);
    return sequence;
}

} // namespace

TEST_CASE("step builder: decode comes first, then prompts in arrival order under what is left", "[serve]") {
    const Held late = make_sequence(std::string(10, 'l'), 4, 3);
    const Held early = make_sequence(std::string(10, 'e'), 4, 2);
    const Held decoding = make_sequence("d", 4, 1);
    decoding->prefilled = 1;
    decoding->accept('x');

    StepBuilder builder(4, 16);
    builder.add(*late);
    builder.add(*early);
    builder.add(*decoding);
    Step step;
    builder.build(step);

    REQUIRE(step.rows.size() == 3);
    CHECK(std::string(step.tokens.begin(), step.tokens.end()) == "xeeeeeeeeeelllll");
    CHECK(decoding->row == 0);
    CHECK(step.rows[0].sample);
    CHECK(early->row == 1);
    CHECK(step.rows[1].sample); // its whole prompt is in
    CHECK(step.rows[1].fresh);
    CHECK(late->row == 2);
    CHECK_FALSE(step.rows[2].sample);
}

TEST_CASE("step builder: a prompt that gets nothing this time has no row", "[serve]") {
    const Held first = make_sequence(std::string(8, 'a'), 4, 1);
    const Held second = make_sequence("b", 4, 2);
    StepBuilder builder(2, 8);
    builder.add(*first);
    builder.add(*second);
    Step step;
    builder.build(step);
    CHECK(step.rows.size() == 1);
    CHECK(second->row == Sequence::no_row);
}

TEST_CASE("step builder: a budget under the number of sequences still lets everyone decode", "[serve]") {
    StepBuilder builder(3, 1);
    std::vector<Held> all;
    for (std::uint64_t turn = 1; turn <= 3; ++turn) {
        all.push_back(make_sequence("p", 4, turn));
        all.back()->prefilled = 1;
        all.back()->accept('x');
        builder.add(*all.back());
    }
    Step step;
    builder.build(step);
    CHECK(step.rows.size() == 3);
}

TEST_CASE("step builder and fake model: chunks and decode steps make the whole answer", "[serve]") {
    const Held sequence = make_sequence("please echo:over and out", 20, 1, {"out"});
    FakeModel model(1, 64, std::chrono::microseconds(0));
    StepBuilder builder(1, 5);
    Step step;
    bool done = false;
    while (!done) {
        builder.add(*sequence);
        builder.build(step);
        REQUIRE(model.step(step));
        const Row& row = step.rows[sequence->row];
        if (sequence->in_prefill()) sequence->prefilled += row.count;
        if (row.sample) done = sequence->accept(row.token);
    }
    CHECK(sequence->finish == Finish::stop);
    CHECK(sequence->output.take().text == "over and ");
}

TEST_CASE("sequence: the answer ends at max_tokens, with what a stop held back", "[serve]") {
    const Held sequence = make_sequence("p", 3, 1, {"cd"});
    CHECK_FALSE(sequence->accept('a'));
    CHECK_FALSE(sequence->accept('b'));
    CHECK(sequence->accept('c'));
    CHECK(sequence->finish == Finish::length);
    CHECK(sequence->output.take().text == "abc");
}

TEST_CASE("fake model: rows that do not go on where their slot ends fail the step", "[serve]") {
    FakeModel model(1, 8, std::chrono::microseconds(0));
    Step step;
    const auto row = [](std::uint32_t slot, std::uint32_t count, bool fresh, bool sample) {
        return Row{.slot = slot,
                   .first = 0,
                   .count = count,
                   .fresh = fresh,
                   .sample = sample,
                   .sampling = {},
                   .token = 0};
    };
    step.tokens = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'};
    step.rows = {row(1, 1, true, true)};
    CHECK_FALSE(model.step(step)); // no such slot
    step.rows = {row(0, 9, true, true)};
    CHECK_FALSE(model.step(step)); // longer than the context
    step.rows = {row(0, 2, true, true)};
    CHECK(model.step(step));
    step.rows = {row(0, 1, false, true)};
    CHECK_FALSE(model.step(step)); // not the token it chose
}
