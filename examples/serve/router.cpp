// SPDX-License-Identifier: ISC
#include "router.hpp"

#include <string_view>

#include "completions.hpp"
#include "status_pages.hpp"

namespace serve {
namespace {

struct Route {
    std::string_view path;
    const char* method;
    bool (*handle)(Exchange&);
};

constexpr Route routes[] = {
    {"/v1/completions", "POST", [](Exchange& e) { return serve_completion(e, Dialect::completion); }},
    {"/v1/chat/completions", "POST", [](Exchange& e) { return serve_completion(e, Dialect::chat); }},
    {"/v1/models", "GET", list_models},
    {"/healthz", "GET", tell_health},
    {"/metrics", "GET", tell_metrics},
};

} // namespace

bool dispatch(Exchange& exchange) {
    const std::string_view target(exchange.request.target().data(), exchange.request.target().size());
    const std::string_view path = target.substr(0, target.find('?'));
    for (const Route& route : routes) {
        if (path != route.path) continue;
        if (exchange.request.method_string() == route.method) return route.handle(exchange);
        return exchange.answer({.status = 405,
                                .message = std::string(path) + " takes " + route.method + " only.",
                                .code = "method_not_allowed",
                                .param = {}},
                               route.method);
    }
    return exchange.answer({.status = 404,
                            .message = "There is nothing at " + std::string(path) + ".",
                            .code = "not_found",
                            .param = {}});
}

} // namespace serve
