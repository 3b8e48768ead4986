// SPDX-License-Identifier: ISC
// `cross-loop`: two processes on two loops on two cores send each other 8 bytes; the loops sleep between,
// or look for work for up to a millisecond first.
#include <xtc_exec.h>

#include "solo.hpp"

namespace {

std::uint64_t take() {
    void* data = nullptr;
    std::size_t size = 0;
    bench::ok(xtc_recv(&data, &size, -1), "xtc_recv");
    std::uint64_t value = 0;
    std::memcpy(&value, data, sizeof value);
    xtc_free(data);
    return value;
}

void give(xtc_pid_t to, std::uint64_t value) {
    bench::ok(xtc_send(to, &value, sizeof value), "xtc_send");
}

} // namespace

int main(int argc, char** argv) {
    const bench::Options opts(argc, argv);
    const std::string variant = opts.text("variant", "parked");
    const std::uint64_t work = opts.number("work", 20'000), warm = work / 10;
    const auto cpus = bench::some_cpus(2);

    xtc_exec_t* exec = nullptr;
    bench::ok(xtc_exec_init(&exec, 2), "xtc_exec_init");
    bench::ok(xtc_exec_set_cpus(exec, cpus.data(), 2), "xtc_exec_set_cpus");
    if (variant == "spinning") bench::ok(xtc_exec_set_spin(exec, 1'000'000), "xtc_exec_set_spin");

    xtc_pid_t ping = XTC_PID_NONE, pong = XTC_PID_NONE;
    std::uint64_t done = 0, checksum = 0;
    std::int64_t took = 0;
    auto answer = [&] {
        for (std::uint64_t i = 0; i < work + warm; ++i) give(ping, take());
    };
    auto ask = [&] {
        ping = xtc_self();
        std::int64_t begun = 0;
        for (std::uint64_t i = 0; i < work + warm; ++i) {
            if (i == warm) begun = bench::now_ns();
            give(pong, i < warm ? 0 : done++);
            checksum += take();
        }
        took = bench::now_ns() - begun;
    };
    pong = bench::start(xtc_exec_loop(exec, 1), answer);
    bench::start(xtc_exec_loop(exec, 0), ask);
    bench::ok(xtc_exec_run(exec), "xtc_exec_run");
    bench::ok(xtc_exec_fini(exec), "xtc_exec_fini");
    bench::print({"cross-loop", "ours", variant, "us", double(took) / double(done) / 1e3, done, checksum});
}
