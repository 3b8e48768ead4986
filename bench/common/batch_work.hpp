// SPDX-License-Identifier: ISC
// What a step does for one request, on all sides of the batch benchmarks.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

struct Request {
    std::uint64_t value = 0;
    std::uint64_t steps_left = 1;
};

// true: it is done.
inline bool one_step(Request& request) {
    request.value = request.value * 31 + request.steps_left;
    return --request.steps_left == 0;
}

// What a server without an engine keeps of its batch, and how it steps it.
struct Batch {
    std::vector<Request*> members;
    std::uint64_t completed = 0, checksum = 0, steps = 0;

    void step() {
        ++steps;
        std::size_t kept = 0;
        for (Request* request : members) {
            if (!one_step(*request)) {
                members[kept++] = request;
                continue;
            }
            ++completed;
            checksum += request->value;
        }
        members.resize(kept);
    }
};

inline std::vector<Request> requests(std::uint64_t n, std::uint64_t steps = 1) {
    std::vector<Request> all(n);
    for (std::uint64_t i = 0; i < n; ++i) all[i] = {i, steps};
    return all;
}

} // namespace bench
