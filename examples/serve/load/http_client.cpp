// SPDX-License-Identifier: ISC
#include "http_client.hpp"

#include <utility>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <xtc.h>
#include <xtc_net.h>

namespace load {
namespace {

namespace http = boost::beast::http;

constexpr std::int64_t timeout_ns = 60'000'000'000;

} // namespace

void HttpClient::disconnect() {
    xtc_net_close(std::exchange(fd_, -1));
}

bool HttpClient::connect() {
    if (fd_ >= 0) return true;
    return xtc_net_connect(XTC_NET_INET, target_.host.c_str(), target_.port, nullptr, timeout_ns, &fd_) ==
           XTC_OK;
}

bool HttpClient::send(const char* method, const std::string& path, const std::string& body) {
    std::string bytes = std::string(method) + " " + path + " HTTP/1.1\r\nHost: " + target_.host + "\r\n";
    if (!body.empty()) {
        bytes += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    }
    bytes += "\r\n" + body;
    return xtc_net_write(fd_, bytes.data(), bytes.size(), timeout_ns, nullptr) == XTC_OK;
}

unsigned HttpClient::receive(const OnBody& on_body) {
    http::response_parser<http::string_body> parser;
    parser.eager(true);
    parser.body_limit(boost::none);
    std::string received;
    std::size_t told = 0;
    char piece[8192];
    while (!parser.is_done()) {
        std::size_t got = 0;
        if (xtc_net_read(fd_, piece, sizeof piece, timeout_ns, &got) != XTC_OK) return 0;
        boost::beast::error_code error;
        if (got == 0) parser.put_eof(error);
        received.append(piece, got);
        while (!error && got > 0 && !received.empty() && !parser.is_done()) {
            received.erase(0, parser.put(boost::asio::buffer(received), error));
        }
        if (error && error != http::error::need_more) return 0;
        const std::string& body = parser.get().body();
        if (body.size() > told && !on_body(std::string_view(body).substr(told))) {
            disconnect();
            return parser.get().result_int();
        }
        told = body.size();
    }
    if (!parser.get().keep_alive()) disconnect();
    return parser.get().result_int();
}

unsigned HttpClient::request(const char* method, const std::string& path, const std::string& body,
                             const OnBody& on_body) {
    if (!connect()) return 0;
    const unsigned status = send(method, path, body) ? receive(on_body) : 0;
    if (status == 0) disconnect();
    return status;
}

unsigned HttpClient::get(const std::string& path, std::string& body) {
    return request("GET", path, "", [&](std::string_view piece) {
        body += piece;
        return true;
    });
}

} // namespace load
