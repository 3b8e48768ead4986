// SPDX-License-Identifier: ISC
// A server of text completions whose requests are batched continuously. One executor: loops for the
// connections, and one for the device, whose batch group every request goes through.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>

#include <sys/eventfd.h>
#include <xtc.h>
#include <xtc_exec.h>
#include <xtc_io.h>

#include "config.hpp"
#include "fake_model.hpp"
#include "server.hpp"
#ifdef SERVE_HAS_MODEL
#include "network_model.hpp"
#endif

namespace {

using namespace serve;

int fail(const char* what, int status) {
    std::fprintf(stderr, "xtc-serve: %s: %s\n", what, xtc_strerror(status));
    return 1;
}

int stop_fd = -1;

// A wish to stop becomes a count on a descriptor that a process waits on. A handler and not a signalfd,
// because a library that is linked in may have made threads before main, where the signal cannot be blocked.
void open_stop_fd() {
    stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct sigaction action = {};
    action.sa_handler = [](int) {
        const int error = errno;
        eventfd_write(stop_fd, 1);
        errno = error;
    };
    action.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGINT, &action, nullptr);
}

std::unique_ptr<Model> make_model(const Config& config, std::string& trouble) {
    if (config.model == "fake") {
        return std::make_unique<FakeModel>(config.engine.max_active, config.fake_context,
                                           std::chrono::microseconds(config.fake_step_us));
    }
#ifdef SERVE_HAS_MODEL
    return NetworkModel::open(config.model, static_cast<std::uint32_t>(config.engine.max_active),
                              static_cast<std::uint32_t>(config.engine.step_tokens), trouble);
#else
    trouble = "this build has no model but the fake one";
    return nullptr;
#endif
}

int run(xtc_exec_t* exec, Engine& engine, Server& server, const std::string& model) {
    if (const int status = server.open(); status != XTC_OK) return fail("cannot listen", status);
    xtc_loop_t* device_loop = xtc_exec_loop(exec, xtc_exec_n_loops(exec) - 1);
    if (const int status = engine.open(device_loop); status != XTC_OK)
        return fail("cannot make the group", status);
    if (const int status = server.start(stop_fd); status != XTC_OK) return fail("cannot start", status);
    std::printf("xtc-serve: model %s on port %d (%s)\n", model.c_str(), server.port(), xtc_io_backend_name());
    std::fflush(stdout);
    if (const int status = xtc_exec_run(exec); status != XTC_OK) return fail("cannot run", status);
    if (const int status = engine.close(); status != XTC_OK) return fail("the group did not end", status);
    std::printf("xtc-serve: stopped\n");
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    Config config;
    std::string trouble;
    if (!parse_config(argc, argv, config, trouble)) {
        std::fprintf(stderr, "xtc-serve: %s (--help lists the options)\n", trouble.c_str());
        return 2;
    }
    if (config.help) {
        std::fputs(config_help().c_str(), stdout);
        return 0;
    }
    open_stop_fd();
    const std::unique_ptr<Model> model = make_model(config, trouble);
    if (!model) {
        std::fprintf(stderr, "xtc-serve: %s\n", trouble.c_str());
        return 1;
    }
    if (config.engine.kv_tokens == 0) config.engine.kv_tokens = config.engine.max_active * model->context();

    xtc_exec_t* exec = nullptr;
    if (const int status = xtc_exec_init(&exec, config.io_loops + 1); status != XTC_OK) {
        return fail("cannot make the loops", status);
    }
    int result = 1;
    {
        Metrics metrics;
        Engine engine(*model, config.engine, metrics);
        Service service = {.engine = engine,
                           .metrics = metrics,
                           .limits = {.model = model->name(), .context = model->context()},
                           .http_limits = config.http,
                           .started_s = xtc_clock_real() / 1'000'000'000,
                           .serial = static_cast<std::uint64_t>(xtc_clock_real())};
        Server server(exec, service, config);
        result = run(exec, engine, server, model->name());
        xtc_exec_fini(exec);
    }
    return result;
}
