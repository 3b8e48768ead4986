// SPDX-License-Identifier: ISC
#include "nrt/client/client.hpp"
#include "support/loops.hpp"
#include "support/process_threads.hpp"

#include <nrt/nrt_xtc.h>
#include <xtc_exec.h>
#include <xtc_res.h>

#include <thread>

using namespace client;
using namespace xtc::test;

namespace {

class Lent {
public:
    explicit Lent(xtc_exec_t* exec) { REQUIRE(nrt_xtc_use_exec(exec) == NRT_SUCCESS); }
    ~Lent() { CHECK(nrt_xtc_use_exec(nullptr) == NRT_SUCCESS); }
};

} // namespace

TEST_CASE("On the host's executor init makes no thread, and no fiber before a request", "[nrt][host_exec]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    const TestExec exec(2);
    const Lent lent(exec);
    const int before = threads_of_process();
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    CHECK(threads_of_process() == before);
    for (int i = 0; i < 2; ++i) CHECK(xtc_res_used(xtc_loop_res(exec.loop(i)), XTC_RES_TASKS) == 0);
    CHECK(nrt_xtc_use_exec(exec) == NRT_FAILURE); // too late to change
    nrt_close();
    CHECK(threads_of_process() == before);
    CHECK(nrt_xtc_use_exec(nullptr) == NRT_SUCCESS); // back to loops of the runtime's own
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    CHECK(threads_of_process() > before);
    nrt_close();
}

TEST_CASE("A fiber of the host goes through a whole life", "[nrt][host_exec][threads]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    TestExec exec(2);
    const Lent lent(exec);
    std::string back(5, '?');
    NRT_STATUS worst = NRT_SUCCESS;
    exec.proc(0, [&] {
        const auto note = [&](NRT_STATUS status) {
            if (status != NRT_SUCCESS) worst = status;
        };
        for (int life = 0; life < 3; ++life) {
            nrt_tensor_t* tensor = nullptr;
            note(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""));
            note(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 5, "t", &tensor));
            note(nrt_tensor_write(tensor, "hello", 0, 5));
            note(nrt_tensor_read(tensor, back.data(), 0, 5));
            nrt_tensor_free(&tensor);
            nrt_close();
        }
    });
    exec.run();
    CHECK(worst == NRT_SUCCESS);
    CHECK(back == "hello");
}

TEST_CASE("A fiber of any loop goes through a life on threads of the runtime's own",
          "[nrt][host_exec][threads]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    NRT_STATUS opened = NRT_FAILURE;
    TestLoop loop;
    loop.proc([&] {
        opened = nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
        nrt_close();
    });
    loop.run();
    CHECK(opened == NRT_SUCCESS);
    nrt_tensor_t* tensor = nullptr;
    CHECK(nrt_tensor_allocate_empty("t", &tensor) == NRT_CLOSED);
}

TEST_CASE("In a plain task, where nothing can wait, init is refused and close does nothing",
          "[nrt][host_exec]") {
    const Runtime runtime;
    TestLoop loop;
    NRT_STATUS status = NRT_SUCCESS;
    REQUIRE(xtc_task_spawn(
                loop,
                [](xtc_task_t*, void* out) {
                    nrt_close();
                    *static_cast<NRT_STATUS*>(out) = nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
                    return XTC_TASK_DONE;
                },
                &status, nullptr) == XTC_OK);
    loop.run();
    CHECK(status == NRT_INVALID);
    const Tensor still_open(8);
    still_open.write("x");
}

TEST_CASE("A fiber that is killed in init or close finishes it first", "[nrt][host_exec][threads]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    TestLoop loop;
    NRT_STATUS opened = NRT_FAILURE;
    bool went_on = false;
    const xtc_pid_t victim = loop.proc([&] {
        opened = nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
        went_on = true;
    });
    loop.proc([&] { (void)xtc_exit_pid(victim, 1); }); // who has not parked is gone by now
    loop.run();
    CHECK((went_on || opened == NRT_FAILURE)); // by then it had either returned or was never heard of again
    const Tensor works(8);
    works.write("ok");
    const xtc_pid_t closer = loop.proc([] { nrt_close(); });
    loop.proc([&] { (void)xtc_exit_pid(closer, 1); });
    loop.run();
    nrt_tensor_t* tensor = nullptr;
    CHECK(nrt_tensor_allocate_empty("t", &tensor) == NRT_CLOSED);
}
