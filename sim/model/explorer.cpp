// SPDX-License-Identifier: ISC
// Depth-first search over executions with replay. What is left out is left out because another order of the
// same steps builds the same graph (README.md, "Reduction").
#include "execution.hpp"

#include <bit>

namespace xtc::model {

namespace {

// Why a thread need not be run at a node: what begins with its next step was explored from a node above.
struct Rest {
    enum class Kind : uint8_t { none, full, partial };
    Kind kind = Kind::none;
    int limit = 0; // partial: but it has not yet read what was stored since there were that many stores
};

struct Node {
    unsigned to_run = 0; // threads, as bits
    unsigned done = 0;
    unsigned enabled = 0;
    int thread = 0;
    bool is_fresh = true; // choices are still to be found
    unsigned choice = 0;
    std::vector<Choice> choices;
    int stores = 0; // there were
    std::array<Rest, most_threads> rest;
};

constexpr unsigned bit(int thread) {
    return 1u << thread;
}

class Explorer {
public:
    Explorer(const Plan& plan, const std::function<void(Scene&)>& model) : plan_(plan), model_(model) {}
    Result explore();

private:
    enum class End : uint8_t { going_on, complete, repeats, cut };

    void run_once();
    bool advance();
    bool open_node();
    void note_step(const Clock& cause_before, size_t first_event);
    uint16_t first_of_step(const Event& e) const;
    void add_race(const Event& early, const Clock& cause_before);
    Rest rest_after_step(int thread, const Rest& before, size_t first_event) const;
    void take_failure();
    std::string who_sleeps() const;
    bool needs_rest(int thread, const Node& n) const;

    const Plan& plan_;
    const std::function<void(Scene&)>& model_;
    Execution x_;
    std::vector<Node> path_; // the first depth_ are in use
    size_t depth_ = 0;
    size_t at_ = 0;    // of the execution that goes on
    size_t fresh_ = 0; // steps from here on are made for the first time
    Result result_;
    size_t trace_steps_ = SIZE_MAX;
    uint64_t after_failure_ = 0;
};

// --- which threads

bool Explorer::needs_rest(int thread, const Node& n) const {
    const Rest& r = n.rest[static_cast<size_t>(thread)];
    if (r.kind == Rest::Kind::none) return false;
    if (r.kind == Rest::Kind::full) return true;
    std::vector<Choice> left;
    x_.choices(thread, r.limit, left);
    return left.empty();
}

Rest Explorer::rest_after_step(int thread, const Rest& before, size_t first_event) const {
    if (before.kind == Rest::Kind::none) return before;
    if ((x_.woken() & bit(thread)) != 0) return {}; // it goes on with another step
    const Op& next = x_.next_op(thread);
    if (!reads_memory(next.kind)) return before;
    const Graph& g = x_.graph();
    const int futex = is_futex(next.kind) ? x_.futex_of(next.location) : -1;
    for (size_t i = first_event; i < g.events().size(); ++i) {
        const Event& e = g.events()[i];
        if (e.wrote < 0) continue;
        if (is_futex(next.kind)) {
            if (e.location == futex || e.location == next.location) return {};
        } else if (e.location == next.location && before.kind == Rest::Kind::full) {
            return {Rest::Kind::partial, before.limit};
        }
    }
    return before;
}

// A node for the state that was reached. False: there is nothing to run.
bool Explorer::open_node() {
    if (path_.size() == at_) path_.emplace_back();
    Node& n = path_[at_];
    const int previous = at_ > 0 ? path_[at_ - 1].thread : 1;
    n.done = 0;
    n.enabled = 0;
    n.is_fresh = true;
    n.choice = 0;
    n.stores = x_.graph().store_count();
    if (at_ == 0 || !plan_.reduce) n.rest = {};
    for (int t = 1; t < x_.thread_count(); ++t)
        if (x_.status(t) == Execution::Status::ready) n.enabled |= bit(t);
    n.thread = 0;
    for (int i = 0, t = previous; i < x_.thread_count(); ++i, t = t % (x_.thread_count() - 1) + 1) {
        if ((n.enabled & bit(t)) == 0 || needs_rest(t, n)) continue;
        n.thread = t;
        break;
    }
    n.to_run = n.thread != 0 ? (plan_.reduce ? bit(n.thread) : n.enabled) : 0;
    return n.thread != 0;
}

// --- races: a step that would have given an earlier read something else to see

// A step happens as a whole: who needs its first event needs it.
uint16_t Explorer::first_of_step(const Event& e) const {
    const std::vector<Event>& events = x_.graph().events();
    auto i = static_cast<size_t>(&e - events.data());
    while (i > 0 && events[i - 1].step == e.step) --i;
    return events[i].number;
}

void Explorer::add_race(const Event& early, const Clock& cause_before) {
    Node& n = path_[early.step];
    const Node& here = path_[at_];
    const Graph& g = x_.graph();
    // Of every thread, its first step after `early` that does not need `early`.
    struct First {
        bool is_there = false;
        uint16_t number = 0;
        int read = -1;
        unsigned step = 0;
        Clock cause;
    };
    std::array<First, most_threads> firsts;
    // This step's cause, but for what it read of the place that is raced for.
    Clock cause_here = cause_before;
    for (size_t i = g.events().size(); i-- > 0 && g.events()[i].step == at_;) {
        const Event& e = g.events()[i];
        const int source = e.read >= 0 && e.location != early.location ? g.store(e.read).event : -1;
        if (source >= 0) cause_here.join(g.events()[static_cast<size_t>(source)].cause);
    }
    const uint16_t early_number = first_of_step(early);
    unsigned needs_early = 0; // the step: its last event knows
    for (size_t i = g.events().size(); i-- > 0;) {
        const Event& e = g.events()[i];
        if (e.step == early.step || e.thread == 0) break;
        First& f = firsts[e.thread];
        const bool is_here = e.step == at_;
        if (!is_here && e.cause.covers(early.thread, early_number)) needs_early = e.step;
        if (needs_early == e.step) continue;
        if (!f.is_there || f.step != e.step)
            f = {true, e.number, e.read, e.step, is_here ? cause_here : e.cause};
        f.number = e.number; // walking backwards: the first event of the step in the end
    }
    unsigned initials = 0;
    for (int t = 1; t < most_threads; ++t) {
        const First& f = firsts[static_cast<size_t>(t)];
        if (!f.is_there) continue;
        bool is_initial = (n.enabled & bit(t)) != 0;
        for (int other = 1; other < most_threads; ++other) {
            const First& g2 = firsts[static_cast<size_t>(other)];
            if (other != t && g2.is_there && f.cause.covers(other, g2.number)) is_initial = false;
        }
        if (!is_initial) continue;
        if ((n.to_run & bit(t)) != 0) return;
        const Rest& r = n.rest[static_cast<size_t>(t)];
        if (r.kind == Rest::Kind::full) return;
        if (r.kind == Rest::Kind::partial && f.read >= 0 && f.read < r.limit) return;
        initials |= bit(t);
    }
    if (initials == 0) initials = n.enabled; // cannot be; then everything
    n.to_run |=
        (initials & bit(here.thread)) != 0 ? bit(here.thread) : initials & (~initials + 1); // one is enough
}

void Explorer::note_step(const Clock& cause_before, size_t first_event) {
    const Graph& g = x_.graph();
    const int me = path_[at_].thread;
    for (size_t i = first_event; i < g.events().size(); ++i) {
        const Event& e = g.events()[i];
        if (e.location < 0 || (e.wrote < 0 && e.act != Act::failed_cas)) continue;
        for (const int other : g.location(e.location).accesses) {
            const Event& early = g.events()[static_cast<size_t>(other)];
            if (early.thread == me || early.thread == 0 || early.read < 0 || early.step >= at_) continue;
            // A compare-exchange that failed might have written, had a later one not been in its way.
            if (e.wrote < 0 && early.wrote < 0) continue;
            if (!cause_before.covers(early.thread, first_of_step(early))) add_race(early, cause_before);
        }
    }
    // Whoever was woken could have been first to give up.
    path_[at_].to_run |= x_.overtaken() & path_[at_].enabled;
}

// --- one execution

std::string Explorer::who_sleeps() const {
    std::string names;
    for (int t = 1; t < x_.thread_count(); ++t) {
        if (x_.status(t) != Execution::Status::asleep || x_.may_sleep_for_ever(t)) continue;
        names += (names.empty() ? "" : ", ") + x_.thread_name(t);
    }
    return names;
}

void Explorer::run_once() {
    End end = End::going_on;
    x_.begin(plan_, model_);
    for (at_ = 0; !x_.has_failed(); ++at_) {
        if (at_ == depth_) {
            const bool goes_on = open_node();
            if (!goes_on) {
                end = path_[at_].enabled == 0 ? End::complete : End::repeats;
                break;
            }
            ++depth_;
        }
        if (at_ >= plan_.most_steps || x_.graph().is_full()) {
            end = End::cut;
            break;
        }
        Node& n = path_[at_];
        const size_t first_event = x_.graph().events().size();
        const Clock cause_before = x_.graph().cause(n.thread);
        const auto step = static_cast<unsigned>(at_);
        x_.prelude(n.thread, step);
        if (n.is_fresh) {
            const Rest& r = n.rest[static_cast<size_t>(n.thread)];
            x_.choices(n.thread, r.kind == Rest::Kind::partial ? r.limit : 0, n.choices);
            n.is_fresh = false;
            if (n.choices.empty()) {
                end = End::repeats;
                break;
            }
        }
        x_.step(n.thread, n.choices[n.choice], step);
        if (!plan_.reduce) continue;
        if (at_ >= fresh_) note_step(cause_before, first_event);
        if (at_ + 1 == depth_) { // what the node below inherits
            if (path_.size() == depth_) path_.emplace_back();
            for (int t = 1; t < x_.thread_count(); ++t)
                path_[depth_].rest[static_cast<size_t>(t)] =
                    t == path_[at_].thread
                        ? Rest{}
                        : rest_after_step(t, path_[at_].rest[static_cast<size_t>(t)], first_event);
        }
    }
    result_.fault_hits = x_.fault_hits();
    if (end == End::complete) {
        const std::string asleep = who_sleeps();
        if (!asleep.empty()) x_.fail("nobody wakes " + asleep + " any more");
    }
    if (end == End::complete && !x_.has_failed()) {
        if (plan_.keep_graphs) result_.graphs.insert(x_.graph().hash());
        bool all_ended = true;
        for (int t = 1; t < x_.thread_count(); ++t) all_ended &= x_.status(t) == Execution::Status::ended;
        if (all_ended) x_.finish();
        if (!x_.has_failed() && !x_.outcome().empty()) result_.outcomes.insert(x_.outcome());
    }
    if (x_.has_failed()) take_failure();
    result_.executions += end == End::complete || end == End::going_on ? 1 : 0;
    result_.abandoned += end == End::repeats ? 1 : 0;
    result_.cut += end == End::cut ? 1 : 0;
    x_.abandon();
}

void Explorer::take_failure() {
    const size_t steps = x_.graph().events().size();
    if (steps < trace_steps_) {
        trace_steps_ = steps;
        result_.failure = x_.failure();
        result_.trace = x_.trace();
    }
}

// The next way to go on: the deepest node that has one.
bool Explorer::advance() {
    for (; depth_ > 0; --depth_) {
        Node& n = path_[depth_ - 1];
        fresh_ = depth_ - 1;
        if (!n.is_fresh && n.choice + 1 < n.choices.size()) {
            ++n.choice;
            return true;
        }
        n.done |= bit(n.thread);
        if (plan_.reduce) n.rest[static_cast<size_t>(n.thread)] = {Rest::Kind::full, n.stores};
        for (int t = 1; t < most_threads; ++t) {
            if ((n.to_run & ~n.done & bit(t)) == 0) continue;
            if (n.rest[static_cast<size_t>(t)].kind == Rest::Kind::full) continue;
            n.thread = t;
            n.choice = 0;
            n.is_fresh = true;
            return true;
        }
    }
    return false;
}

Result Explorer::explore() {
    uint64_t hits = 0;
    for (;;) {
        run_once();
        hits = std::max(hits, result_.fault_hits);
        if (!result_.failure.empty() && ++after_failure_ > plan_.search_shorter) break;
        if (result_.executions + result_.abandoned >= plan_.most_executions) break;
        if (advance()) continue;
        result_.is_complete = result_.cut == 0;
        break;
    }
    result_.fault_hits = hits;
    return std::move(result_);
}

} // namespace

Result explore(const Plan& plan, const std::function<void(Scene&)>& model) {
    return Explorer(plan, model).explore();
}

} // namespace xtc::model
