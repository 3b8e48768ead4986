// SPDX-License-Identifier: ISC
#include "service.hpp"

namespace serve {
namespace {

HttpResponse make_response(const Exchange& exchange, unsigned status, const char* content_type,
                           std::string body) {
    HttpResponse response(http::int_to_status(status), exchange.request.version());
    response.set(http::field::content_type, content_type);
    response.keep_alive(exchange.keep_alive());
    response.body() = std::move(body);
    return response;
}

} // namespace

bool Exchange::answer(unsigned status, const char* content_type, std::string body) {
    count(status);
    return client.send(make_response(*this, status, content_type, std::move(body)));
}

bool Exchange::answer(const ApiError& error, const char* allow) {
    count(error.status);
    HttpResponse response = make_response(*this, error.status, "application/json", error.to_json());
    if (allow != nullptr) response.set(http::field::allow, allow);
    if (error.retry_after_s > 0) response.set(http::field::retry_after, std::to_string(error.retry_after_s));
    return client.send(std::move(response));
}

} // namespace serve
