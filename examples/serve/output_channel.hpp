// SPDX-License-Identifier: ISC
// The way of one answer from the device's loop to the process that serves the client, on another loop. The
// writer never waits and allocates nothing: there is room for the longest answer from the start, and a reader
// that is slow finds more text at once later.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <xtc_proc.h>

namespace serve {

enum class Finish : std::uint8_t {
    none, // there will be more
    stop,
    length,
    cancelled,
    failed,
};

class OutputChannel {
public:
    // reader: the process that takes the text; woken by mail.
    OutputChannel(std::size_t capacity, xtc_pid_t reader);

    // Writer, on the device's loop. What was appended is seen by the reader when it is shown; all of it is
    // the reader's once finished.
    void append(std::uint8_t byte) { bytes_[written_++] = static_cast<char>(byte); }
    std::string_view written() const { return {bytes_.get(), written_}; }
    void show(std::size_t visible);
    void finish(Finish how);

    // Reader, after its mail was emptied: the text since the last call. finished is read before the text, so
    // that the text is complete when it is not none.
    struct News {
        std::string_view text;
        Finish finished;
    };
    News take();

private:
    void ring();

    const std::unique_ptr<char[]> bytes_;
    const xtc_pid_t reader_;
    std::size_t written_ = 0;
    std::size_t taken_ = 0;
    std::atomic<std::size_t> visible_ = 0;
    std::atomic<Finish> finished_ = Finish::none;
    std::atomic<bool> rung_ = false; // a mail is on its way that the reader has not answered with take
};

} // namespace serve
