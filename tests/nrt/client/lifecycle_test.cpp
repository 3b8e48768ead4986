// SPDX-License-Identifier: ISC
#include "nrt/client/packages.hpp"

#include <nrt/nrt_xtc.h>
#include <xtc.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/process_threads.hpp"

using namespace client;
using xtc::test::thread_names;
using xtc::test::threads_of_process;

extern char** environ;

int client::run_fresh(const char* test_case) {
    std::string program = "/proc/self/exe";
    std::string name = test_case;
    char* arguments[] = {program.data(), name.data(), nullptr};
    pid_t child = 0;
    posix_spawn_file_actions_t actions; // standard output is for our own report
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    const int rc = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (rc != 0) return -1;
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

namespace {

std::string printed_environment() {
    int pipe_ends[2];
    REQUIRE(::pipe(pipe_ends) == 0);
    CHECK(nrt_xtc_print_env(pipe_ends[1]) == NRT_SUCCESS);
    ::close(pipe_ends[1]);
    std::string text;
    char part[512];
    for (ssize_t got; (got = ::read(pipe_ends[0], part, sizeof part)) > 0;)
        text.append(part, static_cast<size_t>(got));
    ::close(pipe_ends[0]);
    return text;
}

// Every gated call that answers with a status, each with arguments that would also be wrong: the state is
// asked first.
void check_all_refuse(NRT_STATUS expected) {
    nrt_tensor_t* tensor = nullptr;
    nrt_tensor_set_t* set = nullptr;
    char buffer[8] = {};
    CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, -1, 0, nullptr, &tensor) == expected);
    CHECK(nrt_tensor_allocate_empty(nullptr, nullptr) == expected);
    CHECK(nrt_tensor_attach_buffer(nullptr, nullptr, 0) == expected);
    CHECK(nrt_tensor_allocate_slice(nullptr, 0, 0, nullptr, nullptr) == expected);
    CHECK(nrt_tensor_read(nullptr, buffer, 0, 1) == expected);
    CHECK(nrt_tensor_write(nullptr, buffer, 0, 1) == expected);
    CHECK(nrt_tensor_read_batch(nullptr, 1, false) == expected);
    CHECK(nrt_tensor_write_batch(nullptr, 1, true) == expected);
    CHECK(nrt_tensor_copy(nullptr, 0, nullptr, 0, 1) == expected);
    CHECK(nrt_tensor_memset(nullptr, 0, 0, 1) == expected);
    CHECK(nrt_tensor_get_device_allocation_info(nullptr, nullptr) == expected);
    CHECK(nrt_allocate_tensor_set(&set) == expected);
    CHECK(nrt_add_tensor_to_tensor_set(nullptr, nullptr, nullptr) == expected);
    CHECK(nrt_get_tensor_from_tensor_set(nullptr, nullptr, nullptr) == expected);
    CHECK(nrt_get_vnc_memory_stats(0, nullptr, 0, nullptr) == expected);
    CHECK(nrt_get_attached_efa_bdf(nullptr, nullptr, nullptr) == expected);
    CHECK(nrt_get_dmabuf_fd(0, 0, nullptr) == expected);
    CHECK(nrt_get_hbm_mmap_va(0, 0, nullptr, nullptr) == expected);
    CHECK(tensor == nullptr);
    CHECK(set == nullptr);
}

} // namespace

TEST_CASE("fresh: before init every gated call is refused", "[.]") {
    check_all_refuse(NRT_UNINITIALIZED);
    CHECK(nrt_tensor_get_va(nullptr) == nullptr);
    nrt_close(); // has nothing to close
    check_all_refuse(NRT_UNINITIALIZED);
}
TEST_CASE("Before init every gated call answers NRT_UNINITIALIZED", "[nrt][lifecycle]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    CHECK(run_fresh("fresh: before init every gated call is refused") == 0);
}

TEST_CASE("After close every gated call answers NRT_CLOSED, and init makes them work again",
          "[nrt][lifecycle]") {
    for (int life = 0; life < 3; ++life) {
        {
            const Runtime runtime;
            const Tensor tensor(16);
            tensor.write("alive");
            CHECK(tensor.read(0, 5) == "alive");
        }
        check_all_refuse(NRT_CLOSED);
        nrt_close(); // once more does nothing
        check_all_refuse(NRT_CLOSED);
    }
}

TEST_CASE("A second init while the first holds does nothing", "[nrt][lifecycle]") {
    const Runtime runtime;
    const Tensor tensor(16);
    tensor.write("kept");
    CHECK(nrt_init(NRT_FRAMEWORK_TYPE_PYTORCH, nullptr, nullptr) == NRT_SUCCESS);
    CHECK(tensor.read(0, 4) == "kept");
    nrt_close(); // one close is enough for both
    check_all_refuse(NRT_CLOSED);
}

TEST_CASE("fresh: a failed init leaves the state", "[.]") {
    {
        const Variable bad("XTC_NRT_VNC_COUNT", "0");
        CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_INVALID);
    }
    {
        const Variable count("XTC_NRT_VNC_COUNT", "2");
        const Variable bad("NEURON_RT_VISIBLE_CORES", "1-2");
        CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_FAILURE);
    }
    {
        const Variable bad("XTC_IO_BACKEND", "carrier-pigeon");
        CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_INVALID);
    }
    CHECK(nrt_init(NRT_FRAMEWORK_TYPE_INVALID, "", "") == NRT_INVALID);
    CHECK(nrt_init(static_cast<nrt_framework_type_t>(6), "", "") == NRT_INVALID);
    check_all_refuse(NRT_UNINITIALIZED);
    CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    nrt_close();
}
TEST_CASE("An init that fails changes nothing, and a later one works", "[nrt][lifecycle]") {
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    CHECK(run_fresh("fresh: a failed init leaves the state") == 0);
}

TEST_CASE("The cores' threads are named and gone after close", "[nrt][lifecycle]") {
    const Variable count("XTC_NRT_VNC_COUNT", "1");
    const auto before = thread_names();
    {
        const Runtime runtime;
        const auto during = thread_names();
        CHECK(during.count("nrt-xu") == 1); // has started the others
        CHECK(during.count("nrt-xu/0") == 1);
        CHECK(during.count("nrt-xu/1") == 0);
    }
    CHECK(thread_names() == before);
}

TEST_CASE("There are no more loops than processors, however many cores", "[nrt][lifecycle]") {
    const Variable count("XTC_NRT_VNC_COUNT", "128");
    const int before = threads_of_process();
    const Runtime runtime;
    CHECK(threads_of_process() - before <= xtc_ncpus() + 1);
    const auto names = thread_names();
    CHECK(names.count("nrt-xu/0") == 1);
    CHECK(names.count("nrt-xu/" + std::to_string(std::min(128, xtc_ncpus()) - 1)) == 1);
}

TEST_CASE("The runtime's threads block every signal but faults, and no handler is installed",
          "[nrt][lifecycle]") {
    const auto handlers = [] {
        std::vector<void (*)(int)> all;
        for (int number = 1; number < NSIG; ++number) {
            struct sigaction now {};
            if (::sigaction(number, nullptr, &now) == 0) all.push_back(now.sa_handler);
        }
        return all;
    };
    const auto before = handlers();
    const Runtime runtime;
    CHECK(Unary(262144).run(Model(builtin("copy", "{}", "[65536]"))) == NRT_SUCCESS);
    CHECK(handlers() == before);
    int looked_at = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "status");
        std::string name, word;
        for (std::string line; std::getline(file, line);) {
            if (line.rfind("Name:\t", 0) == 0) name = line.substr(6);
            if (line.rfind("SigBlk:\t", 0) == 0) word = line.substr(8);
        }
        if (name.rfind("nrt-", 0) != 0) continue;
        CAPTURE(name);
        ++looked_at;
        const uint64_t blocked = std::stoull(word, nullptr, 16);
        const auto blocks = [blocked](int number) { return (blocked >> (number - 1) & 1) != 0; };
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGALRM, SIGPIPE})
            CHECK(blocks(number));
        for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
            CHECK_FALSE(blocks(number));
    }
    CHECK(looked_at >= 3); // nrt-xu, nrt-xu/0 and nrt-dev/0
}

TEST_CASE("The environment is read at init and then no more", "[nrt][lifecycle]") {
    const Variable count("XTC_NRT_VNC_COUNT", "6");
    const Runtime runtime;
    const Variable later("XTC_NRT_VNC_COUNT", "9");
    uint32_t cores = 0;
    CHECK(nrt_get_total_vnc_count(&cores) == NRT_SUCCESS);
    CHECK(cores == 6);
    const std::string text = printed_environment();
    CHECK_THAT(text, Catch::Matchers::Contains("XTC_NRT_VNC_COUNT=6\n"));
    CHECK_THAT(text, Catch::Matchers::Contains("XTC_IO_BACKEND=")); // what the loops look for is there too
}

TEST_CASE("The environment goes to descriptors that are open for writing", "[nrt][lifecycle]") {
    CHECK(nrt_xtc_print_env(-1) == NRT_INVALID);
    CHECK(nrt_xtc_print_env(1 << 20) == NRT_INVALID);
    const int readable = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(nrt_xtc_print_env(readable) == NRT_INVALID);
    ::close(readable);
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    CHECK(nrt_xtc_print_env(full) == NRT_FAILURE);
    ::close(full);
}

TEST_CASE("After close the environment is printed as it is at the moment, malformed or not",
          "[nrt][lifecycle]") {
    { const Runtime runtime; }
    const Variable bad("XTC_NRT_VNC_COUNT", "many");
    CHECK_THAT(printed_environment(), Catch::Matchers::Contains("XTC_NRT_VNC_COUNT=many\n"));
}

// SIGPIPE ended the process.
TEST_CASE("A pipe that nobody reads is no reason to die", "[nrt][lifecycle]") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    ::close(ends[0]);
    CHECK(nrt_xtc_print_env(ends[1]) == NRT_FAILURE);
    {
        const Variable loud("NEURON_RT_LOG_LEVEL", "TRACE");
        const int err = ::dup(STDERR_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        const NRT_STATUS status = nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""); // says what it does
        nrt_close();
        ::dup2(err, STDERR_FILENO);
        ::close(err);
        CHECK(status == NRT_SUCCESS);
    }
    ::close(ends[1]);
    sigset_t pending;
    ::sigpending(&pending);
    CHECK(::sigismember(&pending, SIGPIPE) == 0);
    const Runtime quiet_again;
}

TEST_CASE("Close waits for calls under way; none is torn by it", "[nrt][lifecycle][threads]") {
    // Callers run against a runtime that comes and goes. Each answer is one of the three of its states.
    const Variable quiet("NEURON_RT_LOG_LEVEL", "QUIET");
    std::atomic<bool> go_on{true};
    std::atomic<int> odd{0};
    std::atomic<int> served{0};
    std::vector<std::thread> callers;
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
    for (int i = 0; i < 3; ++i)
        callers.emplace_back([&] {
            while (go_on) {
                nrt_tensor_t* tensor = nullptr;
                uint32_t cores = 0;
                const NRT_STATUS status =
                    nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 64, "t", &tensor);
                if (status == NRT_SUCCESS)
                    ++served;
                else if (status != NRT_CLOSED)
                    ++odd;
                if (nrt_get_visible_vnc_count(&cores) != NRT_SUCCESS) ++odd;
                if ((status == NRT_SUCCESS) != (tensor != nullptr)) ++odd;
                nrt_tensor_free(&tensor);
            }
        });
    while (served == 0 && odd == 0) std::this_thread::yield();
    std::thread other([&] {
        for (int i = 0; i < 20; ++i) {
            const NRT_STATUS status = nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
            if (status != NRT_SUCCESS && status != NRT_CLOSED) ++odd; // closed: the other one is closing
        }
    });
    for (int i = 0; i < 20; ++i) {
        nrt_close();
        const NRT_STATUS status = nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
        if (status != NRT_SUCCESS) ++odd;
    }
    other.join();
    nrt_close();
    go_on = false;
    for (auto& caller : callers) caller.join();
    CHECK(odd == 0);
    CHECK(served > 0);
}
