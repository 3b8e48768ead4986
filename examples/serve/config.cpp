// SPDX-License-Identifier: ISC
#include "config.hpp"

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace serve {
namespace {

struct Option {
    const char* name;
    const char* value; // what it takes; NULL for nothing
    const char* help;
    bool (*set)(Config&, std::string_view);
};

std::optional<std::int64_t> number(std::string_view text, std::int64_t lowest, std::int64_t highest) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (value < lowest || value > highest) return std::nullopt;
    return value;
}

template <class T> bool set(T& field, std::string_view text, std::int64_t lowest, std::int64_t highest) {
    const auto value = number(text, lowest, highest);
    if (value) field = static_cast<T>(*value);
    return value.has_value();
}

bool set_seconds(std::int64_t& field_ns, std::string_view text) {
    if (!set(field_ns, text, 1, 86'400)) return false;
    field_ns *= 1'000'000'000;
    return true;
}

using View = std::string_view;

const Option options[] = {
    {"--host", "ADDRESS", "listen there (127.0.0.1)",
     [](Config& c, View v) { return c.host = v, !v.empty(); }},
    {"--port", "N", "listen on this port, 0 for a free one (8080)",
     [](Config& c, View v) { return set(c.port, v, 0, 65'535); }},
    {"--io-loops", "N", "loops that serve connections, beside the device's (1)",
     [](Config& c, View v) { return set(c.io_loops, v, 1, 256); }},
    {"--max-connections", "N", "connections at a time (1024)",
     [](Config& c, View v) { return set(c.max_connections, v, 1, 1'000'000); }},
    {"--model", "FILE", "weights of the model, or the word fake (fake)",
     [](Config& c, View v) { return c.model = v, !v.empty(); }},
    {"--max-active", "N", "requests computed together; 1 is batching off (16)",
     [](Config& c, View v) { return set(c.engine.max_active, v, 1, 4096); }},
    {"--max-queued", "N", "requests that may wait; more are answered 429 (256)",
     [](Config& c, View v) { return set(c.engine.max_queued, v, 1, 1'000'000); }},
    {"--kv-tokens", "N", "tokens the active may need together (what they can at most)",
     [](Config& c, View v) { return set(c.engine.kv_tokens, v, 1, INT64_MAX); }},
    {"--step-tokens", "N", "tokens computed in a step at most (64)",
     [](Config& c, View v) { return set(c.engine.step_tokens, v, 1, 65'536); }},
    {"--fake-step-us", "N", "microseconds for a step of the fake model (500)",
     [](Config& c, View v) { return set(c.fake_step_us, v, 0, 60'000'000); }},
    {"--fake-context", "N", "context of the fake model, in tokens (4096)",
     [](Config& c, View v) { return set(c.fake_context, v, 2, 1 << 24); }},
    {"--idle-s", "N", "seconds a connection may do nothing (60)",
     [](Config& c, View v) { return set_seconds(c.http.idle_ns, v); }},
    {"--request-s", "N", "seconds a header, and again a body, may take to arrive (10)",
     [](Config& c, View v) { return set_seconds(c.http.header_ns, v); }},
    {"--write-s", "N", "seconds a client may take for one piece of an answer (30)",
     [](Config& c, View v) { return set_seconds(c.http.write_ns, v); }},
    {"--drain-s", "N", "seconds to finish what is there after SIGTERM (10)",
     [](Config& c, View v) { return set_seconds(c.drain_ns, v); }},
    {"--help", nullptr, "this", [](Config& c, View) { return c.help = true; }},
};

const Option* find(const char* name) {
    for (const Option& option : options) {
        if (std::strcmp(option.name, name) == 0) return &option;
    }
    return nullptr;
}

} // namespace

bool parse_config(int argc, char** argv, Config& config, std::string& trouble) {
    for (int i = 1; i < argc; ++i) {
        const Option* option = find(argv[i]);
        if (option == nullptr) {
            trouble = std::string("there is no option ") + argv[i];
            return false;
        }
        if (option->value != nullptr && i + 1 == argc) {
            trouble = std::string(option->name) + " takes a value: " + option->value;
            return false;
        }
        const char* value = option->value != nullptr ? argv[++i] : "";
        if (!option->set(config, value)) {
            trouble = std::string(option->name) + " does not take '" + value + "'";
            return false;
        }
    }
    return true;
}

std::string config_help() {
    std::string out =
        "usage: xtc-serve [options]\n"
        "Serves text completions of a language model over HTTP, in the wire format of OpenAI's API.\n\n";
    for (const Option& option : options) {
        std::string left = std::string("  ") + option.name;
        if (option.value != nullptr) left += std::string(" ") + option.value;
        left.resize(std::max<std::size_t>(left.size() + 1, 26), ' ');
        out += left + option.help + "\n";
    }
    return out + "\nSIGTERM and SIGINT: finish what is there and end; a second one: cancel it and end.\n";
}

} // namespace serve
