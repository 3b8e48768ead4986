// SPDX-License-Identifier: ISC
#include "nrt/client/client.hpp"

#include <nrt/nrt_xtc.h>

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace client;

namespace {

// What check() returns in a forked child; 0 is good.
template <class Check> int in_child(const Check& check) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(check());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_CASE("A child of an initialised process is refused, and its parent goes on", "[nrt][fork]") {
    const Variable count("XTC_NRT_VNC_COUNT", "3");
    const Runtime runtime;
    Tensor tensor(16);
    CHECK(in_child([&] {
              char buffer[4];
              uint32_t cores = 0;
              if (nrt_tensor_read(tensor, buffer, 0, 4) != NRT_FAILURE) return 1;
              if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_FAILURE) return 2;
              if (nrt_init(NRT_FRAMEWORK_TYPE_INVALID, "", "") != NRT_FAILURE)
                  return 8; // the state comes first
              if (nrt_xtc_use_exec(nullptr) != NRT_FAILURE) return 3;
              ::setenv("XTC_NRT_VNC_COUNT", "5", 1); // asked before the fork, and once
              if (nrt_get_visible_vnc_count(&cores) != NRT_SUCCESS || cores != 3) return 4;
              if (nrt_tensor_get_va(tensor) != nullptr) return 5;
              nrt_close(); // nothing that is the child's to close
              if (nrt_tensor_memset(tensor, 0, 0, 1) != NRT_FAILURE) return 6;
              nrt_tensor_free(&tensor.handle); // memory is
              return tensor.handle == nullptr ? 0 : 7;
          }) == 0);
    tensor.write("here");
    CHECK(tensor.read(0, 4) == "here");
}

// The lock of the callback stayed with a thread that the child does not have.
TEST_CASE("A child can set the callback, whoever set it during the fork", "[nrt][fork][threads]") {
    const Runtime runtime;
    std::atomic<bool> stop{false};
    std::thread setter([&] {
        while (!stop) nrt_register_async_exec_callback(nullptr, nullptr);
    });
    int bad = 0;
    for (int i = 0; i < 100; ++i)
        bad += in_child([] {
                   ::alarm(20); // instead of a hang
                   return static_cast<int>(nrt_register_async_exec_callback(nullptr, nullptr));
               }) != 0;
    stop = true;
    setter.join();
    CHECK(bad == 0);
}

TEST_CASE("A child does not wait for outputs that nothing will write there", "[nrt][fork]") {
    const Runtime runtime;
    const Tensor tensor(16);
    CHECK(in_child([&] { return static_cast<int>(nrt_tensor_check_output_completion(tensor, -1, 1)); }) ==
          NRT_FAILURE);
    CHECK(in_child([&] { return static_cast<int>(nrt_tensor_check_output_completion(tensor, -1, 0)); }) ==
          NRT_SUCCESS);
}

TEST_CASE("A child of a closed process can init", "[nrt][fork]") {
    { const Runtime runtime; }
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    CHECK(in_child([] {
              char buffer[4];
              if (nrt_tensor_read(nullptr, buffer, 0, 4) != NRT_CLOSED) return 1;
              if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS) return 2;
              nrt_tensor_t* tensor = nullptr;
              if (nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 8, "t", &tensor) != NRT_SUCCESS)
                  return 3;
              nrt_tensor_free(&tensor);
              nrt_close();
              return nrt_tensor_read(nullptr, buffer, 0, 4) == NRT_CLOSED ? 0 : 4;
          }) == 0);
}

TEST_CASE("fresh: fork before init", "[.]") {
    CHECK(in_child([] {
              char buffer[4];
              if (nrt_tensor_read(nullptr, buffer, 0, 4) != NRT_UNINITIALIZED) return 1;
              if (nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") != NRT_SUCCESS) return 2;
              nrt_close();
              return 0;
          }) == 0);
    CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    nrt_close();
}
TEST_CASE("A fork before init leaves both sides to init for themselves", "[nrt][fork]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    CHECK(run_fresh("fresh: fork before init") == 0);
}
