// SPDX-License-Identifier: ISC
// What the log says of calls that are refused: the vendor's words, which clients search for.
#include "nrt/client/packages.hpp"

#include <algorithm>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "support/stderr_text.hpp"

using namespace client;

namespace {

void init_with_level(const char* level) {
    const Variable variable("NEURON_RT_LOG_LEVEL", level);
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
}

template <class Call> std::string said_by(const Call& call) {
    test::StderrText text;
    call();
    return text.take();
}

} // namespace

TEST_CASE("fresh: the log names the state that refuses", "[.]") {
    const auto refused = [](NRT_STATUS expected) {
        return said_by([&] { CHECK(nrt_tensor_read(nullptr, nullptr, 0, 0) == expected); });
    };
    CHECK(refused(NRT_UNINITIALIZED) == "NRT ERROR: NRT uninitialized\n"); // ERROR is logged before any init
    init_with_level("WARN");
    std::string in_child;
    {
        test::StderrText text;
        const pid_t child = ::fork();
        if (child == 0) ::_exit(nrt_tensor_read(nullptr, nullptr, 0, 0));
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(WEXITSTATUS(status) == NRT_FAILURE);
        in_child = text.take();
    }
    CHECK(in_child == "NRT ERROR: Incompatible runtime state: NRT_STATE_CHILD\n");
    nrt_close();
    CHECK(refused(NRT_CLOSED) == "NRT WARN: NRT already closed\n");
}
TEST_CASE("A refusal by the state is logged in the vendor's words", "[nrt][log]") {
    CHECK(run_fresh("fresh: the log names the state that refuses") == 0);
}

TEST_CASE("A missing argument is logged by its name, a missing core by its number", "[nrt][log]") {
    const Variable cores("XTC_NRT_VNC_COUNT", "2");
    init_with_level("ERROR");
    nrt_tensor_t* tensor = nullptr;
    CHECK(said_by([&] { CHECK(nrt_tensor_allocate_empty("t", nullptr) == NRT_INVALID); }) ==
          "NRT ERROR: tensor is NULL\n");
    CHECK(said_by([&] {
              CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 2, 8, "t", &tensor) == NRT_INVALID);
          }) == "NRT ERROR: Failed to find logical core (lnc_idx=2)\n");
    nrt_close();
}

TEST_CASE("Nothing is logged at QUIET, and a good call logs nothing at ERROR", "[nrt][log]") {
    init_with_level("QUIET");
    CHECK(said_by([] { CHECK(nrt_tensor_read(nullptr, nullptr, 0, 0) == NRT_INVALID); }).empty());
    nrt_close();
    CHECK(said_by([] {
              init_with_level("ERROR");
              CHECK(Unary().run(Model(builtin("copy"))) == NRT_SUCCESS);
              nrt_close();
          }).empty());
}

TEST_CASE("A failed execution that nobody is told of is logged", "[nrt][log][async]") {
    const Variable inflight("NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "2");
    REQUIRE(nrt_register_async_exec_callback(nullptr, nullptr) == NRT_SUCCESS);
    const std::string said = said_by([] {
        init_with_level("ERROR");
        CHECK(Unary().run(Model(builtin("copy"))) == NRT_SUCCESS);
        CHECK(Unary().run(Model(builtin("nan"))) == NRT_SUCCESS);
        nrt_close();
    });
    CHECK_THAT(said, Catch::Matchers::Contains("failed: NRT_EXEC_COMPLETED_WITH_NUM_ERR\n"));
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
}

TEST_CASE("A package that is refused is logged with what is wrong", "[nrt][log]") {
    const Variable refuse("XTC_NRT_ALLOW_NATIVE", "0");
    init_with_level("ERROR");
    nrt_model_t* model = nullptr;
    const auto load = [&](const std::string& package) {
        return said_by([&] { CHECK(nrt_load(package.data(), package.size(), 0, 1, &model) != NRT_SUCCESS); });
    };
    CHECK_THAT(load("no tar"), Catch::Matchers::StartsWith("NRT ERROR: nrt_load: "));
    std::string neff(2048, '\0');
    const uint64_t head[] = {2, 1024, 1024, 2, 0};
    neff.replace(0, sizeof head, reinterpret_cast<const char*>(head), sizeof head);
    neff.replace(1024, 3, "\x1f\x8b\x08");
    CHECK_THAT(load(neff), Catch::Matchers::Contains("this is a NEFF"));
    nrt_close();
}
