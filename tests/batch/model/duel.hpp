// SPDX-License-Identifier: ISC
//
// A group and its model side by side: every step is done to both, every callback is told to the model while
// it runs, and what differs first ends the duel.
#pragma once

#include "batch/model/hand_world.hpp"
#include "batch/model/model.hpp"
#include "batch/model/script.hpp"

#include <xtc_batch.h>
#include <xtc_future.h>
#include <xtc_loop.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace model {

class Duel {
public:
    using Narrator = std::function<void(const std::string& line)>;

    explicit Duel(const Script& script, Narrator narrator = {});
    ~Duel();
    Duel(const Duel&) = delete;
    Duel& operator=(const Duel&) = delete;

    void apply(const Step& step);               // nothing once they differ
    void finish();                              // closes, runs the driver to its end, destroys
    uint64_t digest() const { return digest_; } // of every answer and event
    const std::string& difference() const { return difference_; }
    bool is_over() const { return !difference_.empty(); }
    const Model& model() const { return model_; }
    Handle handle_of(int number) const; // of a step's argument
    bool has_operation() const { return operation_.promise != nullptr || operation_.fd != 0; }
    bool has_late_promise() const { return !late_.empty(); }
    bool is_suspended() const { return suspended_; }
    bool has_closure() const { return world_.closures() > 0; }

private:
    struct Operation {
        int kind = 0;
        int fd = 0;
        xtc_promise_t* promise = nullptr;
        bool is_resolved = false;
    };

    static int step(const xtc_batch_item_t*, xtc_batch_result_t*, size_t, void*);
    static int submit(const xtc_batch_item_t*, size_t, void*, xtc_batch_exec_t*);
    static int collect(const xtc_batch_item_t*, xtc_batch_result_t*, size_t, int, void*);
    static void complete(uint64_t, void*, int, void*);
    static void hint(uint64_t, void*, void*);

    void make_group();
    void note(uint64_t seen) { digest_ = (digest_ ^ seen) * 1099511628211u; }
    void differ(const std::string& what);
    void same(const std::string& what, int theirs, int ours);
    void narrate(const std::string& line) {
        if (narrator_) narrator_(line);
    }
    template <typename Call> int as(Caller who, Call call); // makes the call from there

    void make_call(Act act, int argument, int malformed);
    void submit_call(uint64_t charge, int malformed);
    void submit_mt_call(uint64_t charge, int malformed);
    void close_call(int mode, int malformed);
    void stats_call(int malformed);
    void compare_totals(Caller who);
    void stall_call(uint64_t charge);
    void unstall_call();
    void resolve(Resolve how);
    void kill();
    void nudge(int what);
    void turn(const Step& step);
    void run_turn();

    Token launch(xtc_batch_exec_t* exec);
    void give_up_operation(int exec_status);
    std::vector<Handle> seen(const xtc_batch_item_t* items, size_t n);
    std::map<Handle, Result> decide(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n);
    int answer(size_t which) const;
    void inside(In place); // what the script does inside a callback

    const Limits limits_;
    Narrator narrator_;
    HandWorld world_;
    Model model_;
    xtc_loop_t* loop_ = nullptr;
    xtc_loop_t* foreign_ = nullptr; // made when it is needed
    xtc_batch_t* group_ = nullptr;
    std::string difference_;
    uint64_t digest_ = 14695981039346656037u;

    Step turn_; // what callbacks do now
    bool suspended_ = false;
    Operation operation_;
    std::vector<xtc_promise_t*> late_;
    std::map<Handle, uintptr_t> requests_;
    uintptr_t next_request_ = 1;
    struct {
        uint64_t place = 0;
        void* record = nullptr;
    } stalled_;
};

} // namespace model
