// SPDX-License-Identifier: ISC
// What every gated call does first, in the order of the guards: is the runtime initialised, and may this
// family of calls be used in its mode. Arguments come after it, then core and queue. While a Gate stands open
// nrt_close waits.
#pragma once

#include <nrt/nrt_status.h>

#include <cstdint>

#include "nrt/drop_scope.hpp"
#include "nrt/runtime.hpp"

namespace xtc::nrt {

class Gate {
public:
    enum class Family {
        any,
        explicit_async, // nrta_*: not in implicit asynchronous mode
        unlogged,       // for calls to which a closed gate is an answer like another
    };

    explicit Gate(Family family = Family::any) noexcept;
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    bool is_open() const noexcept { return refusal_ == NRT_SUCCESS; }
    NRT_STATUS refusal() const noexcept { return refusal_; }
    Runtime& runtime() const noexcept { return *runtime_; } // while it is open

private:
    void leave() noexcept;

    const uint32_t lane_;
    NRT_STATUS refusal_ = NRT_FAILURE;
    Runtime* runtime_ = nullptr;
    bool is_on_host_ = false;
    DropScope dropped_;
};

// NRT_INVALID, with a logged sentence, for a pointer that must not be NULL.
bool is_given(const void* pointer, const char* name) noexcept;

} // namespace xtc::nrt
