// SPDX-License-Identifier: ISC
// What the server is told on its command line.
#pragma once

#include <cstdint>
#include <string>

#include "engine.hpp"
#include "http_connection.hpp"

namespace serve {

struct Config {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080; // 0: one that is free
    int io_loops = 1;
    std::int64_t max_connections = 1024;
    std::string model = "fake"; // or a weights file
    std::uint32_t fake_context = 4096;
    std::int64_t fake_step_us = 500;
    EngineLimits engine; // kv_tokens 0: as much as the active can use
    HttpLimits http;
    std::int64_t drain_ns = 10'000'000'000;
    bool help = false;
};

// Fills config; false with a sentence when an option is wrong.
bool parse_config(int argc, char** argv, Config& config, std::string& trouble);

std::string config_help();

} // namespace serve
