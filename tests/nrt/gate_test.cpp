// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include <nrt/nrt.h>

#include <cstdlib>

#include "nrt/gate.hpp"
#include "nrt/lifecycle.hpp"

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

TEST_CASE("An open gate shows the runtime", "[nrt][gate]") {
    ::setenv("XTC_NRT_VNC_COUNT", "5", 1);
    open_with("0");
    ::unsetenv("XTC_NRT_VNC_COUNT");
    {
        const Gate gate;
        REQUIRE(gate.is_open());
        CHECK(gate.runtime().cores().count == 5);
        CHECK(gate.runtime().loops().index_of(4) == 4 % gate.runtime().loops().count());
    }
    nrt_close();
    CHECK(Lifecycle::the().state() == State::closed);
}
