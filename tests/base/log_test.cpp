// SPDX-License-Identifier: ISC
#include <catch2/catch.hpp>

#include "base/log.hpp"

#include <xtc_log.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Sink {
    std::vector<std::string> lines;
    std::vector<int> levels;
    bool fails = false;
    static int on_line(void* user, xtc_log_level_t level, const char* buf, size_t len) {
        auto* self = static_cast<Sink*>(user);
        if (self->fails) return -1;
        self->lines.emplace_back(buf, len);
        self->levels.push_back(level);
        return 0;
    }
};

xtc_log_t* make(Sink& sink, int ring_size, int record_max = 64, xtc_log_level_t floor = XTC_LOG_INFO) {
    const xtc_log_opts_t opts = {ring_size, record_max, floor, -1, Sink::on_line, &sink};
    xtc_log_t* log = nullptr;
    REQUIRE(xtc_log_create(&opts, &log) == XTC_OK);
    return log;
}

} // namespace

TEST_CASE("nothing is written until somebody drains") {
    Sink sink;
    xtc_log_t* log = make(sink, 8);
    xtc_log_write(log, XTC_LOG_INFO, "one %d", 1);
    xtc_log_write(log, XTC_LOG_ERROR, "two %s", "zwei");
    CHECK(sink.lines.empty());
    CHECK(xtc_log_drain(log) == 2);
    CHECK(sink.lines == std::vector<std::string>{"INFO one 1\n", "ERROR two zwei\n"});
    CHECK(sink.levels == std::vector<int>{XTC_LOG_INFO, XTC_LOG_ERROR});
    CHECK(xtc_log_drain(log) == 0);
    xtc_log_destroy(log);
}

TEST_CASE("a full ring drops the oldest records and counts them") {
    const int size = GENERATE(1, 2, 3, 8);
    Sink sink;
    xtc_log_t* log = make(sink, size);
    for (int i = 0; i < 20; ++i) xtc_log_write(log, XTC_LOG_INFO, "%d", i);
    CHECK(xtc_log_drop_count(log) == 20 - size);
    CHECK(xtc_log_drain(log) == size);
    REQUIRE(sink.lines.size() == static_cast<size_t>(size));
    CHECK(sink.lines.front() == "INFO " + std::to_string(20 - size) + "\n");
    CHECK(sink.lines.back() == "INFO 19\n");
    xtc_log_destroy(log);
}

TEST_CASE("a fatal record is written through at once, after what came before it") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    const xtc_log_opts_t opts = {8, 64, XTC_LOG_INFO, ends[1], nullptr, nullptr};
    xtc_log_t* log = nullptr;
    REQUIRE(xtc_log_create(&opts, &log) == XTC_OK);
    xtc_log_write(log, XTC_LOG_INFO, "before");
    xtc_log_write(log, XTC_LOG_FATAL, "the end");
    char text[100];
    const ssize_t n = ::read(ends[0], text, sizeof(text));
    REQUIRE(n > 0);
    CHECK(std::string(text, static_cast<size_t>(n)) == "INFO before\nFATAL the end\n");
    xtc_log_destroy(log);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_CASE("records below the floor are not kept, and a long one is cut to a whole line") {
    Sink sink;
    xtc_log_t* log = make(sink, 8, 5, XTC_LOG_WARN);
    xtc_log_write(log, XTC_LOG_INFO, "quiet");
    xtc_log_write(log, XTC_LOG_WARN, "0123456789");
    CHECK(xtc_log_set_floor(log, XTC_LOG_TRACE) == XTC_OK);
    xtc_log_write(log, XTC_LOG_TRACE, "now");
    CHECK(xtc_log_drain(log) == 2);
    REQUIRE(sink.lines.size() == 2);
    CHECK(sink.lines[0].substr(0, 10) == "WARN 01234");
    CHECK(sink.lines[0].back() == '\n');
    CHECK(sink.lines[1] == "TRACE now\n");
    xtc_log_destroy(log);
}

TEST_CASE("what a failing sink refuses stays for the next drain") {
    Sink sink;
    sink.fails = true;
    xtc_log_t* log = make(sink, 8);
    xtc_log_write(log, XTC_LOG_INFO, "a");
    xtc_log_write(log, XTC_LOG_INFO, "b");
    CHECK(xtc_log_drain(log) == XTC_E_IO);
    sink.fails = false;
    CHECK(xtc_log_drain(log) == 2);
    CHECK(sink.lines == std::vector<std::string>{"INFO a\n", "INFO b\n"});
    xtc_log_destroy(log);
}

TEST_CASE("the library's sentences go to the default log and nowhere without one") {
    Sink sink;
    REQUIRE(xtc_log_default() == nullptr);
    xtc::log_sentence(XTC_LOG_WARN, "lost %d", 1);
    xtc_log_t* log = make(sink, 8);
    CHECK(xtc_log_set_default(log) == XTC_OK);
    CHECK(xtc_log_default() == log);
    xtc::log_sentence(XTC_LOG_WARN, "kept %d", 2);
    XTC_LOG_ERROR_F("by macro %s", "too");
    CHECK(xtc_log_drain(log) == 2);
    CHECK(sink.lines == std::vector<std::string>{"WARN kept 2\n", "ERROR by macro too\n"});
    xtc_log_destroy(log);
    CHECK(xtc_log_default() == nullptr);
}

TEST_CASE("bad arguments of the log are refused or harmless") {
    xtc_log_t* log = nullptr;
    xtc_log_opts_t opts = XTC_LOG_OPTS_DEFAULT;
    CHECK(xtc_log_create(&opts, nullptr) == XTC_E_INVAL);
    opts.floor = static_cast<xtc_log_level_t>(6);
    CHECK(xtc_log_create(&opts, &log) == XTC_E_INVAL);
    CHECK(log == nullptr);
    CHECK(xtc_log_drain(nullptr) == XTC_E_INVAL);
    CHECK(xtc_log_drop_count(nullptr) == 0);
    CHECK(xtc_log_set_floor(nullptr, XTC_LOG_INFO) == XTC_E_INVAL);
    xtc_log_write(nullptr, XTC_LOG_INFO, "nobody");
    xtc_log_destroy(nullptr);
}

TEST_CASE("every record of many writers is drained or counted as dropped, each writer's in order",
          "[threads]") {
    Sink sink;
    xtc_log_t* log = make(sink, 16);
    std::atomic<int> writing{3};
    std::vector<std::thread> writers;
    for (int w = 0; w < 3; ++w)
        writers.emplace_back([&, w] {
            for (int i = 0; i < 5000; ++i) xtc_log_write(log, XTC_LOG_INFO, "%d %d", w, i);
            --writing;
        });
    int drained = 0;
    while (writing.load() > 0) drained += xtc_log_drain(log);
    for (auto& writer : writers) writer.join();
    drained += xtc_log_drain(log);
    CHECK(drained + xtc_log_drop_count(log) == 15000);
    std::map<int, int> last;
    bool ordered = true;
    for (const auto& line : sink.lines) {
        int w = 0, i = 0;
        ordered = ordered && std::sscanf(line.c_str(), "INFO %d %d\n", &w, &i) == 2;
        ordered = ordered && (!last.contains(w) || last[w] < i);
        last[w] = i;
    }
    CHECK(ordered);
    xtc_log_destroy(log);
}
