// SPDX-License-Identifier: ISC
//
// The log: a ring of fixed records with two tickets. A cell's turn tells who may touch it: 2*lap free for the
// writer of that lap, 2*lap+1 written. Nobody waits for anybody: a writer that finds the ring full throws out
// the oldest record, and gives its own up if that one is still being written.
#include "base/log.hpp"

#include <xtc_log.h>

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

namespace {

constexpr const char* kLevelNames[] = {"TRACE ", "DEBUG ", "INFO ", "WARN ", "ERROR ", "FATAL "};
constexpr size_t kLongestName = 6;

bool known(int level) {
    return level >= XTC_LOG_TRACE && level <= XTC_LOG_FATAL;
}

struct Cell {
    std::atomic<uint64_t> turn{0};
    int level = 0;
    uint32_t length = 0; // of the line, newline included
};

} // namespace

struct xtc_log {
    // constant after create
    size_t cells = 0;
    size_t line_max = 0;
    int sink_fd = -1;
    xtc_log_sink_fn sink = nullptr;
    void* sink_user = nullptr;
    std::unique_ptr<Cell[]> cell;
    std::unique_ptr<char[]> text;

    // any thread
    std::atomic<int> floor{XTC_LOG_INFO};
    std::atomic<uint64_t> tail{0}; // next to write
    std::atomic<uint64_t> head{0}; // next to read
    std::atomic<int> dropped{0};
    std::atomic<int> draining{0};

    // the drainer's
    std::unique_ptr<char[]> line; // taken from the ring; kept while the sink refuses it
    uint32_t line_length = 0;
    int line_level = 0;

    char* text_of(uint64_t position) { return text.get() + position % cells * line_max; }
    void count_drop() {
        int seen = dropped.load(std::memory_order_relaxed);
        while (seen < INT32_MAX && !dropped.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed))
            ;
    }
    bool push(int level, const char* bytes, uint32_t length);
    bool take(char* into, uint32_t* length, int* level);
    int write_out(int level, const char* bytes, size_t length) const;
    int drain_locked();
    bool try_lock() { return draining.exchange(1, std::memory_order_acquire) == 0; }
    void lock() {
        while (!try_lock()) draining.wait(1, std::memory_order_relaxed);
    }
    void unlock() {
        // seq_cst: libstdc++ looks for waiters with a load that may pass a weaker store.
        draining.store(0, std::memory_order_seq_cst);
        draining.notify_one();
    }
};

bool xtc_log::push(int level, const char* bytes, uint32_t length) {
    uint64_t position = tail.load(std::memory_order_relaxed);
    for (;;) {
        Cell& c = cell[position % cells];
        const uint64_t lap = position / cells;
        const uint64_t turn = c.turn.load(std::memory_order_acquire);
        if (turn != lap * 2) {
            const uint64_t now = tail.load(std::memory_order_relaxed);
            if (now == position) return false; // full, or its last reader is not done
            position = now;
            continue;
        }
        if (!tail.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) continue;
        std::memcpy(text_of(position), bytes, length);
        c.level = level;
        c.length = length;
        c.turn.store(lap * 2 + 1, std::memory_order_release);
        return true;
    }
}

// into may be null: the record is thrown away.
bool xtc_log::take(char* into, uint32_t* length, int* level) {
    uint64_t position = head.load(std::memory_order_relaxed);
    for (;;) {
        Cell& c = cell[position % cells];
        const uint64_t lap = position / cells;
        if (c.turn.load(std::memory_order_acquire) != lap * 2 + 1) {
            const uint64_t now = head.load(std::memory_order_relaxed);
            if (now == position) return false;
            position = now;
            continue;
        }
        if (!head.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) continue;
        if (into != nullptr) {
            *length = c.length;
            *level = c.level;
            std::memcpy(into, text_of(position), c.length);
        }
        c.turn.store(lap * 2 + 2, std::memory_order_release);
        return true;
    }
}

int xtc_log::write_out(int level, const char* bytes, size_t length) const {
    if (sink != nullptr)
        return sink(sink_user, static_cast<xtc_log_level_t>(level), bytes, length) < 0 ? XTC_E_IO : XTC_OK;
    while (sink_fd >= 0 && length > 0) {
        const ssize_t n = ::write(sink_fd, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return XTC_E_IO;
        bytes += n;
        length -= static_cast<size_t>(n);
    }
    return XTC_OK;
}

int xtc_log::drain_locked() {
    int written = 0;
    for (;;) {
        if (line_length == 0 && !take(line.get(), &line_length, &line_level)) return written;
        if (write_out(line_level, line.get(), line_length) != XTC_OK) return XTC_E_IO;
        line_length = 0;
        if (written < INT32_MAX) ++written;
    }
}

namespace {

std::atomic<xtc_log*> default_log{nullptr};

// A record is the whole line: level, text, newline.
uint32_t format_line(char* line, size_t cap, int level, const char* fmt, va_list args) {
    const size_t name = std::strlen(kLevelNames[level]);
    std::memcpy(line, kLevelNames[level], name);
    const int wanted = std::vsnprintf(line + name, cap - name, fmt, args);
    const size_t text = wanted < 0 ? 0 : std::min(static_cast<size_t>(wanted), cap - name - 1);
    line[name + text] = '\n';
    return static_cast<uint32_t>(name + text + 1);
}

} // namespace

extern "C" int xtc_log_create(const xtc_log_opts_t* opts, xtc_log_t** out) {
    constexpr xtc_log_opts_t standard = XTC_LOG_OPTS_DEFAULT;
    if (out == nullptr) return XTC_E_INVAL;
    const xtc_log_opts_t& o = opts != nullptr ? *opts : standard;
    if (!known(o.floor)) return XTC_E_INVAL;
    const size_t cells = static_cast<size_t>(o.ring_size > 0 ? o.ring_size : standard.ring_size);
    const size_t line_max =
        static_cast<size_t>(o.record_max > 0 ? o.record_max : standard.record_max) + kLongestName + 1;
    size_t bytes;
    if (__builtin_mul_overflow(cells, line_max, &bytes) || bytes > PTRDIFF_MAX) return XTC_E_RANGE;
    std::unique_ptr<xtc_log> log(new (std::nothrow) xtc_log);
    if (log == nullptr) return XTC_E_NOMEM;
    log->cell.reset(new (std::nothrow) Cell[cells]);
    log->text.reset(new (std::nothrow) char[bytes]);
    log->line.reset(new (std::nothrow) char[line_max]);
    if (log->cell == nullptr || log->text == nullptr || log->line == nullptr) return XTC_E_NOMEM;
    log->cells = cells;
    log->line_max = line_max;
    log->sink_fd = o.sink_fd;
    log->sink = o.sink;
    log->sink_user = o.sink_user;
    log->floor = o.floor;
    *out = log.release();
    return XTC_OK;
}

extern "C" void xtc_log_destroy(xtc_log_t* log) {
    if (log == nullptr) return;
    xtc_log* expected = log;
    default_log.compare_exchange_strong(expected, nullptr);
    xtc_log_drain(log);
    delete log;
}

extern "C" int xtc_log_set_floor(xtc_log_t* log, xtc_log_level_t level) {
    if (log == nullptr || !known(level)) return XTC_E_INVAL;
    log->floor.store(level, std::memory_order_relaxed);
    return XTC_OK;
}

extern "C" int xtc_log_set_default(xtc_log_t* log) {
    default_log.store(log, std::memory_order_release);
    return XTC_OK;
}

extern "C" xtc_log_t* xtc_log_default(void) {
    return default_log.load(std::memory_order_acquire);
}

extern "C" void xtc_log_write(xtc_log_t* log, xtc_log_level_t level, const char* fmt, ...) {
    va_list args;
    va_start(args, fmt);
    xtc_log_vwrite(log, level, fmt, args);
    va_end(args);
}

extern "C" void xtc_log_vwrite(xtc_log_t* log, xtc_log_level_t level, const char* fmt, va_list args) {
    if (log == nullptr || fmt == nullptr || !known(level)) return;
    if (level < log->floor.load(std::memory_order_relaxed)) return;
    // A long record_max is formatted in memory of its own, so that a fiber's stack is enough for any.
    char near[512];
    std::unique_ptr<char[]> far;
    char* line = near;
    if (log->line_max > sizeof(near)) {
        far.reset(new (std::nothrow) char[log->line_max]);
        if (far == nullptr) return log->count_drop();
        line = far.get();
    }
    const uint32_t length = format_line(line, log->line_max, level, fmt, args);
    if (level == XTC_LOG_FATAL) {
        // The process may end with the next instruction. What was logged before goes first, unless somebody
        // is draining just now (perhaps the sink itself).
        const bool alone = log->try_lock();
        if (alone) log->drain_locked();
        log->write_out(level, line, length);
        if (alone) log->unlock();
        return;
    }
    while (!log->push(level, line, length)) {
        const bool made_room = log->take(nullptr, nullptr, nullptr);
        if (!made_room && log->push(level, line, length)) return; // a drainer was faster
        log->count_drop();
        if (!made_room) return; // the oldest is still being written: this one is the loss
    }
}

extern "C" int xtc_log_drain(xtc_log_t* log) {
    if (log == nullptr) return XTC_E_INVAL;
    log->lock();
    const int written = log->drain_locked();
    log->unlock();
    return written;
}

extern "C" int xtc_log_drop_count(const xtc_log_t* log) {
    return log != nullptr ? log->dropped.load(std::memory_order_relaxed) : 0;
}

void xtc::log_sentence(int level, const char* fmt, ...) {
    xtc_log_t* log = xtc_log_default();
    if (log == nullptr) return;
    va_list args;
    va_start(args, fmt);
    xtc_log_vwrite(log, static_cast<xtc_log_level_t>(level), fmt, args);
    va_end(args);
}
