// SPDX-License-Identifier: ISC
// Streams completions from a server with many clients at once, each a process of one loop, and tells what
// they saw.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>
#include <xtc.h>
#include <xtc_loop.h>

#include "client.hpp"
#include "../process.hpp"

namespace {

using namespace load;

struct Options {
    Plan plan;
    int clients = 16;
    std::string variables_file;
};

constexpr char usage[] = "usage: xtc-serve-load --port N [options]\n"
                         "  --host ADDRESS        the server's (127.0.0.1)\n"
                         "  --port N              and its port\n"
                         "  --model NAME          as the server lists it (what it lists first)\n"
                         "  --clients N           at the same time (16)\n"
                         "  --requests N          altogether (64)\n"
                         "  --max-tokens N        of an answer (64)\n"
                         "  --leave-every N       every Nth request is left in the middle (0: none)\n"
                         "  --variables FILE      also write the figures there, as shell assignments\n";

bool parse(int argc, char** argv, Options& options) {
    for (int i = 1; i < argc; i += 2) {
        const std::string name = argv[i];
        if (i + 1 == argc) return false;
        const char* value = argv[i + 1];
        if (name == "--host")
            options.plan.target.host = value;
        else if (name == "--model")
            options.plan.model = value;
        else if (name == "--variables")
            options.variables_file = value;
        else if (name == "--port")
            options.plan.target.port = static_cast<std::uint16_t>(std::atoi(value));
        else if (name == "--clients")
            options.clients = std::atoi(value);
        else if (name == "--requests")
            options.plan.requests = std::strtoull(value, nullptr, 10);
        else if (name == "--max-tokens")
            options.plan.max_tokens = std::atoi(value);
        else if (name == "--leave-every")
            options.plan.leave_every = std::strtoull(value, nullptr, 10);
        else
            return false;
    }
    return options.clients > 0 && options.plan.max_tokens > 0;
}

void show_progress(const Load& load, const char* end) {
    std::printf("%s  %llu of %llu requests, %llu tokens%s", isatty(1) ? "\r" : "",
                static_cast<unsigned long long>(load.done()),
                static_cast<unsigned long long>(load.plan.requests),
                static_cast<unsigned long long>(load.report.tokens), end);
    std::fflush(stdout);
}

void run_load(Load& load, int clients, xtc_loop_t* loop) {
    if (!load.look_around()) return;
    load.begin();
    for (int i = 0; i < clients; ++i) {
        if (serve::spawn(loop, "client", [&load] { load.run_client(); }) != XTC_OK) ++load.report.failed;
    }
    const std::int64_t pause_ns = isatty(1) ? 100'000'000 : 1'000'000'000;
    std::int64_t shown_ns = xtc_clock_mono();
    while (load.clients_running() && xtc_proc_sleep(10'000'000) == XTC_OK) {
        if (xtc_clock_mono() - shown_ns < pause_ns) continue;
        show_progress(load, isatty(1) ? "" : "\n");
        shown_ns = xtc_clock_mono();
    }
    show_progress(load, "\n");
    load.end();
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        std::fputs(usage, stderr);
        return 2;
    }
    xtc_loop_t* loop = nullptr;
    if (const int status = xtc_loop_init(&loop); status != XTC_OK) {
        std::fprintf(stderr, "xtc-serve-load: no loop: %s\n", xtc_strerror(status));
        return 1;
    }
    Load load(options.plan, options.clients);
    serve::spawn(loop, "load", [&] { run_load(load, options.clients, loop); });
    xtc_loop_run(loop);
    xtc_loop_fini(loop);

    const Report& report = load.report;
    std::fputs(report.table().c_str(), stdout);
    if (!options.variables_file.empty()) std::ofstream(options.variables_file) << report.variables();
    return report.failed == 0 && report.answered > 0 ? 0 : 1;
}
