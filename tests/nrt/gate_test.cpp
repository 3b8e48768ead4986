// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <nrt/nrt.h>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "nrt/gate.hpp"
#include "nrt/lifecycle.hpp"
#include "nrt/log.hpp"
#include "support/stderr_text.hpp"

using namespace xtc::nrt;

namespace {

void open_with(const char* inflight) {
    ::setenv("NEURON_RT_LOG_LEVEL", "QUIET", 1);
    ::setenv("NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", inflight, 1);
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    ::unsetenv("NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS");
}

NRT_STATUS refusal(Gate::Family family) {
    return Gate(family).refusal();
}

} // namespace

TEST_CASE("Explicit asynchronous calls are refused in implicit mode, all others are not", "[nrt][gate]") {
    open_with("4");
    CHECK(refusal(Gate::Family::explicit_async) == NRT_FAILURE);
    CHECK(refusal(Gate::Family::any) == NRT_SUCCESS);
    nrt_close();
    open_with("0");
    CHECK(refusal(Gate::Family::explicit_async) == NRT_SUCCESS);
    nrt_close();
}

TEST_CASE("The state is asked before the mode", "[nrt][gate]") {
    open_with("4");
    nrt_close();
    CHECK(refusal(Gate::Family::explicit_async) == NRT_CLOSED);
}

TEST_CASE("A refusal by the mode is logged in the vendor's words", "[nrt][gate]") {
    open_with("4");
    set_log(LogLevel::error, LogPlace::console);
    std::string said;
    {
        test::StderrText text;
        CHECK(refusal(Gate::Family::explicit_async) == NRT_FAILURE);
        said = text.take();
    }
    CHECK(said == "NRT ERROR: Explicit async API cannot be used in implicit async mode (where "
                  "NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS is set). \n");
    nrt_close();
}

TEST_CASE("Close does not end before a call that is under way", "[nrt][gate][threads]") {
    open_with("0");
    std::atomic<bool> closed{false};
    std::optional<Gate> call(std::in_place);
    std::thread closer([&] {
        nrt_close();
        closed = true;
    });
    while (Lifecycle::the().state() != State::closed) std::this_thread::yield();
    for (int i = 0; i < 2000 && !closed; ++i) std::this_thread::yield(); // time to go wrong
    CHECK_FALSE(closed);
    call.reset();
    closer.join();
    CHECK(refusal(Gate::Family::any) == NRT_CLOSED);
}

TEST_CASE("An open gate shows the runtime", "[nrt][gate]") {
    ::setenv("XTC_NRT_VNC_COUNT", "5", 1);
    open_with("0");
    ::unsetenv("XTC_NRT_VNC_COUNT");
    {
        const Gate gate;
        REQUIRE(gate.is_open());
        CHECK(gate.runtime().cores().count == 5);
        const auto& loops = gate.runtime().loops();
        for (uint32_t core = 0; core < 5; ++core) CHECK(loops.index_of(core) == core % loops.count());
    }
    nrt_close();
    CHECK(Lifecycle::the().state() == State::closed);
}
