// SPDX-License-Identifier: ISC
// One client's connection: HTTP/1.1 messages on one side, a socket served by fiber calls on the other.
// Boost.Beast parses and writes the messages; the waiting, the limits and the time limits are here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "api_error.hpp"

namespace serve {

namespace http = boost::beast::http;
using HttpRequest = http::request<http::string_body>;
using HttpResponse = http::response<http::string_body>;

struct HttpLimits {
    std::uint32_t header_bytes = 16 * 1024;
    std::uint64_t body_bytes = 1024 * 1024;
    std::int64_t idle_ns = 60'000'000'000;   // between requests
    std::int64_t header_ns = 10'000'000'000; // for a whole header once begun, and again for a whole body
    std::int64_t write_ns = 30'000'000'000;  // for the client to take one write
};

// The connection belongs to the process that made it.
class HttpConnection {
public:
    HttpConnection(int fd, const HttpLimits& limits) : fd_(fd), limits_(limits) {}
    ~HttpConnection();
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;

    // What ended a wait. Mail is emptied; whoever sent it is to be looked at.
    enum class Wake { input, mail, time_is_over, gone };
    Wake wait(std::int64_t timeout_ns);
    Wake wait_for_request() { return received_.empty() ? wait(limits_.idle_ns) : Wake::input; }

    // A whole request, or nothing: then refusal() says what to answer before closing, if anything.
    std::optional<HttpRequest> read_request();
    const std::optional<ApiError>& refusal() const { return refusal_; }

    // After Wake::input outside of read_request: true when the client has gone, which closing its half of the
    // connection counts as. What it sent ahead is kept.
    bool peer_left();

    // Each is false when the client does not take it.
    bool send(HttpResponse response);
    bool begin_stream(const HttpRequest& request, const char* content_type, bool keep_alive,
                      std::string_view first);
    bool stream(std::string_view piece);
    bool end_stream(std::string_view last);

    // Before closing on a client that may still be sending: lets it read the answer first.
    void linger();

private:
    enum class Received { bytes, nothing, end };
    Received receive(std::int64_t timeout_ns);
    void refuse(unsigned status, std::string message);
    void explain(const boost::system::error_code& error);
    bool write(std::string_view bytes);
    void append_piece(std::string& out, std::string_view piece) const;

    const int fd_;
    const HttpLimits limits_;
    std::string received_; // and not parsed yet
    std::optional<ApiError> refusal_;
    bool chunked_ = false;
};

} // namespace serve
