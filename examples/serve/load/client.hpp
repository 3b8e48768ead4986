// SPDX-License-Identifier: ISC
// The load's clients: each streams one completion after the other and notes when its text came.
#pragma once

#include <cstdint>
#include <string>

#include "http_client.hpp"
#include "report.hpp"

namespace load {

struct Plan {
    Target target;
    std::string model;
    std::uint64_t requests = 64;
    int max_tokens = 64;
    std::uint64_t leave_every = 0;
};

// Shared by the clients, which are processes of one loop.
class Load {
public:
    Load(const Plan& plan, int clients) : plan(plan), clients_(clients) {}

    Plan plan;
    Report report;

    // Learns the model's name and the counters before; false, and a failure noted, when the server does not
    // answer.
    bool look_around();
    void begin();
    // One client, until all requests are taken.
    void run_client();
    bool clients_running() const { return clients_ > 0; }
    // Learns the counters after.
    void end();

    std::uint64_t done() const { return report.answered + report.left + report.failed; }

private:
    class Stream;

    bool read_counters(double& steps, double& members);
    void stream_one(HttpClient& client, std::uint64_t number);

    int clients_;
    std::uint64_t taken_ = 0;
    std::int64_t began_ns_ = 0;
    double steps_before_ = 0;
    double members_before_ = 0;
};

} // namespace load
