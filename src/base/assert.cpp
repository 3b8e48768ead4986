// SPDX-License-Identifier: ISC
#include "base/assert.hpp"

#include <cstddef>
#include <cstdlib>
#include <sys/uio.h>
#include <unistd.h>

namespace xtc {

namespace {

// __FILE__ is relative to the build folder; a reader looks for it from the source root.
const char* from_source_root(const char* file) {
    while (file[0] == '.' && file[1] == '.' && file[2] == '/') file += 3;
    return file;
}

// Decimal digits of a positive number, written backwards from `end`.
char* digits(char* end, unsigned value) {
    do {
        *--end = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return end;
}

iovec piece(const char* text) {
    return {const_cast<char*>(text), __builtin_strlen(text)};
}

} // namespace

void assert_failed(const char* file, int line, const char* expression) noexcept {
    char number[12] = {};
    const char* line_text = digits(number + sizeof(number) - 1, static_cast<unsigned>(line));
    const iovec line_out[] = {piece("libxtc: "), piece(from_source_root(file)), piece(":"),
                              piece(line_text),  piece(": assertion failed: "), piece(expression),
                              piece("\n")};
    // One writev, so that lines of two failing threads do not mix; nothing is left to do if it fails.
    if (::writev(STDERR_FILENO, line_out, static_cast<int>(sizeof(line_out) / sizeof(line_out[0]))) < 0)
        std::abort();
    std::abort();
}

} // namespace xtc
