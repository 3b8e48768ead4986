// SPDX-License-Identifier: ISC
// What a user is told when io_uring cannot be had: the cause, the consequence and the remedy, in one sentence
// each.
#pragma once

namespace xtc {

struct Teller {
    void (*say)(void* context, const char* sentence) = nullptr;
    void* context = nullptr;

    void operator()(const char* sentence) const {
        if (say != nullptr) say(context, sentence);
    }
};

// `error`: the negative errno of the refusal. `falls_back`: epoll takes over; otherwise io_uring was asked
// for.
void tell_refusal(const Teller& tell, int error, bool falls_back) noexcept;

} // namespace xtc
