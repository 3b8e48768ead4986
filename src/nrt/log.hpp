// SPDX-License-Identifier: ISC
// The runtime's own sentences: one line each, to standard error or to syslog, at the level that
// NEURON_RT_LOG_LEVEL asks for.
#pragma once

#include <xtc_export.h>

#include <string_view>

namespace xtc::nrt {

enum class LogLevel { quiet, error, warn, info, debug, trace };
enum class LogPlace { console, syslog };

// By the words of the environment, in any case. False: no such word.
bool parse(std::string_view word, LogLevel* level) noexcept;
bool parse(std::string_view word, LogPlace* place) noexcept;

void set_log(LogLevel level, LogPlace place) noexcept;
bool logs(LogLevel level) noexcept;

// Cut at about 500 bytes. Any thread.
XTC_PRINTF(2, 3) void log(LogLevel level, const char* format, ...);

} // namespace xtc::nrt
