// SPDX-License-Identifier: ISC
#include "metrics.hpp"

#include <cstdio>

namespace serve {
namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
    out.append("# HELP ").append(name).append(" ").append(help);
    out.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

void sample(std::string& out, std::string_view name, std::string_view labels, std::string_view value) {
    out.append(name).append(labels).append(" ").append(value).append("\n");
}

void one(std::string& out, std::string_view name, std::string_view type, std::string_view help, auto value) {
    head(out, name, type, help);
    sample(out, name, "", std::to_string(value));
}

} // namespace

void DurationHistogram::record(std::int64_t ns) {
    const double seconds = static_cast<double>(ns) * 1e-9;
    std::size_t bucket = 0;
    while (bucket < bounds_s.size() && seconds > bounds_s[bucket]) ++bucket;
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_ns_.fetch_add(ns, std::memory_order_relaxed);
}

void DurationHistogram::append_to(std::string& out, std::string_view name, std::string_view help) const {
    head(out, name, "histogram", help);
    const std::string base(name);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i <= bounds_s.size(); ++i) {
        seen += counts_[i].load(std::memory_order_relaxed);
        const std::string bound = i < bounds_s.size() ? number(bounds_s[i]) : "+Inf";
        sample(out, base + "_bucket", "{le=\"" + bound + "\"}", std::to_string(seen));
    }
    sample(out, base + "_sum", "",
           number(static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) * 1e-9));
    sample(out, base + "_count", "", std::to_string(seen));
}

std::string Metrics::to_text(const xtc_batch_stats_t& group, const xtc_batch_async_stats_t& async) const {
    std::string out;
    one(out, "serve_connections", "gauge", "Open client connections", connections.load());
    one(out, "serve_connections_total", "counter", "Connections accepted", connections_total.load());
    one(out, "serve_connections_refused_total", "counter", "Connections over the limit",
        refused_connections.load());
    head(out, "serve_answers_total", "counter", "Answers by class of status");
    for (std::size_t i = 2; i < answers.size(); ++i) {
        sample(out, "serve_answers_total", "{status=\"" + std::to_string(i) + "xx\"}",
               std::to_string(answers[i].load()));
    }
    one(out, "serve_overloads_total", "counter", "Requests answered 429", overloads.load());
    one(out, "serve_disconnects_total", "counter", "Requests whose client left", disconnects.load());
    one(out, "serve_prompt_tokens_total", "counter", "Tokens of accepted prompts", prompt_tokens.load());
    one(out, "serve_generated_tokens_total", "counter", "Tokens generated", generated_tokens.load());
    one(out, "serve_kv_slots_in_use", "gauge", "Cache slots with a sequence", slots_in_use.load());
    one(out, "serve_sequences", "gauge", "Requests in memory", sequences.load());
    one(out, "serve_cancel_steps_max", "gauge",
        "Steps begun between a cancel and the end of its request", max_cancel_steps.load());

    one(out, "serve_batch_queued", "gauge", "Requests waiting for admission", group.queued);
    one(out, "serve_batch_ready", "gauge", "Active requests", group.ready);
    one(out, "serve_batch_blocked", "gauge", "Active requests that wait for a resume", group.blocked);
    one(out, "serve_batch_reserved_units", "gauge", "KV tokens reserved by active requests",
        group.reserved_units);
    one(out, "serve_batch_iterations_total", "counter", "Steps", group.iterations);
    one(out, "serve_batch_members_total", "counter", "Sum of the steps' vector lengths", group.total_members);
    one(out, "serve_batch_max_vector", "gauge", "The longest vector", group.max_vector);
    one(out, "serve_batch_completed_total", "counter", "Requests finished", group.completed);
    one(out, "serve_batch_cancelled_total", "counter", "Requests cancelled", group.cancelled);
    one(out, "serve_batch_failed_total", "counter", "Requests failed", group.failed);
    one(out, "serve_batch_offloads_total", "counter", "Fences awaited", async.offloads);
    one(out, "serve_batch_offload_errors_total", "counter", "Fences that failed", async.offload_errors);
    one(out, "serve_batch_mt_queued", "gauge", "Hand-ins not admitted yet", async.mt_queued);
    one(out, "serve_batch_mt_rejections_total", "counter", "Hand-ins refused", async.mt_rejections);

    queue_time.append_to(out, "serve_queue_seconds", "From the request to its first step");
    first_token_time.append_to(out, "serve_first_token_seconds", "From the request to its first token");
    step_time.append_to(out, "serve_step_seconds", "One step, from launch to collect");
    return out;
}

} // namespace serve
