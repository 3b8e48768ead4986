// SPDX-License-Identifier: ISC
//
// A batch group as xtc_batch(3) describes it, slow and plain: what every call must answer, and what the
// driver must call next. It shares nothing with the engine but the public constants. Where the page leaves an
// order open (which of several ended requests is told first) any order is right; where two reasons to end a
// wait have come at the same moment either is.
#pragma once

#include <xtc_batch.h>

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace model {

using Handle = uint64_t;
using HandleSet = std::set<Handle>;

struct Limits {
    bool async = false;
    size_t capacity = 1;
    size_t max_active = 1;
    uint64_t units = 1;
    size_t mt = 0;
    int64_t timeout_ns = 0;
    bool has_hint = false;
    Handle last_handle = 0; // the first to be issued comes after it
};

// Both statistics, as far as numbers go.
struct Totals {
    uint64_t queued = 0, ready = 0, blocked = 0, reserved_units = 0;
    uint64_t iterations = 0, completed = 0, cancelled = 0, failed = 0, rejections = 0;
    uint64_t max_vector = 0, total_members = 0;
    uint64_t offloads = 0, offload_timeouts = 0, offload_errors = 0, mt_queued = 0, mt_rejections = 0;
    bool operator==(const Totals&) const = default;
};

enum class Caller { owner, foreign, nobody }; // the owner loop; another loop; a thread that has no loop

struct Result {
    int state = XTC_BATCH_UNSET;
    int error = 0;
};

// The token that submit gave.
struct Token {
    int kind = 0;
    int refused = XTC_OK;  // it can not even be awaited: why
    bool resolved = false; // before submit returned,
    int status = XTC_OK;   // like this
};

class Model {
public:
    explicit Model(const Limits& limits);

    // --- the calls: what they must answer
    int submit(Caller who, uint64_t charge, bool has_out, Handle* out);
    int cancel(Caller who, Handle h);
    int resume(Caller who, Handle h);
    int close(Caller who, int mode);
    int destroy(Caller who) const;
    int may_read_stats(Caller who) const;
    int submit_mt(uint64_t charge, bool has_out, Handle* out);
    int cancel_mt(Handle h) { return control_mt(h, true); }
    int resume_mt(Handle h) { return control_mt(h, false); }
    Totals totals() const;

    // --- the world
    void kill() { kill_asked_ = true; }
    int stall(uint64_t charge, Handle* out); // a submit_mt that has reserved its place but not written it
    void unstall();
    void token_resolves(int status); // of the operation outstanding: XTC_OK or why not
    void pass_time(int64_t ns) { now_ += ns; }

    // --- the driver: each says what is wrong with the event, or nothing
    void turn_begins();
    std::string vector_begins(const std::vector<Handle>& handles);
    void step_returns(int rc, const std::map<Handle, Result>& results);
    void submit_returns(int rc, const Token& token);
    std::string collect_begins(const std::vector<Handle>& handles, int exec_status);
    void collect_returns(int rc, const std::map<Handle, Result>& results);
    std::string hint_begins(Handle h);
    void hint_returns();
    std::string complete_begins(Handle h, int outcome);
    void complete_returns();
    void callback_exits(); // by unwinding

    // --- what the generator looks at
    bool is_resting() const { return resting_; } // the driver has nothing to do before the next turn
    bool is_gone() const { return phase_ == Phase::gone; }
    bool is_parked() const; // it sleeps: not between two iterations, not inside a callback
    bool in_callback() const { return in_callback_; }
    bool is_tearing_down() const { return phase_ == Phase::teardown || exiting_; }
    bool is_outstanding() const { return phase_ == Phase::awaiting && !resolved_; }
    bool is_closed() const { return closed_ != 0; }
    bool has_stall() const;
    bool has_started() const { return started_; }
    Handle last_handle() const { return last_; }
    const Limits& limits() const { return limits_; }
    std::string expects() const; // in words
    std::vector<Handle> live() const;

private:
    enum class Place { ring, held, waiting, ready, in_flight, blocked, ended };
    enum class Ending { completed, cancelled, failed };
    enum class Phase {
        rest,       // before a boundary
        boundary,   // ends of a boundary are told
        to_vector,  // a vector must come now
        in_vector,  // step or submit runs
        awaiting,   // an operation is outstanding
        to_collect, // collect must come now, with one certain status
        collecting, // collect runs
        delivering, // ends of a vector are told
        teardown,   // the driver leaves before its time
        gone
    };
    struct Member {
        uint64_t charge = 0;
        Place place = Place::ring;
        bool cancelled = false, resumed = false, hinted = false;
        bool has_slot = false, has_record = false;
        int outcome = 0;
        Ending ending = Ending::failed;
    };
    struct Entry {
        Handle handle;
        enum { submit, cancel, resume } what;
        bool written;
    };

    int control_mt(Handle h, bool cancels);
    int refuse_mt();
    int check_mutator(Caller who) const;
    bool take_in();
    void give_slots();
    void record_cancel(Member& m);
    bool record_resume(Member& m);
    void end(Handle h, int outcome, Ending ending);
    void record_results(int rc, int status, const std::map<Handle, Result>& results);
    void retire(Handle h);
    HandleSet cancelled_outside() const;
    HandleSet unhinted(bool only_cancelled) const;
    bool is_owing() const { return !to_end_.empty() || !due_.empty() || !hints_due_.empty(); }

    void begin_boundary();
    void end_boundary();
    void begin_wait();
    void look();
    void begin_teardown();
    void abandon();
    void advance();
    bool is_leavable() const { return token_.kind != XTC_BATCH_EXEC_BLOCKING; }
    bool is_overdue() const { return deadline_ > 0 && now_ >= deadline_; }
    bool is_aborting() const { return is_leavable() && (exiting_ || closed_ == XTC_BATCH_CANCEL); }
    int fired_status() const { return exiting_ ? static_cast<int>(XTC_BATCH_EXEC_ABORTED) : token_status_; }
    HandleSet in_vector() const { return HandleSet(vector_.begin(), vector_.end()); }

    const Limits limits_;
    std::map<Handle, Member> members_; // accepted and not yet told
    std::deque<Entry> ring_;
    std::vector<Handle> held_, waiting_; // in order of arrival
    Handle last_;
    int closed_ = 0;
    bool started_ = false;
    bool kill_asked_ = false;
    bool exiting_ = false;
    bool unwinding_ = false; // out of a hint; a closure that still runs holds it up
    bool torn_ = false;      // gone from an operation: collect comes before everything but hints
    bool in_callback_ = false;
    bool resting_ = true;
    bool parked_ = true; // a driver killed before its first turn never reaches a boundary
    bool told_ = false;  // somebody, at this boundary
    Phase phase_ = Phase::rest;
    std::vector<Handle> vector_;
    HandleSet to_end_; // cancelled: end when the first of them is told
    HandleSet due_;    // have ended and must be told
    HandleSet hints_due_;
    Handle telling_ = 0;

    Token token_;
    int64_t now_ = 1;
    int64_t deadline_ = 0;
    bool resolved_ = false;
    bool resolved_before_turn_ = false;
    bool fired_for_sure_ = false;
    int token_status_ = 0;
    int exec_status_ = 0;

    Totals totals_; // the cumulative ones
};

} // namespace model
