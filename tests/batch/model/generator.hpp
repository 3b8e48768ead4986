// SPDX-License-Identifier: ISC
//
// Draws scripts. A step is drawn with the model in view, so that handles are mostly ones that mean something,
// but what is drawn is only numbers.
#pragma once

#include "base/prng.hpp"
#include "batch/model/duel.hpp"
#include "batch/model/script.hpp"

#include <array>

namespace model {

class Generator {
public:
    explicit Generator(uint64_t seed);

    Script begin(); // the making, no steps yet
    int length() const { return length_; }
    Step next(const Duel& duel);

private:
    bool chance(uint32_t percent) { return below(100) < percent; }
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(draw_.below(n)); }
    int handle(const Duel& duel);
    int charge(const Duel& duel);
    Step turn(const Duel& duel);
    bool draw_end_of_operation(const Duel& duel, Step* step);
    void draw_call(const Duel& duel, Step& turn);

    xtc::Prng draw_;
    int length_;
    std::array<uint32_t, kActs> weights_; // of this run
    uint32_t oddness_;                    // how often something is not the plainest
    bool exits_;
    bool ends_early_;
    int drawn_ = 0;
};

} // namespace model
