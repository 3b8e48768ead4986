// SPDX-License-Identifier: ISC
// An execution in words: a line for each operation, in an order in which it can happen.
#include "execution.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace xtc::model {

namespace {

const char* name_of(OpKind k) {
    switch (k) {
    case OpKind::load:
        return "load";
    case OpKind::store:
        return "store";
    case OpKind::exchange:
        return "exchange";
    case OpKind::add:
        return "fetch_add";
    case OpKind::sub:
        return "fetch_sub";
    case OpKind::bit_or:
        return "fetch_or";
    case OpKind::bit_and:
        return "fetch_and";
    case OpKind::bit_xor:
        return "fetch_xor";
    case OpKind::cas:
    case OpKind::weak_cas:
        return "compare_exchange";
    case OpKind::fence:
        return "fence";
    case OpKind::futex_wait:
        return "FUTEX_WAIT";
    case OpKind::futex_wake:
        return "FUTEX_WAKE";
    case OpKind::futex_timeout:
        return "times out";
    }
    return "?";
}

const char* name_of(Order o) {
    switch (o) {
    case Order::relaxed:
        return "relaxed";
    case Order::consume:
    case Order::acquire:
        return "acquire";
    case Order::release:
        return "release";
    case Order::acq_rel:
        return "acq_rel";
    case Order::seq_cst:
        return "seq_cst";
    }
    return "?";
}

// "void xtc::Doorbell::ring()" and "../src/loop/doorbell.cpp": Doorbell::ring doorbell.cpp:23
std::string short_site(const Site& site) {
    std::string f = site.function;
    if (const size_t open = f.find('('); open != std::string::npos) f.erase(open);
    if (const size_t space = f.rfind(' '); space != std::string::npos) f.erase(0, space + 1);
    if (f.starts_with("xtc::")) f.erase(0, 5);
    const char* file = std::strrchr(site.file, '/');
    return f + " " + (file != nullptr ? file + 1 : site.file) + ":" + std::to_string(site.line);
}

std::string in_hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof(text), value < 1000 ? "%llu" : "0x%llx",
                  static_cast<unsigned long long>(value));
    return text;
}

} // namespace

std::string Execution::thread_name(int thread) const {
    return thread_names_[static_cast<size_t>(thread)];
}

std::string Execution::name_of(int location) const {
    const char* address = static_cast<const char*>(graph_.location(location).address);
    for (const Name& n : names_) {
        if (address < n.begin || address >= n.begin + n.size) continue;
        std::vector<const char*> inside;
        for (int l = 0; l < graph_.location_count(); ++l) {
            const char* a = static_cast<const char*>(graph_.location(l).address);
            if (a >= n.begin && a < n.begin + n.size) inside.push_back(a);
        }
        std::sort(inside.begin(), inside.end());
        const auto i = static_cast<size_t>(std::find(inside.begin(), inside.end(), address) - inside.begin());
        if (i < n.names.size()) return n.names[i];
    }
    return "atomic " + std::to_string(location);
}

// Does it take a store although a later one was already there?
bool Execution::is_stale(const Event& e, int index) const {
    const unsigned place = graph_.store(e.read).place;
    for (const int s : graph_.location(e.location).order) {
        const Store& later = graph_.store(s);
        if (later.place > place && later.event >= 0 && later.event < index) return true;
    }
    return false;
}

std::string Execution::trace() const {
    std::string text;
    char line[400];
    for (size_t i = 0; i < graph_.events().size(); ++i) {
        const Event& e = graph_.events()[i];
        if (e.thread == 0) continue; // the setup; what it stored keeps its number
        std::string what = model::name_of(e.kind), value, took;
        if (e.location >= 0) {
            const Location& l = graph_.location(e.location);
            if (!l.is_futex) {
                what = name_of(e.location) + "." + what;
                if (e.act == Act::failed_cas) what += " (fails)";
            } else {
                what = "kernel: futex queue";
            }
            if (e.read >= 0) {
                const Store& s = graph_.store(e.read);
                value = in_hex(s.value);
                if (s.event < 0)
                    took = "first value";
                else
                    took = "of #" + std::to_string(s.event + 1) + " " +
                           thread_name(graph_.events()[static_cast<size_t>(s.event)].thread);
                if (is_stale(e, static_cast<int>(i))) took += ", an old one";
            }
            if (e.wrote >= 0) value += (value.empty() ? "" : " -> ") + in_hex(graph_.store(e.wrote).value);
        }
        std::snprintf(line, sizeof(line), "  #%-3zu %-10s %-30s %-8s %-18s %-24s %s\n", i + 1,
                      thread_name(e.thread).c_str(), what.c_str(), model::name_of(e.order), value.c_str(),
                      took.c_str(), short_site(e.site).c_str());
        text += line;
    }
    for (int t = 1; t < thread_count(); ++t)
        if (status(t) == Status::asleep) text += "  " + thread_name(t) + " sleeps\n";
    return text;
}

std::string describe(const Plan& plan, const Result& result) {
    std::string text = plan.name + ": " + std::to_string(result.executions) + " executions";
    if (result.abandoned != 0) text += ", " + std::to_string(result.abandoned) + " given up as repeats";
    if (result.cut != 0) text += ", " + std::to_string(result.cut) + " CUT as too long";
    if (!result.failure.empty()) return text + ": " + result.failure + "\n" + result.trace;
    return text + (result.is_complete ? ": all of them" : ": NOT all, a bound was hit");
}

} // namespace xtc::model
