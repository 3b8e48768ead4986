// SPDX-License-Identifier: ISC
#include "batch/model/script.hpp"

#include <algorithm>

namespace model {

Limits Script::limits() const {
    const auto at_least = [this](size_t which, int least) {
        return static_cast<size_t>(std::max(make[which], least));
    };
    Limits limits;
    limits.async = make[Make::async] != 0;
    limits.max_active = at_least(Make::max_active, 1);
    limits.capacity = std::max(at_least(Make::capacity, 1), limits.max_active);
    limits.units = at_least(Make::units, 1);
    limits.mt = limits.async ? at_least(Make::mt, 0) : 0;
    limits.timeout_ns = limits.async ? make[Make::timeout] : 0;
    limits.has_hint = limits.async && make[Make::hint] != 0;
    if (make[Make::near_the_end] > 0)
        limits.last_handle = UINT64_MAX - static_cast<uint64_t>(make[Make::near_the_end]);
    return limits;
}

std::string code_name(int code) {
    static constexpr const char* names[] = {
        "XTC_OK",        "XTC_E_INVAL",    "XTC_E_NOMEM",    "XTC_E_NOSYS",  "XTC_E_RANGE",
        "XTC_E_AGAIN",   "XTC_E_INTERNAL", "XTC_E_RESOURCE", "XTC_E_DEADLK", "XTC_E_VERSION",
        "XTC_E_ABORTED", "XTC_E_NOTFOUND", "XTC_E_IO",
    };
    return code <= 0 && code >= XTC_E_IO ? names[-code] : std::to_string(code);
}

namespace {

constexpr const char* kActNames[kActs] = {
    "submit", "submit_mt", "cancel",  "cancel_mt", "resume", "resume_mt", "close",   "destroy",
    "stats",  "turn",      "advance", "resolve",   "kill",   "stall",     "unstall", "nudge"};
constexpr const char* kTokens[] = {
    "SYNC",    "FUTURE",      "FENCE",      "BLOCKING",     "FUTURE_READY",     "FENCE_READY",
    "UNKNOWN", "FUTURE_NULL", "FENCE_NONE", "FENCE_CLOSED", "BLOCKING_REFUSED", "BLOCKING_NULL"};
constexpr const char* kStates[] = {"DONE", "CONTINUE", "BLOCKED", "ERROR", "ERROR_BAD", "UNSET", "INVALID"};
constexpr const char* kPlaces[] = {"none", "vector", "collect", "complete", "hint"};
constexpr const char* kAnswers[] = {"XTC_OK", "XTC_E_RESOURCE", "5"};
constexpr const char* kHow[] = {"OK", "NEGATIVE", "POSITIVE", "DROPPED", "LATE"};
constexpr const char* kMalformed[] = {"", ", NO_OUT", ", FOREIGN_LOOP", ", NO_LOOP", ", WRONG_SIZE"};

template <size_t N> const char* name(const char* const (&names)[N], int which) {
    return names[static_cast<size_t>(which) % N];
}

std::string turn_in_c(const Step& s) {
    std::string text = "turn(";
    const auto add = [&text](const std::string& piece) { text += (text.size() > 5 ? ", " : "") + piece; };
    const auto of = [&s](size_t which) { return s.a[which]; };
    if (of(Turn::token) != 0) add(std::string(".token = ") + name(kTokens, of(Turn::token)));
    const int first = of(Turn::state);
    if (of(2) == first && of(3) == first && of(4) == first) {
        if (first != 0) add(std::string(".states = ALL_") + name(kStates, first));
    } else {
        std::string states;
        for (size_t i = 0; i < 4; ++i)
            states += std::string(i > 0 ? ", " : "") + name(kStates, of(Turn::state + i));
        add(".states = {" + states + "}"); // of the handles modulo 4
    }
    if (of(Turn::vector_rc) != 0) add(std::string(".vector_rc = ") + name(kAnswers, of(Turn::vector_rc)));
    if (of(Turn::collect_rc) != 0) add(std::string(".collect_rc = ") + name(kAnswers, of(Turn::collect_rc)));
    if (of(Turn::call_in) != 0)
        add(std::string(".in_") + name(kPlaces, of(Turn::call_in)) + " = " + name(kActNames, of(Turn::call)) +
            "(" + std::to_string(of(Turn::argument)) + ")");
    if (of(Turn::yield_in) != 0) add(std::string(".yield_in = ") + name(kPlaces, of(Turn::yield_in)));
    if (of(Turn::exit_in) != 0) add(std::string(".exit_in = ") + name(kPlaces, of(Turn::exit_in)));
    return text + ");";
}

} // namespace

std::string act_name(Act act) {
    return kActNames[static_cast<size_t>(act)];
}

std::string in_c(const Step& s) {
    const std::string act = act_name(s.act);
    const std::string number = std::to_string(s.a[0]);
    switch (s.act) {
    case Act::turn:
        return turn_in_c(s);
    case Act::resolve:
        return act + "(" + name(kHow, s.a[0]) + ");";
    case Act::close:
        return act + "(" +
               (s.a[0] == 0   ? "DRAIN"
                : s.a[0] == 1 ? "CANCEL"
                              : number) +
               name(kMalformed, s.a[1]) + ");";
    case Act::nudge:
        return s.a[0] == 0 ? "send_mail(driver);" : "wake(driver);";
    case Act::kill:
    case Act::unstall:
        return act + "();";
    case Act::destroy:
    case Act::stats:
        return act + "(group" + name(kMalformed, s.a[0]) + ");";
    default:
        return act + "(" + number + name(kMalformed, s.a[1]) + ");";
    }
}

std::string in_c(const Script& script) {
    const Limits l = script.limits();
    std::string text = l.async ? "create_async(" : "create(";
    text += ".capacity = " + std::to_string(l.capacity) + ", .max_active = " + std::to_string(l.max_active) +
            ", .resource_capacity = " + std::to_string(l.units);
    if (l.async) {
        text += ", .mt_queue_cap = " + std::to_string(l.mt);
        text += ", .exec_timeout_ns = " + std::to_string(l.timeout_ns);
        text += l.has_hint ? ", .cancel_hint = hint" : "";
    }
    text += ");";
    if (l.last_handle != 0) text += " /* the last handle was " + std::to_string(l.last_handle) + " */";
    return text;
}

} // namespace model
