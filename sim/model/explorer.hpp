// SPDX-License-Identifier: ISC
// Explores every execution of a small program of a few threads: every order of their operations on atomics
// and futexes, and everything that weak memory lets a read see. README.md beside this file says how.
#pragma once

#include "op.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace xtc::model {

// One step of the code made wrong on purpose, to see that the model notices.
struct Fault {
    enum class What { none, weaken, blind, half_blind, skip };

    const char* function = ""; // part of the name of the function that holds the operation
    OpKind kind = OpKind::load;
    What what = What::none;
    Order order = Order::relaxed;

    static Fault weaken(const char* function, OpKind kind, Order order = Order::relaxed) {
        return {function, kind, What::weaken, order};
    }
    // A compare-exchange that does not compare.
    static Fault blind(const char* function) { return {function, OpKind::cas, What::blind, {}}; }
    // One that compares the low half only, so that a tag in the high half is no use.
    static Fault half_blind(const char* function) { return {function, OpKind::cas, What::half_blind, {}}; }
    // A store or a wake that is not made.
    static Fault skip(const char* function, OpKind kind) { return {function, kind, What::skip, {}}; }
};

struct Plan {
    std::string name;
    std::vector<Fault> faults;
    uint64_t most_executions = 2'000'000;
    unsigned most_steps = 400;      // of one execution; longer ones are cut and counted
    unsigned spurious_failures = 0; // of a weak compare-exchange, for each thread
    unsigned search_shorter = 3000; // executions that may follow the first failure
    bool reduce = true;             // false: every order of everything, to test the reduction itself
    bool keep_graphs = false;
};

struct Result {
    uint64_t executions = 0; // complete and different
    uint64_t abandoned = 0;  // turned out to repeat another
    uint64_t cut = 0;        // too long: the bound was hit
    uint64_t fault_hits = 0;
    bool is_complete = false;       // everything was explored
    std::string failure;            // empty: none
    std::string trace;              // of the shortest that fails
    std::set<std::string> outcomes; // what the scene said of them
    std::set<uint64_t> graphs;
};

// What a model is made of; filled in anew for every execution.
class Scene {
public:
    // Shared state; destroyed when all threads have ended.
    template <typename T, typename... Args> T& make(Args&&... args) {
        T* made = new T(std::forward<Args>(args)...);
        own(made, [](void* p) { delete static_cast<T*>(p); });
        return *made;
    }
    void thread(const char* name, std::function<void()> body); // up to four
    void at_end(std::function<void()> look);                   // when all have ended
    void may_sleep_for_ever(const char* thread);
    // Names for reports: of the atomics inside the object, in the order of their addresses.
    void name(const void* object, size_t size, std::initializer_list<const char*> names);
    template <typename T> void name(const T& object, std::initializer_list<const char*> names) {
        name(&object, sizeof(T), names);
    }

private:
    void own(void* object, void (*destroy)(void*));
};

Result explore(const Plan& plan, const std::function<void(Scene&)>& model);

// --- inside a model

void check(bool holds, const char* what);
void outcome(const std::string& what); // of this execution, for Result::outcomes
unsigned wake_calls();                 // FUTEX_WAKE and writes to an eventfd, so far
int64_t timeouts_of_thread();          // waits of the calling thread that ran out of time
void wait_readable(int eventfd);       // as a poll on it would

// A number that threads of the model may change without order, for counts that are looked at in the end.
class Tally {
public:
    void add(int64_t n = 1);
    int64_t value() const;

private:
    int64_t n_ = 0;
};

// Once a failure is found: one line for what was explored.
std::string describe(const Plan& plan, const Result& result);

} // namespace xtc::model
