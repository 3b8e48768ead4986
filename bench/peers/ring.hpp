// SPDX-License-Identifier: ISC
// An io_uring as the bare peers use it: single issuer, deferred task work, one submit-and-wait a turn.
#pragma once

#include <liburing.h>

#include <cerrno>

#include "sample.hpp"

namespace bench {

class Ring {
public:
    explicit Ring(unsigned entries, unsigned extra_flags = 0) {
        io_uring_params params{};
        params.flags =
            IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE | extra_flags;
        params.cq_entries = entries * 4 < 32768 ? entries * 4 : 32768;
        errno = -io_uring_queue_init_params(entries, &raw, &params);
        need(errno == 0, "io_uring_setup");
        io_uring_register_ring_fd(&raw);
    }
    ~Ring() { io_uring_queue_exit(&raw); }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    io_uring_sqe* sqe() {
        io_uring_sqe* s = io_uring_get_sqe(&raw);
        while (!s) {
            io_uring_submit(&raw);
            s = io_uring_get_sqe(&raw);
        }
        return s;
    }

    // Submits what is prepared, sleeps until something is complete, hands each completion to `seen`.
    template <class Seen> void turn(Seen&& seen) {
        int rc = io_uring_submit_and_wait(&raw, 1);
        if (rc < 0 && rc != -EINTR) fail(std::string("io_uring_enter: ") + std::strerror(-rc));
        unsigned head, n = 0;
        io_uring_cqe* cqe;
        io_uring_for_each_cqe(&raw, head, cqe) {
            seen(cqe);
            ++n;
        }
        io_uring_cq_advance(&raw, n);
    }

    io_uring raw{};
};

} // namespace bench
