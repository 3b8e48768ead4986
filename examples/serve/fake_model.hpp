// SPDX-License-Identifier: ISC
// A model for tests: it takes a set time for a step and says what can be foretold. After a prompt with
// "echo:" in it comes what followed that, over and over; after any other, a set text. It keeps what each slot
// was given and fails the step when rows do not go on where the slot's contents end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "device.hpp"

namespace serve {

class FakeModel : public Model {
public:
    FakeModel(std::uint32_t slots, std::uint32_t context, std::chrono::microseconds step_time);

    std::string name() const override { return "fake"; }
    std::uint32_t context() const override { return context_; }
    bool step(Step& step) override;

private:
    struct Slot {
        std::string tokens;
        std::string answer;
        std::size_t said = 0;
    };

    bool take(const Step& step, Row& row);

    const std::uint32_t context_;
    const std::chrono::microseconds step_time_;
    std::vector<Slot> slots_;
};

} // namespace serve
