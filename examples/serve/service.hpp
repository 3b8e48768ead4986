// SPDX-License-Identifier: ISC
// What the handlers of all connections share.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "completion_request.hpp"
#include "engine.hpp"
#include "http_connection.hpp"
#include "metrics.hpp"

namespace serve {

struct Service {
    Engine& engine;
    Metrics& metrics;
    const RequestLimits limits;
    const HttpLimits http_limits;
    const std::int64_t started_s;
    // Numbers answers and seeds those that bring no seed.
    std::atomic<std::uint64_t> serial;
    std::atomic<bool> draining = false;
};

// One request and the means to answer it.
class Exchange {
public:
    Exchange(Service& service, HttpConnection& client, const HttpRequest& request)
        : service(service), client(client), request(request) {}

    Service& service;
    HttpConnection& client;
    const HttpRequest& request;

    bool keep_alive() const { return request.keep_alive() && !service.draining.load(); }

    // Each is false when the client does not take it.
    bool answer(unsigned status, const char* content_type, std::string body);
    bool answer(const ApiError& error, const char* allow = nullptr);
    void count(unsigned status) { service.metrics.answers[status / 100].fetch_add(1); }
};

} // namespace serve
