// SPDX-License-Identifier: ISC
#include "graph.hpp"

namespace xtc::model {

void Graph::clear() {
    threads_ = {};
    events_.clear();
    stores_.clear();
    location_count_ = 0;
    sc_.clear();
}

int Graph::add_location(const void* address, uint64_t value, int maker) {
    if (location_count_ == locations_.size()) locations_.emplace_back();
    Location& l = locations_[location_count_];
    Thread& t = threads_[static_cast<size_t>(maker)];
    l.address = address;
    l.maker = static_cast<uint8_t>(maker);
    l.maker_count = t.made++;
    l.made_after = t.count;
    l.alive = true;
    l.is_futex = false;
    l.accesses.clear();
    l.order.assign(1, static_cast<int>(stores_.size()));
    Store& first = stores_.emplace_back();
    first.location = static_cast<int>(location_count_);
    first.value = value;
    return static_cast<int>(location_count_++);
}

// Whoever comes first makes it, so it is named after the location.
int Graph::add_futex(int of) {
    const int f = add_location(nullptr, 0, 0);
    --threads_[0].made;
    Location& l = locations_[static_cast<size_t>(f)];
    l.is_futex = true;
    l.maker_count = static_cast<uint16_t>(0x8000 | location(of).maker << 12 | location(of).maker_count);
    return f;
}

bool Graph::end_location(int location, int thread) {
    Location& l = locations_[static_cast<size_t>(location)];
    l.alive = false;
    const Clock& known = clock(thread);
    for (const int i : l.accesses) {
        const Event& e = events_[static_cast<size_t>(i)];
        if (!known.covers(e.thread, e.number)) return false;
    }
    return true;
}

// Whoever made it must have told: made_after + 1 is the first event that can.
bool Graph::knows_location(int location, int thread) const {
    const Location& l = this->location(location);
    return l.maker == thread || l.maker == 0 || clock(thread).covers(l.maker, l.made_after + 1u);
}

int Graph::find_location(const void* address) const {
    for (size_t i = location_count_; i-- > 0;)
        if (locations_[i].address == address) return static_cast<int>(i);
    return -1;
}

int Graph::rank(const Event& e) const {
    return e.wrote >= 0 ? static_cast<int>(store(e.wrote).place) * 4
                        : static_cast<int>(store(e.read).place) * 4 + 2;
}

// The oldest store that a read may still take: coherence.
unsigned Graph::first_visible(int thread, const Location& l) const {
    const Clock& known = clock(thread);
    unsigned first = 0;
    for (const int i : l.accesses) {
        const Event& e = events_[static_cast<size_t>(i)];
        if (known.covers(e.thread, e.number))
            first = std::max(first, store(e.wrote >= 0 ? e.wrote : e.read).place);
    }
    return first;
}

bool Graph::is_glued(const Location& l, unsigned place) const {
    return place < l.order.size() && store(l.order[place]).follows >= 0;
}

Order Graph::order_of(const Op& op, const Choice& c) const {
    return is_cas(op.kind) && c.place < 0 ? op.failure : op.order;
}

ScOrder::Candidate Graph::candidate(int thread, const Op& op, const Choice& c) const {
    const Thread& t = threads_[static_cast<size_t>(thread)];
    const Order order = order_of(op, c);
    ScOrder::Candidate e;
    e.thread = thread;
    e.is_sc = order == Order::seq_cst;
    e.is_fence = op.kind == OpKind::fence;
    e.before = t.clock;
    e.clock = t.clock;
    e.clock.reach(thread, t.count + 1u);
    if (e.is_fence) {
        if (acquires(order)) e.clock.join(t.unacquired);
        return e;
    }
    e.location = op.location;
    e.rank = c.place >= 0 ? c.place * 4 - 1 : static_cast<int>(store(c.read).place) * 4 + 2;
    if (c.read >= 0 && acquires(order)) e.clock.join(store(c.read).release);
    return e;
}

bool Graph::is_allowed(int thread, const Op& op, const Choice& c) const {
    if (sc_.is_empty()) return true;
    if (order_of(op, c) != Order::seq_cst && !sc_.has_fences()) return true;
    return const_cast<ScOrder&>(sc_).allows(*this, candidate(thread, op, c));
}

void Graph::choices(int thread, const Op& op, int limit, bool may_fail, std::vector<Choice>& out) const {
    out.clear();
    if (op.kind == OpKind::fence) {
        out.emplace_back();
        return;
    }
    const Location& l = location(op.location);
    const unsigned first = first_visible(thread, l);
    const auto size = static_cast<unsigned>(l.order.size());
    // Reading the last store, or storing behind it, is always consistent.
    const auto offer = [&](const Choice& c, bool is_last) {
        if (c.read >= 0 && c.read < limit) return;
        if (is_last || is_allowed(thread, op, c)) out.push_back(c);
    };
    if (op.kind == OpKind::store) {
        for (unsigned place = size; place > first; --place)
            if (!is_glued(l, place)) offer({-1, static_cast<int>(place)}, place == size);
        return;
    }
    for (unsigned place = size; place-- > first;) {
        const int s = l.order[place];
        const bool is_last = place + 1 == size;
        const Choice only_read{s, -1}, both{s, static_cast<int>(place) + 1};
        if (op.kind == OpKind::load || (is_cas(op.kind) && !op.expects(store(s).value))) {
            offer(only_read, is_last);
            continue;
        }
        if (!is_glued(l, place + 1)) offer(both, is_last);
        if (op.kind == OpKind::weak_cas && may_fail) offer(only_read, is_last);
    }
}

uint64_t Graph::perform(int thread, const Op& op, const Choice& choice, unsigned step, bool* wrote) {
    Thread& t = threads_[static_cast<size_t>(thread)];
    const Order order = order_of(op, choice);
    const ScOrder::Candidate candidate = this->candidate(thread, op, choice);
    const bool matters = candidate.is_sc || sc_.has_fences();

    Event e;
    e.kind = op.kind;
    e.order = order;
    e.thread = static_cast<uint8_t>(thread);
    e.number = ++t.count;
    e.step = step;
    e.site = op.site;
    e.location = candidate.location;
    e.read = choice.read;
    e.before = candidate.before;
    e.clock = candidate.clock;
    e.cause = t.cause;
    e.cause.reach(thread, e.number);
    if (matters) e.sc = sc_.add(*this, candidate, e.number);

    uint64_t value = 0;
    const auto event = static_cast<int>(events_.size());
    if (op.kind == OpKind::fence) {
        e.act = Act::fence;
        if (acquires(order)) t.unacquired = {};
        if (releases(order)) t.fenced = e.clock;
    } else {
        Location& l = locations_[static_cast<size_t>(op.location)];
        if (choice.read >= 0) {
            const Store& from = store(choice.read);
            value = from.value;
            if (from.event >= 0) e.cause.join(events_[static_cast<size_t>(from.event)].cause);
            if (!acquires(order)) t.unacquired.join(from.release);
        }
        e.act = choice.place < 0 ? (is_cas(op.kind) ? Act::failed_cas : Act::load)
                                 : (choice.read < 0 ? Act::store : Act::rmw);
        if (choice.place >= 0) {
            Store s;
            s.location = op.location;
            s.event = event;
            s.follows = choice.read;
            s.place = static_cast<unsigned>(choice.place);
            s.value = choice.read >= 0 ? result_of(op, value) : op.operand;
            s.release = releases(order) ? e.clock : t.fenced;
            if (choice.read >= 0) s.release.join(store(choice.read).release); // a release sequence goes on
            for (size_t i = s.place; i < l.order.size(); ++i)
                ++stores_[static_cast<size_t>(l.order[i])].place;
            e.wrote = static_cast<int>(stores_.size());
            l.order.insert(l.order.begin() + choice.place, e.wrote);
            stores_.push_back(s);
        }
        l.accesses.push_back(event);
    }
    t.clock = e.clock;
    t.cause = e.cause;
    events_.push_back(e);
    *wrote = e.wrote >= 0;
    return value;
}

void Graph::start(int thread) {
    Thread& t = threads_[static_cast<size_t>(thread)];
    t.clock.join(threads_[0].clock);
    t.clock.reach(0, threads_[0].count + 1u); // also what it did after its last event
    t.cause = t.clock;
}

void Graph::join_all(int thread) {
    Thread& t = threads_[static_cast<size_t>(thread)];
    for (int other = 1; other < most_threads; ++other) {
        t.clock.join(clock(other));
        t.clock.reach(other, count(other) + 1u);
    }
    t.cause = t.clock;
}

void Graph::wake(int waker, int sleeper) {
    threads_[static_cast<size_t>(sleeper)].cause.join(cause(waker));
}

uint64_t Graph::hash() const {
    uint64_t h = 0;
    const auto mix = [](uint64_t a, uint64_t b) {
        a ^= b + 0x9e3779b97f4a7c15u + (a << 12) + (a >> 4);
        return a * 0xff51afd7ed558ccdu ^ (a >> 29);
    };
    const auto name_of_store = [&](int s) -> uint64_t {
        if (s < 0) return 1;
        const Store& st = store(s);
        if (st.event < 0) return 2;
        const Event& e = events_[static_cast<size_t>(st.event)];
        return uint64_t{4} + (uint64_t{e.thread} << 32 | e.number);
    };
    for (const Event& e : events_) { // a sum: the order of the list does not count
        uint64_t one = mix(uint64_t{e.thread} << 32 | e.number, static_cast<uint64_t>(e.act));
        if (e.location >= 0) {
            const Location& l = location(e.location);
            one = mix(one, uint64_t{l.maker} << 32 | l.maker_count);
            one = mix(one, name_of_store(e.read));
            if (e.wrote >= 0) {
                const unsigned place = store(e.wrote).place;
                one = mix(one, name_of_store(l.order[place - 1])); // behind which store it stands
            }
        }
        h += mix(one, 77);
    }
    return h;
}

} // namespace xtc::model
