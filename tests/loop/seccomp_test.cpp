// SPDX-License-Identifier: ISC
// O16: what happens where a filter, a sysctl or an old kernel refuses io_uring. Each case runs in a child of
// its own, under a filter that cannot be taken off again.
#include "loop/driver_fixture.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace driver_tests;

namespace {

void refuse(long call, int error) {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(filter), filter};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) ::_exit(99);
}

// What was wrong, a line each: Catch cannot be used in the child.
class Complaints {
public:
    void expect(bool is_true, const std::string& what) {
        if (!is_true) text_ << what << "; ";
    }
    std::string text() const { return text_.str(); }

private:
    std::ostringstream text_;
};

std::string in_child(const std::function<void(Complaints&)>& body) {
    int channel[2];
    if (::pipe(channel) != 0) return "no pipe";
    const pid_t child = fork_child();
    if (child == 0) {
        ::alarm(20);
        Complaints complaints;
        body(complaints);
        const std::string text = complaints.text();
        const bool is_written =
            ::write(channel[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        ::_exit(is_written ? 0 : 1);
    }
    ::close(channel[1]);
    std::string text;
    char buf[512];
    for (ssize_t n = 0; (n = ::read(channel[0], buf, sizeof(buf))) > 0;)
        text.append(buf, static_cast<size_t>(n));
    ::close(channel[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) text += "child ended with status " + std::to_string(status);
    return text;
}

struct Heard {
    xtc::Teller teller() {
        return {
            [](void* self, const char* sentence) { static_cast<Heard*>(self)->all.emplace_back(sentence); },
            this};
    }
    bool has(const std::string& part) const {
        return all.size() == 1 && all[0].find(part) != std::string::npos;
    }
    std::vector<std::string> all;
};

// Send, receive, wake, sleep, close.
void use(Driver& driver, Complaints& complaints) {
    Pair pair = socket_pair();
    char buf[4] = {};
    Op recv = Op::recv(pair.first, buf, sizeof(buf));
    driver.submit(recv);
    complaints.expect(driver.poll() == 0, "recv did not wait");
    Op send = Op::send(pair.second, "abc", 3);
    complaints.expect(driver.run(send) == 3, "send");
    complaints.expect(driver.finish(recv) && recv.res == 3, "recv");
    driver.wake();
    driver.wait(XTC_UNTIL_NEVER);
    const int64_t until = driver.now() + 1'000'000;
    while (driver.now() < until) driver.wait(until);
    Op closed = Op::recv(pair.first, buf, sizeof(buf));
    driver.submit(closed);
    driver.poll();
    driver.close_fd(pair.first.release());
    complaints.expect(driver.finish(closed) && closed.res == -ECONNABORTED, "close_fd");
}

struct Refusal {
    int error;
    const char* name;
    const char* remedy;
};
const Refusal refusals[] = {
    {EPERM, "EPERM", "seccomp profile"},   {ENOSYS, "ENOSYS", "CONFIG_IO_URING"},
    {EOPNOTSUPP, "EOPNOTSUPP", "sandbox"}, {EINVAL, "EINVAL", "Linux 5.11"},
    {ENOMEM, "ENOMEM", "RLIMIT_MEMLOCK"},
};
Refusal any_refusal() {
    return GENERATE(from_range(std::begin(refusals), std::end(refusals)));
}

} // namespace

TEST_CASE("O16: auto takes epoll where io_uring_setup is refused, and says why and what helps") {
    const Refusal refusal = any_refusal();
    const char* word = GENERATE(static_cast<const char*>(nullptr), "auto");
    CAPTURE(refusal.name);
    CHECK(in_child([&](Complaints& complaints) {
              if (word != nullptr)
                  xtc_env_set("XTC_IO_BACKEND", word, 1);
              else
                  ::unsetenv("XTC_IO_BACKEND");
              refuse(SYS_io_uring_setup, refusal.error);
              Heard heard;
              xtc::Backend backend = xtc::Backend::uring;
              complaints.expect(xtc::driver_choose(&backend, heard.teller()) == XTC_OK, "choose");
              complaints.expect(backend == xtc::Backend::epoll, "backend");
              complaints.expect(heard.has(refusal.name) && heard.has(refusal.remedy) && heard.has("epoll"),
                                "sentence");
              xtc::DriverRef ref;
              complaints.expect(xtc::driver_make(backend, heard.teller(), &ref) == XTC_OK, "make");
              Driver driver(ref);
              use(driver, complaints);
          }) == "");
}

TEST_CASE("O16: a forced uring that is refused is XTC_E_NOSYS with cause and remedy") {
    const Refusal refusal = any_refusal();
    CAPTURE(refusal.name);
    CHECK(in_child([&](Complaints& complaints) {
              xtc_env_set("XTC_IO_BACKEND", "uring", 1);
              refuse(SYS_io_uring_setup, refusal.error);
              Heard heard;
              xtc::Backend backend = xtc::Backend::epoll;
              complaints.expect(xtc::driver_choose(&backend, heard.teller()) == XTC_E_NOSYS, "choose");
              complaints.expect(backend == xtc::Backend::epoll, "out was touched");
              complaints.expect(heard.has(refusal.name) && heard.has(refusal.remedy) &&
                                    heard.has("XTC_IO_BACKEND=uring"),
                                "sentence");
          }) == "");
}

TEST_CASE("a filter that lets a ring be made but not used is a refusal as well") {
    const long call = GENERATE(long{SYS_io_uring_enter}, long{SYS_io_uring_register});
    CAPTURE(call);
    CHECK(in_child([&](Complaints& complaints) {
              ::unsetenv("XTC_IO_BACKEND");
              refuse(call, EPERM);
              Heard heard;
              xtc::Backend backend = xtc::Backend::uring;
              complaints.expect(xtc::driver_choose(&backend, heard.teller()) == XTC_OK, "choose");
              complaints.expect(backend == xtc::Backend::epoll, "backend");
              complaints.expect(heard.has("EPERM"), "sentence");
          }) == "");
}

TEST_CASE("a ring refused at the first run: epoll takes over what was started before") {
    const Refusal refusal = any_refusal();
    const bool is_stepped = GENERATE(false, true);
    CAPTURE(refusal.name, is_stepped);
    CHECK(in_child([&](Complaints& complaints) {
              Heard heard;
              xtc::DriverRef ref;
              complaints.expect(xtc::driver_make(xtc::Backend::uring, heard.teller(), &ref) == XTC_OK,
                                "make");
              Driver driver(ref);
              const int fd = is_stepped ? driver.pollfd() : -1;
              refuse(SYS_io_uring_setup, refusal.error);
              complaints.expect(std::string(xtc::backend_name(ref)) == "uring", "name before");
              Fd silent = event();
              Pair pair = socket_pair();
              char buf[4] = {};
              Op early = Op::recv(pair.first, buf, sizeof(buf));
              Op cancelled = Op::poll(silent, POLLIN);
              Op closed = Op::poll(number_out_of_the_way(), POLLIN);
              driver.submit(early);
              driver.submit(cancelled);
              driver.submit(closed);
              driver.cancel(cancelled);
              driver.close_fd(closed.fd);
              driver.wake();
              driver.wait(XTC_UNTIL_NEVER);
              complaints.expect(driver.finish(cancelled) && cancelled.res == -ECANCELED, "cancel before");
              complaints.expect(driver.finish(closed) && closed.res == -ECONNABORTED, "close before");
              complaints.expect(!early.is_done, "early");
              complaints.expect(std::string(xtc::backend_name(ref)) == "epoll", "name after");
              complaints.expect(heard.has(refusal.name), "sentence");
              driver.suspend();
              driver.poll();
              if (is_stepped) {
                  const auto is_readable = [&] {
                      pollfd one{fd, POLLIN, 0};
                      return ::poll(&one, 1, 100) == 1;
                  };
                  for (int i = 0; i < 5; ++i) driver.poll();
                  complaints.expect(driver.pollfd() == fd, "the host's descriptor changed");
                  complaints.expect(!is_readable(), "readable for nothing");
                  driver.wake();
                  complaints.expect(is_readable(), "wake unseen by the host");
                  driver.poll();
                  complaints.expect(!is_readable(), "readable after a wait");
                  complaints.expect(::write(pair.second, "abc", 3) == 3 && is_readable(),
                                    "data unseen by the host");
              } else {
                  complaints.expect(::write(pair.second, "abc", 3) == 3, "write");
              }
              complaints.expect(driver.finish(early) && early.res == 3, "early result");
              use(driver, complaints);
              complaints.expect(heard.all.size() == 1, "told more than once");
          }) == "");
}

TEST_CASE(
    "a forced ring refused at the first run: operations fail with the reason, sleep and wake still work") {
    CHECK(in_child([&](Complaints& complaints) {
              Heard heard;
              xtc::DriverRef ref;
              complaints.expect(xtc::driver_make(xtc::Backend::uring_only, heard.teller(), &ref) == XTC_OK,
                                "make");
              Driver driver(ref);
              refuse(SYS_io_uring_setup, EPERM);
              Fd silent = event();
              Op op = Op::poll(silent, POLLIN);
              complaints.expect(driver.run(op) == -EPERM, "before");
              complaints.expect(driver.run(op) == -EPERM, "after");
              complaints.expect(heard.has("EPERM"), "sentence");
              driver.wake();
              driver.wait(XTC_UNTIL_NEVER);
              const int64_t until = driver.now() + 1'000'000;
              while (driver.now() < until) driver.wait(until);
          }) == "");
}

TEST_CASE("epoll works without epoll_pwait2") {
    const int error = GENERATE(ENOSYS, EPERM);
    CHECK(in_child([&](Complaints& complaints) {
              refuse(SYS_epoll_pwait2, error);
              xtc::DriverRef ref;
              complaints.expect(xtc::driver_make(xtc::Backend::epoll, {}, &ref) == XTC_OK, "make");
              Driver driver(ref);
              use(driver, complaints);
              Fd silent = event();
              Op op = Op::poll(silent, POLLIN);
              driver.submit(op);
              const int64_t until = driver.now() + 1'500'000;
              int waits = 0;
              for (; driver.now() < until; ++waits) driver.wait(until);
              complaints.expect(waits <= 2, "waits that are too short");
          }) == "");
}

TEST_CASE("XTC_IO_BACKEND forces a driver, and any other word is XTC_E_INVAL with a sentence") {
    CHECK(in_child([&](Complaints& complaints) {
              Heard heard;
              xtc::Backend backend = xtc::Backend::uring;
              xtc_env_set("XTC_IO_BACKEND", "epoll", 1);
              complaints.expect(xtc::driver_choose(&backend, heard.teller()) == XTC_OK, "epoll");
              complaints.expect(backend == xtc::Backend::epoll && heard.all.empty(),
                                "epoll is a plain choice");
              xtc_env_set("XTC_IO_BACKEND", "uring", 1);
              complaints.expect(xtc::driver_choose(&backend, heard.teller()) == XTC_OK, "uring");
              complaints.expect(backend == xtc::Backend::uring_only && heard.all.empty(),
                                "uring is a plain choice");
              for (const char* word : {"", "URING", "kqueue"}) {
                  heard.all.clear();
                  xtc_env_set("XTC_IO_BACKEND", word, 1);
                  complaints.expect(xtc::driver_choose(&backend, heard.teller()) == XTC_E_INVAL, word);
                  complaints.expect(heard.has("auto, uring and epoll") && heard.has(word), "sentence");
              }
          }) == "");
}
