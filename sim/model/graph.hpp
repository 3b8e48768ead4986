// SPDX-License-Identifier: ISC
// One execution, as C++20 sees it: events of threads, for every location the order of its stores, and for
// every read the store that it took. A new event is added where the memory model allows it: a read may take
// an old store, a store may go into the middle of the order of its location, as long as nothing that happens
// before says otherwise. Events are added in an order in which a store comes before its readers, so the one
// thing this does not show is a read that takes a store that depends on it (load buffering).
#pragma once

#include "clock.hpp"
#include "op.hpp"
#include "sc_order.hpp"

#include <vector>

namespace xtc::model {

enum class Act : uint8_t { load, store, rmw, failed_cas, fence };

struct Event {
    Act act = Act::load;
    OpKind kind = OpKind::load;
    Order order = Order::relaxed;
    uint8_t thread = 0;
    uint16_t number = 0; // in its thread
    unsigned step = 0;   // of the exploration
    int location = -1;
    int read = -1; // the stores
    int wrote = -1;
    int sc = -1;  // its number among the sequentially consistent ones
    Clock before; // what happens before its thread's last step
    Clock clock;  // what happens before it, and itself
    Clock cause;  // what it cannot be without: program order and reads-from
    Site site;
};

struct Store {
    int location = -1;
    int event = -1;     // none: the first value
    int follows = -1;   // of a read-modify-write: what it read, so that nothing comes between
    unsigned place = 0; // in the order of its location
    uint64_t value = 0;
    Clock release; // what a reader that acquires learns
};

struct Location {
    const void* address = nullptr;
    uint8_t maker = 0; // the thread, and which one of it this is
    uint16_t maker_count = 0;
    uint16_t made_after = 0; // events of that thread
    bool alive = true;
    bool is_futex = false;     // the kernel's
    std::vector<int> order;    // stores
    std::vector<int> accesses; // events
};

// How the next operation may go on.
struct Choice {
    int read = -1;
    int place = -1; // of what it writes
};

class Graph {
public:
    void clear();

    int add_location(const void* address, uint64_t value, int maker);
    int add_futex(int of); // the kernel's own word for a location
    // Nothing of it is touched any more; false: somebody's last access does not happen before.
    bool end_location(int location, int thread);
    bool knows_location(int location, int thread) const;
    int find_location(const void* address) const; // the newest with that address

    // All ways that are consistent, the latest store first; never none. With a `limit` only those that read a
    // store made since there were that many; there may be none of those.
    void choices(int thread, const Op& op, int limit, bool may_fail, std::vector<Choice>& out) const;
    // Performs it. The value read, and whether it wrote.
    uint64_t perform(int thread, const Op& op, const Choice& choice, unsigned step, bool* wrote);
    void start(int thread); // knows all of thread 0
    void join_all(int thread);
    void wake(int waker, int sleeper); // a cause, not a happens-before

    const std::vector<Event>& events() const { return events_; }
    const Store& store(int s) const { return stores_[static_cast<size_t>(s)]; }
    bool is_full() const { return sc_.is_full(); } // the next step might not fit
    int store_count() const { return static_cast<int>(stores_.size()); }
    const Location& location(int l) const { return locations_[static_cast<size_t>(l)]; }
    int location_count() const { return static_cast<int>(location_count_); }
    uint16_t count(int thread) const { return threads_[static_cast<size_t>(thread)].count; }
    const Clock& clock(int thread) const { return threads_[static_cast<size_t>(thread)].clock; }
    const Clock& cause(int thread) const { return threads_[static_cast<size_t>(thread)].cause; }
    uint64_t hash() const; // the same for every order in which the same execution was built

    // Where an access stands among those of its location: stores and, behind each, its readers.
    int rank(const Event& e) const;

private:
    struct Thread {
        Clock clock;
        Clock cause;
        Clock unacquired; // what relaxed reads saw: an acquire fence learns it
        Clock fenced;     // what the last release fence knew
        uint16_t count = 0;
        uint16_t made = 0; // locations
    };

    unsigned first_visible(int thread, const Location& l) const;
    bool is_glued(const Location& l, unsigned place) const; // nothing may come between it and the one before
    bool is_allowed(int thread, const Op& op, const Choice& c) const;
    ScOrder::Candidate candidate(int thread, const Op& op, const Choice& c) const;
    Order order_of(const Op& op, const Choice& c) const;

    std::array<Thread, most_threads> threads_;
    std::vector<Event> events_;
    std::vector<Store> stores_;
    std::vector<Location> locations_; // kept for their memory; location_count_ of them are in use
    size_t location_count_ = 0;
    ScOrder sc_;
};

} // namespace xtc::model
