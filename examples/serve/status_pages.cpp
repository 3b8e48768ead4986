// SPDX-License-Identifier: ISC
#include "status_pages.hpp"

#include <nlohmann/json.hpp>
#include <xtc.h>

namespace serve {

using nlohmann::json;

bool list_models(Exchange& exchange) {
    const json model = {{"id", exchange.service.limits.model},
                        {"object", "model"},
                        {"created", exchange.service.started_s},
                        {"owned_by", "libxtc"}};
    return exchange.answer(200, "application/json",
                           json{{"object", "list"}, {"data", json::array({model})}}.dump());
}

bool tell_health(Exchange& exchange) {
    const bool draining = exchange.service.draining.load();
    return exchange.answer(draining ? 503 : 200, "application/json",
                           draining ? R"({"status":"draining"})" : R"({"status":"ok"})");
}

bool tell_metrics(Exchange& exchange) {
    xtc_batch_stats_t group;
    xtc_batch_async_stats_t async;
    if (const int status = exchange.service.engine.read_stats(group, async); status != XTC_OK) {
        return exchange.answer(
            {.status = 503,
             .message = std::string("The statistics cannot be read: ") + xtc_strerror(status) + ".",
             .code = {},
             .param = {}});
    }
    return exchange.answer(200, "text/plain; version=0.0.4; charset=utf-8",
                           exchange.service.metrics.to_text(group, async));
}

} // namespace serve
