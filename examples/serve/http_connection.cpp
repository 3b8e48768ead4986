// SPDX-License-Identifier: ISC
#include "http_connection.hpp"

#include <algorithm>

#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <sys/socket.h>
#include <xtc.h>
#include <xtc_io.h>
#include <xtc_net.h>
#include <xtc_proc.h>

namespace serve {
namespace {

namespace beast = boost::beast;
using RequestParser = http::request_parser<http::string_body>;

constexpr std::size_t receive_bytes = 16 * 1024;
// A client that sends this much ahead while an answer streams is not one of ours.
constexpr std::size_t max_ahead_bytes = 64 * 1024;

template <class Buffers> void append_buffers(std::string& out, const Buffers& buffers) {
    for (const boost::asio::const_buffer buffer : beast::buffers_range_ref(buffers)) {
        out.append(static_cast<const char*>(buffer.data()), buffer.size());
    }
}

template <class Body> std::string to_bytes(http::response<Body>& response, bool header_only) {
    std::string out;
    http::response_serializer<Body> serializer(response);
    serializer.split(header_only);
    beast::error_code error;
    while (!error && !(header_only ? serializer.is_header_done() : serializer.is_done())) {
        serializer.next(error, [&](beast::error_code& step_error, const auto& buffers) {
            step_error = {};
            const std::size_t before = out.size();
            append_buffers(out, buffers);
            serializer.consume(out.size() - before);
        });
    }
    return out;
}

bool expects_continue(const HttpRequest& request) {
    return request.version() >= 11 && beast::iequals(request[http::field::expect], "100-continue");
}

void empty_mailbox() {
    void* mail = nullptr;
    std::size_t size = 0;
    while (xtc_recv(&mail, &size, 0) == XTC_OK) xtc_free(mail);
}

} // namespace

HttpConnection::~HttpConnection() {
    xtc_net_close(fd_);
}

HttpConnection::Wake HttpConnection::wait(std::int64_t timeout_ns) {
    std::uint32_t seen = 0;
    const int status = xtc_proc_wait_fd(fd_, XTC_IO_READABLE, timeout_ns, &seen);
    empty_mailbox();
    if (status == XTC_E_AGAIN) return Wake::time_is_over;
    if (status != XTC_OK) return Wake::gone;
    return (seen & (XTC_IO_READABLE | XTC_IO_HUP | XTC_IO_ERR)) != 0 ? Wake::input : Wake::mail;
}

HttpConnection::Received HttpConnection::receive(std::int64_t timeout_ns) {
    const std::size_t had = received_.size();
    received_.resize(had + receive_bytes);
    std::size_t got = 0;
    const int status = xtc_net_read(fd_, received_.data() + had, receive_bytes, timeout_ns, &got);
    received_.resize(had + (status == XTC_OK ? got : 0));
    if (status == XTC_E_AGAIN) return Received::nothing;
    return status == XTC_OK && got > 0 ? Received::bytes : Received::end;
}

bool HttpConnection::peer_left() {
    return receive(0) == Received::end || received_.size() > max_ahead_bytes;
}

void HttpConnection::refuse(unsigned status, std::string message) {
    refusal_ = ApiError{.status = status, .message = std::move(message), .code = {}, .param = {}};
}

std::optional<HttpRequest> HttpConnection::read_request() {
    RequestParser parser;
    parser.header_limit(limits_.header_bytes);
    parser.body_limit(limits_.body_bytes);
    parser.eager(true);
    refusal_.reset();
    std::int64_t deadline_ns = xtc_clock_mono() + limits_.header_ns;
    bool in_body = false;
    bool starved = received_.empty();
    while (true) {
        if (starved) {
            const std::int64_t left_ns = std::max<std::int64_t>(deadline_ns - xtc_clock_mono(), 0);
            const Received received = receive(left_ns);
            if (received == Received::nothing) refuse(408, "The request did not arrive in time.");
            if (received != Received::bytes) return std::nullopt;
        }
        beast::error_code error;
        received_.erase(0, parser.put(boost::asio::buffer(received_), error));
        if (error && error != http::error::need_more) {
            explain(error);
            return std::nullopt;
        }
        if (parser.is_done()) return parser.release();
        starved = received_.empty() || error == http::error::need_more;
        if (in_body || !parser.is_header_done()) continue;
        in_body = true;
        deadline_ns = xtc_clock_mono() + limits_.header_ns;
        if (expects_continue(parser.get()) && !write("HTTP/1.1 100 Continue\r\n\r\n")) return std::nullopt;
    }
}

void HttpConnection::explain(const boost::system::error_code& error) {
    if (error == http::error::header_limit) {
        refuse(431,
               "The request's header is larger than " + std::to_string(limits_.header_bytes) + " bytes.");
    } else if (error == http::error::body_limit) {
        refuse(413, "The request's body is larger than " + std::to_string(limits_.body_bytes) + " bytes.");
    } else {
        refuse(400, "This is not an HTTP request: " + error.message() + ".");
    }
}

bool HttpConnection::write(std::string_view bytes) {
    return xtc_net_write(fd_, bytes.data(), bytes.size(), limits_.write_ns, nullptr) == XTC_OK;
}

bool HttpConnection::send(HttpResponse response) {
    response.prepare_payload();
    return write(to_bytes(response, false));
}

bool HttpConnection::begin_stream(const HttpRequest& request, const char* content_type, bool keep_alive,
                                  std::string_view first) {
    // HTTP/1.0 has no chunks: there the end of the connection ends the stream.
    chunked_ = request.version() >= 11;
    http::response<http::empty_body> response(http::status::ok, request.version());
    response.set(http::field::content_type, content_type);
    response.set(http::field::cache_control, "no-cache");
    response.keep_alive(keep_alive && chunked_);
    if (chunked_) response.chunked(true);
    std::string bytes = to_bytes(response, true);
    append_piece(bytes, first);
    return write(bytes);
}

void HttpConnection::append_piece(std::string& out, std::string_view piece) const {
    if (piece.empty()) return;
    if (!chunked_) out += piece;
    if (chunked_) append_buffers(out, http::make_chunk(boost::asio::buffer(piece)));
}

bool HttpConnection::stream(std::string_view piece) {
    std::string bytes;
    append_piece(bytes, piece);
    return write(bytes);
}

bool HttpConnection::end_stream(std::string_view last) {
    std::string bytes;
    append_piece(bytes, last);
    if (chunked_) append_buffers(bytes, http::make_chunk_last());
    return write(bytes);
}

void HttpConnection::linger() {
    constexpr std::int64_t limit_ns = 1'000'000'000;
    constexpr std::size_t limit_bytes = 4 * 1024 * 1024;
    shutdown(fd_, SHUT_WR);
    const std::int64_t deadline_ns = xtc_clock_mono() + limit_ns;
    std::size_t dropped = 0;
    while (dropped < limit_bytes) {
        received_.clear();
        const std::int64_t left_ns = deadline_ns - xtc_clock_mono();
        if (left_ns <= 0 || receive(left_ns) != Received::bytes) return;
        dropped += received_.size();
    }
}

} // namespace serve
