// SPDX-License-Identifier: ISC
// A thread of a model: a stack that the explorer switches to and from. It is left where it stands when an
// execution is given up; nothing is unwound.
#pragma once

#include <cstddef>
#include <memory>

namespace xtc::model {

class Strand {
public:
    // `body` starts with the first resume().
    void begin(void (*body)(void*), void* arg);
    void resume(); // from the explorer: until the strand pauses or ends
    void pause();  // from the strand
    bool has_ended() const { return ended_; }
    bool owns(const void* address) const {
        const auto* p = static_cast<const char*>(address);
        return p >= stack_.get() && p < stack_.get() + stack_size;
    }

private:
    static constexpr size_t stack_size = 128 * 1024;
    struct Entry;

    std::unique_ptr<char[]> stack_;
    void (*body_)(void*) = nullptr;
    void* arg_ = nullptr;
    void* inside_ = nullptr;  // where the strand stands
    void* outside_ = nullptr; // where its explorer does
    bool ended_ = false;
};

} // namespace xtc::model
