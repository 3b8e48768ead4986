// SPDX-License-Identifier: ISC
#include "batch/model/generator.hpp"

#include <numeric>

namespace model {

namespace {

// In the order of Act.
constexpr std::array<uint32_t, kActs> kWeights = {14, 14, 4, 6, 4, 6, 2, 1, 1, 40, 4, 4, 2, 1, 6, 2};

} // namespace

// Each run has its own mixture: some calls not at all, some often.
Generator::Generator(uint64_t seed) : draw_(seed), weights_(kWeights) {
    length_ = 10 + static_cast<int>(below(90));
    for (size_t i = 0; i < weights_.size(); ++i) {
        if (static_cast<Act>(i) == Act::turn) continue;
        if (chance(25)) weights_[i] = 0;
        if (chance(15)) weights_[i] *= 4;
    }
    if (chance(60)) weights_[static_cast<size_t>(Act::kill)] = 0;
    oddness_ = 5 + below(50);
    exits_ = chance(20);
    ends_early_ = chance(30);
}

Script Generator::begin() {
    Script script;
    auto& make = script.make;
    make[Make::async] = chance(80) ? 1 : 0;
    make[Make::max_active] = 1 + static_cast<int>(below(4));
    make[Make::capacity] = make[Make::max_active] + static_cast<int>(below(4));
    make[Make::units] = 1 + static_cast<int>(below(8));
    make[Make::mt] = chance(85) ? 1 + static_cast<int>(below(5)) : 0;
    make[Make::timeout] = chance(50) ? 1 + static_cast<int>(below(1000)) : 0;
    make[Make::hint] = chance(85) ? 1 : 0;
    make[Make::near_the_end] = chance(5) ? 1 + static_cast<int>(below(20)) : 0;
    return script;
}

int Generator::handle(const Duel& duel) {
    const Model& model = duel.model();
    const uint64_t base = model.limits().last_handle;
    const auto issued = static_cast<uint32_t>(model.last_handle() - base);
    const std::vector<Handle> live = model.live();
    if (!live.empty() && chance(75))
        return static_cast<int>(live[below(static_cast<uint32_t>(live.size()))] - base);
    return static_cast<int>(chance(50) ? below(issued + 2) : issued);
}

int Generator::charge(const Duel& duel) {
    const auto units = static_cast<uint32_t>(duel.model().limits().units);
    return static_cast<int>(chance(4) ? below(2) * (units + 1) : 1 + below(units));
}

void Generator::draw_call(const Duel& duel, Step& step) {
    static constexpr Act acts[] = {Act::submit_mt, Act::submit_mt, Act::cancel_mt, Act::cancel_mt,
                                   Act::resume_mt, Act::submit,    Act::cancel,    Act::resume,
                                   Act::close,     Act::destroy,   Act::stats,     Act::kill,
                                   Act::nudge};
    const Act act = acts[below(std::size(acts))];
    if (act == Act::kill && !exits_) return;
    step.a[Turn::call_in] = 1 + static_cast<int>(below(4));
    step.a[Turn::call] = static_cast<int>(act);
    step.a[Turn::argument] = act == Act::submit || act == Act::submit_mt ? charge(duel)
                             : act == Act::close || act == Act::nudge    ? static_cast<int>(below(2))
                             : act == Act::stats || act == Act::destroy  ? 0
                                                                         : handle(duel);
}

Step Generator::turn(const Duel& duel) {
    Step step;
    if (duel.model().limits().async && chance(75)) step.a[Turn::token] = static_cast<int>(below(12));
    if (chance(50)) step.a[Turn::token] = std::min(step.a[Turn::token], 3);
    for (size_t i = 0; i < 4; ++i)
        if (chance(60)) step.a[Turn::state + i] = static_cast<int>(chance(85) ? below(3) : below(7));
    if (chance(oddness_ / 4)) step.a[Turn::vector_rc] = static_cast<int>(below(3));
    if (chance(oddness_ / 4)) step.a[Turn::collect_rc] = static_cast<int>(below(3));
    if (chance(oddness_)) draw_call(duel, step);
    if (chance(oddness_ / 3)) step.a[Turn::yield_in] = 1 + static_cast<int>(below(4));
    if (exits_ && chance(4)) step.a[Turn::exit_in] = 1 + static_cast<int>(below(4));
    return step;
}

// While an operation is outstanding, what may end it is drawn more often.
bool Generator::draw_end_of_operation(const Duel& duel, Step* step) {
    if (!duel.model().is_outstanding() || !chance(30)) return false;
    const bool is_bounded = duel.model().limits().timeout_ns > 0;
    step->act = is_bounded && chance(40) ? Act::advance : Act::resolve;
    step->a[0] = static_cast<int>(step->act == Act::advance ? 1 + below(700) : chance(60) ? 0 : below(4));
    return true;
}

Step Generator::next(const Duel& duel) {
    ++drawn_;
    Step sooner;
    if (draw_end_of_operation(duel, &sooner)) return sooner;
    uint32_t at = below(std::accumulate(weights_.begin(), weights_.end(), 0u));
    size_t which = 0;
    while (at >= weights_[which]) at -= weights_[which++];
    Step step;
    step.act = static_cast<Act>(which);
    const bool is_end = step.act == Act::close || step.act == Act::kill;
    if (is_end && !ends_early_ && drawn_ * 4 < length_ * 3) return turn(duel);
    const bool malformed = chance(4);
    switch (step.act) {
    case Act::submit:
    case Act::submit_mt:
        step.a[0] = charge(duel);
        if (malformed) step.a[1] = 1 + static_cast<int>(below(3));
        break;
    case Act::cancel:
    case Act::resume:
        step.a[0] = handle(duel);
        if (malformed) step.a[1] = 2 + static_cast<int>(below(2));
        break;
    case Act::cancel_mt:
    case Act::resume_mt:
        step.a[0] = handle(duel);
        break;
    case Act::close:
        step.a[0] = chance(90) ? static_cast<int>(below(2)) : static_cast<int>(below(5)) - 2;
        if (malformed) step.a[1] = 2 + static_cast<int>(below(2));
        break;
    case Act::destroy:
        if (malformed) step.a[0] = 2;
        break;
    case Act::stats:
        step.a[0] = static_cast<int>(below(5));
        break;
    case Act::turn:
        return turn(duel);
    case Act::advance:
        step.a[0] = 1 + static_cast<int>(below(700));
        break;
    case Act::resolve:
        step.a[0] = static_cast<int>(chance(60) ? 0 : below(5));
        break;
    case Act::stall:
        step.a[0] = charge(duel);
        break;
    case Act::nudge:
        step.a[0] = static_cast<int>(below(2));
        break;
    default:
        break;
    }
    return step;
}

} // namespace model
