// SPDX-License-Identifier: ISC
#include "completions.hpp"

#include <xtc.h>

#include "completion_reply.hpp"
#include "sequence.hpp"
#include "sse.hpp"
#include "utf8_holder.hpp"

namespace serve {
namespace {

constexpr std::int64_t for_ever = -1;

ApiError refused(const Service& service, int status) {
    if (service.draining.load()) {
        return {.status = 503,
                .message = "The server is stopping.",
                .code = "stopping",
                .param = {},
                .retry_after_s = 5};
    }
    if (status == XTC_E_AGAIN) {
        return {.status = 429,
                .message =
                    "The server is overloaded: as many requests as it takes are waiting. Try again later.",
                .code = "overloaded",
                .param = {},
                .retry_after_s = 1};
    }
    if (status == XTC_E_RANGE) {
        return bad_request("The request needs more of the cache than there is.", "max_tokens",
                           "context_length_exceeded");
    }
    return {.status = 500,
            .message = std::string("The request was not accepted: ") + xtc_strerror(status) + ".",
            .code = {},
            .param = {}};
}

ApiError broken_off(Finish how) {
    if (how == Finish::cancelled) {
        return {.status = 503,
                .message = "The server stopped before the answer was complete.",
                .code = "stopping",
                .param = {}};
    }
    return {
        .status = 500, .message = "The model failed on this request.", .code = "model_failed", .param = {}};
}

std::string_view reason_of(Finish how) {
    return how == Finish::stop ? "stop" : "length";
}

// One accepted request on its way back to the client.
class Answer {
public:
    Answer(Exchange& exchange, const CompletionRequest& request, Sequence& sequence, std::uint64_t handle,
           std::uint64_t serial)
        : exchange_(exchange), sequence_(sequence), handle_(handle), streaming_(request.stream),
          include_usage_(request.include_usage),
          reply_(request, exchange.service.limits.model, serial, xtc_clock_real() / 1'000'000'000) {}

    bool run() {
        if (streaming_ && !begin()) return leave();
        while (true) {
            const OutputChannel::News news = sequence_.output.take();
            text_.clear();
            characters_.feed(news.text, streaming_ ? text_ : whole_);
            if (news.finished != Finish::none) return finish(news.finished);
            if (!text_.empty() && !pass_on()) return leave();
            if (!news.text.empty()) continue;
            const HttpConnection::Wake wake = exchange_.client.wait(for_ever);
            if (wake == HttpConnection::Wake::gone) return leave();
            if (wake == HttpConnection::Wake::input && exchange_.client.peer_left()) return leave();
        }
    }

private:
    bool begin() {
        std::string events;
        if (const std::string first = reply_.first_piece(); !first.empty()) append_sse_event(events, first);
        exchange_.count(200);
        return exchange_.client.begin_stream(exchange_.request, "text/event-stream", exchange_.keep_alive(),
                                             events);
    }

    bool pass_on() {
        std::string event;
        append_sse_event(event, reply_.text_piece(text_));
        return exchange_.client.stream(event);
    }

    // The client does not take the answer any more: nobody shall compute it.
    bool leave() {
        exchange_.service.metrics.disconnects.fetch_add(1);
        exchange_.service.engine.cancel(sequence_, handle_);
        return false;
    }

    bool finish(Finish how) {
        const bool broken = how == Finish::cancelled || how == Finish::failed;
        characters_.finish(streaming_ ? text_ : whole_);
        const Usage usage = {.prompt_tokens = sequence_.prompt.size(),
                             .completion_tokens = sequence_.output.written().size()};
        if (!streaming_) {
            if (broken) return exchange_.answer(broken_off(how));
            return exchange_.answer(200, "application/json", reply_.whole(whole_, reason_of(how), usage));
        }
        std::string events;
        if (!text_.empty()) append_sse_event(events, reply_.text_piece(text_));
        append_sse_event(events, broken ? broken_off(how).to_json() : reply_.last_piece(reason_of(how)));
        if (!broken && include_usage_) append_sse_event(events, reply_.usage_piece(usage));
        append_sse_event(events, "[DONE]");
        return exchange_.client.end_stream(events) && !broken;
    }

    Exchange& exchange_;
    Sequence& sequence_;
    const std::uint64_t handle_;
    const bool streaming_;
    const bool include_usage_;
    const CompletionReply reply_;
    Utf8Holder characters_;
    std::string text_;  // since the last event
    std::string whole_; // when nothing is streamed
};

// Spreads consecutive numbers over all 64 bits.
std::uint64_t scatter(std::uint64_t number) {
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

} // namespace

bool serve_completion(Exchange& exchange, Dialect dialect) {
    Service& service = exchange.service;
    CompletionRequest request;
    if (const auto trouble = parse_completion(exchange.request.body(), dialect, service.limits, request)) {
        return exchange.answer(*trouble);
    }
    const std::uint64_t serial = scatter(service.serial.fetch_add(1));
    if (!request.seeded) request.sampling.seed = serial;

    const SequenceHold sequence(Sequence::make(request, xtc_self()));
    std::uint64_t handle = 0;
    if (const int status = service.engine.submit(*sequence.get(), &handle); status != XTC_OK) {
        if (status == XTC_E_AGAIN) service.metrics.overloads.fetch_add(1);
        return exchange.answer(refused(service, status));
    }
    return Answer(exchange, request, *sequence.get(), handle, serial).run();
}

} // namespace serve
