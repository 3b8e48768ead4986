// SPDX-License-Identifier: ISC
//
// The one place that makes an OS thread.
#pragma once

#include <pthread.h>

namespace xtc {

// A thread of the library: named, and deaf to every signal but those a fault, abort(3) or a profiler raises
// in the thread itself, so that the host's handlers run on the host's threads.
class Thread {
public:
    Thread() = default;
    ~Thread(); // must have been joined
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

    // `name` is cut to 15 bytes. XTC_OK, XTC_E_NOMEM or XTC_E_RESOURCE; on failure nothing runs.
    int start(const char* name, void (*body)(void*), void* arg) noexcept;
    void join() noexcept;
    bool is_started() const noexcept { return started_; }
    pthread_t native() const noexcept { return id_; }

private:
    pthread_t id_{};
    bool started_ = false;
};

} // namespace xtc
