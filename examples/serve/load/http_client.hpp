// SPDX-License-Identifier: ISC
// An HTTP client for the load: requests one after the other over a connection it keeps, bodies as they
// arrive. For processes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace load {

struct Target {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;
};

class HttpClient {
public:
    explicit HttpClient(const Target& target) : target_(target) {}
    ~HttpClient() { disconnect(); }
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // Sees each piece of the body; false ends the request there and then, by closing the connection.
    using OnBody = std::function<bool(std::string_view)>;

    // The status, or 0 when the connection failed.
    unsigned request(const char* method, const std::string& path, const std::string& body,
                     const OnBody& on_body);
    unsigned get(const std::string& path, std::string& body);

    void disconnect();

private:
    bool connect();
    bool send(const char* method, const std::string& path, const std::string& body);
    unsigned receive(const OnBody& on_body);

    const Target& target_;
    int fd_ = -1;
};

} // namespace load
