// SPDX-License-Identifier: ISC
//
// What counts as a fence that has fired, and whose the descriptor is.
#include "batch/story.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

using story::Story;

namespace {

// A group whose operations all wait for one descriptor.
struct Fenced : Story {
    int fence = -1;
    explicit Fenced(int64_t timeout_ns = 0) {
        on_submit = [this](const xtc_batch_item_t*, size_t, xtc_batch_exec_t* exec) {
            exec->kind = XTC_BATCH_EXEC_FENCE;
            exec->fence_fd = fence;
            return 0;
        };
        make_async({.timeout_ns = timeout_ns});
    }
    // What collect is told about an operation on that descriptor; `meanwhile` happens during the wait.
    int wait_for(int fd, const std::function<void()>& meanwhile = {}) {
        fence = fd;
        const size_t before = collects.size();
        start([this] { put(); });
        settle();
        if (meanwhile) meanwhile();
        CHECK(until([&] { return collects.size() > before; }));
        return collects.empty() ? 99 : collects.back().second;
    }
};

int socket_in_error() {
    // A connection to a port where nobody listens.
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::bind(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    socklen_t length = sizeof(address);
    CHECK(::getsockname(server, reinterpret_cast<sockaddr*>(&address), &length) == 0);
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    CHECK(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0);
    ::close(server);
    return client;
}

} // namespace

TEST_CASE("only a readable fence has fired; an error or a hang-up has not") {
    Fenced s;
    const int signalled = ::eventfd(1, EFD_CLOEXEC);
    CHECK(s.wait_for(signalled) == XTC_BATCH_EXEC_OK);
    CHECK(s.wait_for(signalled) == XTC_BATCH_EXEC_OK); // it was not read
    const int later = ::eventfd(0, EFD_CLOEXEC);
    CHECK(s.wait_for(later, [&] {
        CHECK(s.collects.size() == 2);
        const uint64_t one = 1;
        CHECK(::write(later, &one, sizeof(one)) == sizeof(one));
    }) == XTC_BATCH_EXEC_OK);

    int hung_up[2], with_data[2], writer[2];
    REQUIRE(::pipe2(hung_up, O_CLOEXEC) == 0);
    ::close(hung_up[1]);
    CHECK(s.wait_for(hung_up[0]) == XTC_E_INVAL);
    REQUIRE(::pipe2(with_data, O_CLOEXEC) == 0);
    CHECK(::write(with_data[1], "x", 1) == 1);
    ::close(with_data[1]);
    CHECK(s.wait_for(with_data[0]) == XTC_BATCH_EXEC_OK); // hung up, and readable
    REQUIRE(::pipe2(writer, O_CLOEXEC) == 0);
    CHECK(s.wait_for(writer[1], [&] { ::close(writer[0]); }) == XTC_E_INVAL); // it can be written, never read

    const int broken = socket_in_error();
    CHECK(s.wait_for(broken) == XTC_E_INVAL);
    int peers[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, peers) == 0);
    CHECK(s.wait_for(peers[0], [&] { CHECK(::write(peers[1], "x", 1) == 1); }) == XTC_BATCH_EXEC_OK);

    const int closed = ::eventfd(1, EFD_CLOEXEC);
    ::close(closed);
    CHECK(s.wait_for(closed) == XTC_E_INVAL);
    CHECK(s.wait_for(-1) == XTC_E_INVAL);
    const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    CHECK(s.wait_for(file) == XTC_E_INVAL);
    const int folder = ::open("/proc/self", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    CHECK(s.wait_for(folder) == XTC_E_INVAL);

    CHECK(s.stats().completed == 5);
    CHECK(s.stats().failed == 7);
    CHECK(s.async_stats().offload_errors == 7);
    for (const int fd :
         {signalled, later, hung_up[0], with_data[0], writer[1], broken, peers[0], peers[1], file, folder})
        CHECK(::close(fd) == 0); // they are still the application's
}

TEST_CASE("a fence that never fires is a timeout, never a success, and can be used again") {
    Fenced s(1'000'000);
    const int silent = ::eventfd(0, EFD_CLOEXEC);
    for (int i = 0; i < 3; ++i) CHECK(s.wait_for(silent) == XTC_BATCH_EXEC_TIMEOUT);
    const uint64_t one = 1;
    CHECK(::write(silent, &one, sizeof(one)) == sizeof(one));
    CHECK(s.wait_for(silent) == XTC_BATCH_EXEC_OK);
    CHECK(s.async_stats().offload_timeouts == 3);
    ::close(silent);
}

TEST_CASE("many groups may wait for one fence") {
    Story s;
    const int fence = ::eventfd(0, EFD_CLOEXEC);
    struct Waiting {
        int fence;
        int ended = 0;
    } waiting{fence};
    auto o = s.async_opts({});
    o.user = &waiting;
    o.submit = [](const xtc_batch_item_t*, size_t, void* user, xtc_batch_exec_t* exec) {
        exec->kind = XTC_BATCH_EXEC_FENCE;
        exec->fence_fd = static_cast<Waiting*>(user)->fence;
        return 0;
    };
    o.collect = [](const xtc_batch_item_t*, xtc_batch_result_t* results, size_t, int, void*) {
        results[0].state = XTC_BATCH_DONE;
        return 0;
    };
    o.complete = [](uint64_t, void*, int outcome, void* user) {
        if (outcome == XTC_OK) ++static_cast<Waiting*>(user)->ended;
    };
    xtc_batch_t* groups[8];
    for (xtc_batch_t*& group : groups) {
        REQUIRE(xtc_batch_create_async(s.loop, &o, &group) == XTC_OK);
        uint64_t handle = 0;
        CHECK(xtc_batch_submit(group, nullptr, 1, &handle) == XTC_OK);
        CHECK(xtc_batch_close(group, XTC_BATCH_DRAIN) == XTC_OK);
    }
    s.settle();
    CHECK(waiting.ended == 0);
    const uint64_t one = 1;
    CHECK(::write(fence, &one, sizeof(one)) == sizeof(one));
    CHECK(s.until([&] { return waiting.ended == 8; }));
    s.settle();
    for (xtc_batch_t* group : groups) CHECK(xtc_batch_destroy(group) == XTC_OK);
    ::close(fence);
}
