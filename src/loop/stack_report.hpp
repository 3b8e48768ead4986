// SPDX-License-Identifier: ISC
#pragma once

namespace xtc {

// An alternate signal stack for the calling thread while it lives, if the report was asked for: a fiber that
// has used up its stack has none left for a handler.
class AltStack {
public:
    AltStack();
    ~AltStack();
    AltStack(const AltStack&) = delete;
    AltStack& operator=(const AltStack&) = delete;

private:
    void* map_ = nullptr;
};

} // namespace xtc
