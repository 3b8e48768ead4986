// SPDX-License-Identifier: ISC
// The execution that is going on: its threads, their next operations, and what a step of one of them does.
#pragma once

#include "explorer.hpp"
#include "graph.hpp"
#include "memory.hpp"
#include "strand.hpp"

namespace xtc::model {

struct Name {
    const char* begin;
    size_t size;
    std::vector<const char*> names;
};

void begin_life(); // atomics of earlier executions are plain variables from here on

class Execution {
public:
    enum class Status : uint8_t { absent, ready, asleep, ended };

    void begin(const Plan& plan, const std::function<void(Scene&)>& model); // set up, threads started
    void finish(); // all threads have ended: the looks at the end, and the owned objects go
    void abandon();

    // A step of a thread is its prelude and then its operation with a choice.
    void prelude(int thread, unsigned step);
    void choices(int thread, int limit, std::vector<Choice>& out) const;
    void step(int thread, const Choice& choice, unsigned step);

    Graph& graph() { return graph_; }
    const Graph& graph() const { return graph_; }
    Memory& memory() { return memory_; }
    int thread_count() const { return static_cast<int>(bodies_.size()); } // with thread 0
    Status status(int thread) const { return at(thread).status; }
    const Op& next_op(int thread) const { return at(thread).op; }
    bool may_sleep_for_ever(int thread) const { return at(thread).may_sleep; }
    // Threads, as bits, that the last step woke; and of those, which could have gone on by themselves.
    unsigned woken() const { return woken_; }
    unsigned overtaken() const { return overtaken_; }
    int futex_of(int location) const; // the kernel's own word; -1: not used yet

    bool has_failed() const { return !failure_.empty(); }
    const std::string& failure() const { return failure_; }
    void fail(std::string why); // from outside the threads
    uint64_t fault_hits() const { return fault_hits_; }
    const std::string& outcome() const { return outcome_; }
    std::string trace() const;
    std::string thread_name(int thread) const;

    // --- called by the threads
    static Execution* current();
    uint64_t perform(Op op, bool* wrote);
    [[noreturn]] void fail_here(std::string why);
    int running() const { return running_; }
    bool on_own_stack(const void* address) const {
        return strands_[static_cast<size_t>(running_)].owns(address);
    }
    bool is_user() const { return user_; }
    void set_user(bool on) { user_ = on; }
    int64_t timeouts() const { return at(running_).timeouts; }
    unsigned wake_calls() const { return wake_calls_; }
    void say_outcome(const std::string& what) { outcome_ += what; }

    // --- called while a model is set up
    void own(void* object, void (*destroy)(void*));
    void add_thread(const char* name, std::function<void()> body);
    void add_look(std::function<void()> look) { looks_.push_back(std::move(look)); }
    void add_name(Name name) { names_.push_back(std::move(name)); }
    void let_sleep(const char* name);

private:
    struct Thread {
        Status status = Status::absent;
        bool may_sleep = false;
        bool times_out = false; // asleep, and may wake by itself
        int64_t timeouts = 0;   // so often it did
        unsigned spurious_left = 0;
        Op op;
        uint64_t value = 0;
        bool wrote = false;
    };
    struct Sleeper {
        int location;
        int thread;
    };

    Thread& at(int t) { return threads_[static_cast<size_t>(t)]; }
    const Thread& at(int t) const { return threads_[static_cast<size_t>(t)]; }
    void run(int thread); // until its next operation
    void run_zero(void (*body)(void*), void* arg);
    bool plant_fault(Op& op);
    void touch_futex(int thread, int location, unsigned step);
    void wake_sleepers(int thread, const Op& op);
    std::string name_of(int location) const;
    bool is_stale(const Event& e, int index) const;
    static void run_thread(void* arg);

    Graph graph_;
    Memory memory_;
    const Plan* plan_ = nullptr;
    const std::function<void(Scene&)>* model_ = nullptr;
    std::array<Strand, most_threads> strands_;
    std::array<Thread, most_threads> threads_;
    std::vector<std::function<void()>> bodies_;
    std::vector<std::string> thread_names_;
    std::vector<std::function<void()>> looks_;
    std::vector<std::pair<void*, void (*)(void*)>> owned_;
    std::vector<Name> names_;
    std::vector<Sleeper> sleepers_; // oldest first
    std::vector<int> futexes_;      // by location
    std::string failure_;
    std::string outcome_;
    uint64_t fault_hits_ = 0;
    unsigned wake_calls_ = 0;
    unsigned woken_ = 0;
    unsigned overtaken_ = 0;
    int running_ = 0;
    bool user_ = false;
};

} // namespace xtc::model
