// SPDX-License-Identifier: ISC
#include "nrt/callout.hpp"

#include <xtc_proc.h>

#include <bit>

namespace xtc::nrt {

namespace {

// Of this thread. Fibers stay on theirs, but take turns: the one that ends need not be the latest.
thread_local Callout* first = nullptr;

uint64_t self_bits() noexcept {
    return std::bit_cast<uint64_t>(xtc_self());
}

} // namespace

Callout::Callout(Kind kind) noexcept
    : fiber_(self_bits()), kind_(kind), next_(first),
      dropped_([](void* self) { static_cast<Callout*>(self)->unlink(); }, this) {
    first = this;
}

Callout::~Callout() {
    unlink();
}

void Callout::unlink() noexcept {
    for (Callout** at = &first; *at != nullptr; at = &(*at)->next_) {
        if (*at != this) continue;
        *at = next_;
        return;
    }
}

bool Callout::any(bool only_core) noexcept {
    if (first == nullptr) return false;
    const uint64_t self = self_bits();
    for (const Callout* callout = first; callout != nullptr; callout = callout->next_)
        if (callout->fiber_ == self && (!only_core || callout->kind_ == Kind::core)) return true;
    return false;
}

bool Callout::is_inside() noexcept {
    return any(false);
}

bool Callout::is_awaited_by_core() noexcept {
    return any(true);
}

} // namespace xtc::nrt
