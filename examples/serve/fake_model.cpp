// SPDX-License-Identifier: ISC
#include "fake_model.hpp"

#include <string_view>
#include <thread>

namespace serve {
namespace {

constexpr std::string_view set_text =
    "The quick brown fox, das flinke Wiesel, η αλεπού, 狐と犬 and a 🦊 went out. ";

std::string answer_to(std::string_view prompt) {
    constexpr std::string_view mark = "echo:";
    const std::size_t at = prompt.rfind(mark);
    if (at == std::string_view::npos || at + mark.size() == prompt.size()) return std::string(set_text);
    return std::string(prompt.substr(at + mark.size()));
}

} // namespace

FakeModel::FakeModel(std::uint32_t slots, std::uint32_t context, std::chrono::microseconds step_time)
    : context_(context), step_time_(step_time), slots_(slots) {}

bool FakeModel::step(Step& step) {
    if (step_time_.count() > 0) std::this_thread::sleep_for(step_time_);
    for (Row& row : step.rows) {
        if (!take(step, row)) return false;
    }
    return true;
}

bool FakeModel::take(const Step& step, Row& row) {
    if (row.slot >= slots_.size()) return false;
    Slot& slot = slots_[row.slot];
    if (row.fresh) slot = {};
    const bool decoding = slot.said > 0;
    if (row.count == 0 || (decoding && row.count != 1) || slot.tokens.size() + row.count > context_)
        return false;
    slot.tokens.append(step.tokens.begin() + row.first, step.tokens.begin() + row.first + row.count);
    if (decoding && slot.tokens.back() != slot.answer[(slot.said - 1) % slot.answer.size()]) return false;
    if (!row.sample) return !decoding;
    if (!decoding) slot.answer = answer_to(slot.tokens);
    row.token = static_cast<std::uint8_t>(slot.answer[slot.said++ % slot.answer.size()]);
    return true;
}

} // namespace serve
