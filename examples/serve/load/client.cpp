// SPDX-License-Identifier: ISC
#include "client.hpp"

#include <iterator>

#include <nlohmann/json.hpp>
#include <xtc.h>
#include <xtc_proc.h>

#include "../sse.hpp"

namespace load {
namespace {

using nlohmann::json;

constexpr std::int64_t refused_pause_ns = 50'000'000;

// Beginnings of different lengths, the last long enough that its prefill takes several steps.
constexpr const char* prompts[] = {
    "In the beginning ",
    "And it came to pass, when ",
    "The LORD is ",
    "Thou shalt not ",
    "And the children of Israel ",
    "Behold, I will ",
    "Now these are the names of the sons of ",
    "And the king said unto his servants, Go ye and search the land from the river even unto the great sea, ",
};

} // namespace

// One answer as it comes in.
class Load::Stream {
public:
    Stream(Report& report, int leave_after)
        : report_(report), leave_after_(leave_after), last_ns_(xtc_clock_mono()) {}

    bool take(std::string_view body) {
        events_.feed(body);
        const std::uint64_t before = received_;
        while (const auto event = events_.next()) {
            if (*event == "[DONE]")
                complete_ = true;
            else
                take_event(json::parse(*event, nullptr, false));
        }
        if (received_ > before) note_arrival(before, received_ - before);
        return leave_after_ == 0 || pieces_ < leave_after_;
    }

    bool complete() const { return complete_; }
    bool broken() const { return broken_; }
    const std::string& text() const { return text_; }

private:
    void take_event(const json& event) {
        if (!event.is_object() || !event.contains("choices")) { // an error, or nothing we know
            broken_ = true;
            return;
        }
        for (const json& choice : event["choices"]) take_text(choice.value("text", ""));
    }

    void take_text(const std::string& text) {
        if (text.empty()) return;
        ++pieces_;
        received_ += text.size(); // a byte is a token
        text_ += text;
    }

    // Tokens that came together share the time since those before.
    void note_arrival(std::uint64_t before, std::uint64_t count) {
        const std::int64_t now_ns = xtc_clock_mono();
        const std::int64_t gap_ns = now_ns - last_ns_;
        last_ns_ = now_ns;
        report_.tokens += count;
        if (before == 0)
            report_.first_token_ns.push_back(gap_ns);
        else
            report_.inter_token_ns.insert(report_.inter_token_ns.end(), count,
                                          gap_ns / static_cast<std::int64_t>(count));
    }

    Report& report_;
    const int leave_after_;
    serve::SseReader events_;
    std::string text_;
    std::int64_t last_ns_;
    std::uint64_t received_ = 0;
    int pieces_ = 0;
    bool complete_ = false;
    bool broken_ = false;
};

bool Load::read_counters(double& steps, double& members) {
    HttpClient client(plan.target);
    std::string page;
    if (client.get("/metrics", page) != 200) return false;
    auto samples = read_metrics(page);
    steps = samples["serve_batch_iterations_total"];
    members = samples["serve_batch_members_total"];
    return true;
}

bool Load::look_around() {
    HttpClient client(plan.target);
    std::string list;
    bool known = !plan.model.empty();
    if (!known && client.get("/v1/models", list) == 200) {
        const json models = json::parse(list, nullptr, false);
        known = models.is_object() && models.contains("data") && !models["data"].empty();
        if (known) plan.model = models["data"][0].value("id", "");
    }
    if (known && read_counters(steps_before_, members_before_)) return true;
    ++report.failed;
    clients_ = 0;
    return false;
}

void Load::begin() {
    began_ns_ = xtc_clock_mono();
}

void Load::end() {
    report.elapsed_ns = xtc_clock_mono() - began_ns_;
    double steps = 0;
    double members = 0;
    if (!read_counters(steps, members)) return;
    report.steps = static_cast<std::uint64_t>(steps - steps_before_);
    if (report.steps > 0)
        report.mean_vector = (members - members_before_) / static_cast<double>(report.steps);
}

void Load::run_client() {
    HttpClient client(plan.target);
    while (taken_ < plan.requests) stream_one(client, taken_++);
    --clients_;
}

void Load::stream_one(HttpClient& client, std::uint64_t number) {
    const char* prompt = prompts[number % std::size(prompts)];
    const json body = {{"model", plan.model}, {"prompt", prompt}, {"max_tokens", plan.max_tokens},
                       {"temperature", 0.7},  {"seed", number},   {"stream", true}};
    const bool leaves = plan.leave_every > 0 && number % plan.leave_every == plan.leave_every - 1;
    while (true) {
        Stream stream(report, leaves ? std::max(plan.max_tokens / 2, 1) : 0);
        const unsigned status = client.request("POST", "/v1/completions", body.dump(),
                                               [&](std::string_view piece) { return stream.take(piece); });
        if (status == 429) {
            ++report.refused;
            xtc_proc_sleep(refused_pause_ns);
            continue;
        }
        const bool good = status == 200 && !stream.broken() && (leaves || stream.complete());
        ++(!good ? report.failed : leaves && !stream.complete() ? report.left : report.answered);
        if (good && stream.complete() && report.answer.empty()) {
            report.prompt = prompt;
            report.answer = stream.text();
        }
        return;
    }
}

} // namespace load
