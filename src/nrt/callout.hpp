// SPDX-License-Identifier: ISC
// Code of the client that runs inside the runtime: completion callbacks, entries of native packages, what a
// package does when it is loaded and unloaded. It may call the runtime, which must not wait there for what
// waits for this very code.
#pragma once

#include <cstdint>

#include "nrt/drop_scope.hpp"

namespace xtc::nrt {

class Callout {
public:
    enum class Kind {
        call, // inside a gated call: nrt_close would wait for it
        core, // queued work goes on when it returns
    };

    // While it is there, on the stack of the calling fiber or thread.
    explicit Callout(Kind kind) noexcept;
    ~Callout();
    Callout(const Callout&) = delete;
    Callout& operator=(const Callout&) = delete;

    // The caller is such code.
    static bool is_inside() noexcept;
    static bool is_awaited_by_core() noexcept;

private:
    void unlink() noexcept;
    static bool any(bool only_core) noexcept;

    const uint64_t fiber_; // 0: none
    const Kind kind_;
    Callout* next_;
    DropScope dropped_;
};

} // namespace xtc::nrt
