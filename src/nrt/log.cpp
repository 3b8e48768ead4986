// SPDX-License-Identifier: ISC
#include "nrt/log.hpp"

#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <strings.h>

#include "nrt/write.hpp"

namespace xtc::nrt {

namespace {

constexpr std::array names{"QUIET", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"};
constexpr std::array priorities{LOG_EMERG, LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG, LOG_DEBUG};

constinit std::atomic<LogLevel> loudest{LogLevel::error};
constinit std::atomic<LogPlace> place{LogPlace::console};

bool same(std::string_view word, std::string_view name) noexcept {
    return word.size() == name.size() && ::strncasecmp(word.data(), name.data(), name.size()) == 0;
}

size_t index(LogLevel level) noexcept {
    return static_cast<size_t>(level);
}

} // namespace

bool parse(std::string_view word, LogLevel* level) noexcept {
    if (same(word, "WARNING")) word = "WARN";
    const auto* found = std::find_if(names.begin(), names.end(), [&](auto name) { return same(word, name); });
    if (found == names.end()) return false;
    *level = static_cast<LogLevel>(std::distance(names.begin(), found));
    return true;
}

bool parse(std::string_view word, LogPlace* where) noexcept {
    if (!same(word, "console") && !same(word, "syslog")) return false;
    *where = same(word, "console") ? LogPlace::console : LogPlace::syslog;
    return true;
}

void set_log(LogLevel level, LogPlace where) noexcept {
    loudest.store(level, std::memory_order_relaxed);
    place.store(where, std::memory_order_relaxed);
}

bool logs(LogLevel level) noexcept {
    return level <= loudest.load(std::memory_order_relaxed);
}

void log(LogLevel level, const char* format, ...) {
    if (!logs(level)) return;
    const int errno_before = errno;
    char line[512];
    const int head = std::snprintf(line, sizeof line, "NRT %s: ", names[index(level)]);
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof line - static_cast<size_t>(head) - 1; // for the newline
    const int wanted = std::vsnprintf(line + head, room, format, arguments);
    va_end(arguments);
    const size_t text = std::min(static_cast<size_t>(std::max(wanted, 0)), room - 1);
    size_t length = static_cast<size_t>(head) + text;
    if (place.load(std::memory_order_relaxed) == LogPlace::syslog) {
        ::syslog(LOG_USER | priorities[index(level)], "%s", line);
    } else {
        line[length++] = '\n';
        // In one piece, so that the lines of two threads do not mix; there is nobody to tell that it failed.
        write_all(STDERR_FILENO, line, length);
    }
    errno = errno_before;
}

} // namespace xtc::nrt
