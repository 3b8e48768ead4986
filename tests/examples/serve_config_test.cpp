// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <vector>

#include "config.hpp"

using namespace serve;

namespace {

bool parse(std::vector<const char*> args, Config& config, std::string& trouble) {
    args.insert(args.begin(), "xtc-serve");
    return parse_config(static_cast<int>(args.size()), const_cast<char**>(args.data()), config, trouble);
}

} // namespace

TEST_CASE("config: options fill the fields", "[serve]") {
    Config config;
    std::string trouble;
    REQUIRE(parse({"--port", "0", "--max-active", "8", "--kv-tokens", "1000", "--drain-s", "3"}, config,
                  trouble));
    CHECK(config.port == 0);
    CHECK(config.engine.max_active == 8);
    CHECK(config.engine.kv_tokens == 1000);
    CHECK(config.drain_ns == 3'000'000'000);
}

TEST_CASE("config: what is wrong is said", "[serve]") {
    Config config;
    std::string trouble;
    CHECK_FALSE(parse({"--prot", "1"}, config, trouble));
    CHECK(trouble == "there is no option --prot");
    CHECK_FALSE(parse({"--port"}, config, trouble));
    CHECK(trouble == "--port takes a value: N");
    for (const char* port : {"", "65536", "-1", "8o80"}) {
        CHECK_FALSE(parse({"--port", port}, config, trouble));
        CHECK(trouble == std::string("--port does not take '") + port + "'");
    }
}

TEST_CASE("config: the help has every option", "[serve]") {
    const std::string help = config_help();
    for (const char* name : {"--port", "--model", "--max-active", "--kv-tokens", "--drain-s", "--help"}) {
        CHECK(help.find(name) != std::string::npos);
    }
}
