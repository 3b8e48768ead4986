// SPDX-License-Identifier: ISC
//
// What the group calls. On the driver, so nothing here throws.
#include "batch/model/duel.hpp"

#include "loop/local.hpp"

#include <xtc_async.h>
#include <xtc_proc.h>

namespace model {

namespace {

Duel* self_of(void* user) {
    return static_cast<Duel*>(user);
}

std::string list_of(const std::vector<Handle>& handles) {
    std::string text;
    for (const Handle h : handles) text += (text.empty() ? "" : ", ") + std::to_string(h);
    return "{" + text + "}";
}

} // namespace

std::vector<Handle> Duel::seen(const xtc_batch_item_t* items, size_t n) {
    std::vector<Handle> handles;
    for (size_t i = 0; i < n; ++i) {
        handles.push_back(items[i].handle);
        note(items[i].handle);
        const auto found = requests_.find(items[i].handle);
        if (found == requests_.end() || items[i].request != reinterpret_cast<void*>(found->second))
            differ("another request in the vector under " + std::to_string(items[i].handle));
    }
    return handles;
}

int Duel::answer(size_t which) const {
    static constexpr int answers[] = {XTC_OK, XTC_E_RESOURCE, 5};
    return answers[static_cast<size_t>(turn_.a[which]) % 3];
}

std::map<Handle, Result> Duel::decide(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n) {
    std::map<Handle, Result> said;
    for (size_t i = 0; i < n; ++i) {
        const auto choice = static_cast<StateChoice>(turn_.a[Turn::state + items[i].handle % 4]);
        Result r;
        r.error = choice == StateChoice::bad_error ? 3 : static_cast<int>(XTC_E_NOTFOUND);
        switch (choice) {
        case StateChoice::done:
            r.state = XTC_BATCH_DONE;
            break;
        case StateChoice::goes_on:
            r.state = XTC_BATCH_CONTINUE;
            break;
        case StateChoice::blocked:
            r.state = XTC_BATCH_BLOCKED;
            break;
        case StateChoice::error:
        case StateChoice::bad_error:
            r.state = XTC_BATCH_ERROR;
            break;
        case StateChoice::unset:
            r.state = XTC_BATCH_UNSET;
            break;
        case StateChoice::invalid:
            r.state = 77;
            break;
        }
        results[i].state = r.state;
        results[i].error = r.error;
        said[items[i].handle] = r;
    }
    return said;
}

// The script's own doings inside a callback: a call, a yield, a way out that does not come back.
void Duel::inside(In place) {
    if (is_over()) return;
    compare_totals(Caller::owner);
    const auto in = [this, place](size_t which) { return turn_.a[which] == static_cast<int>(place); };
    if (in(Turn::call_in)) {
        const auto act = static_cast<Act>(turn_.a[Turn::call]);
        if (act == Act::kill) {
            same("kill", xtc_exit_pid(xtc_self(), 42), XTC_OK);
            model_.kill();
        } else {
            make_call(act, turn_.a[Turn::argument], 0);
        }
    }
    if (in(Turn::yield_in) && !is_over()) {
        narrate("    /* yields */");
        suspended_ = true;
        xtc_yield();
        if (!is_over()) narrate("    /* goes on */");
    }
    if (in(Turn::exit_in) && !is_over() && !model_.is_tearing_down()) {
        narrate("    /* xtc_exit_self */");
        model_.callback_exits();
        xtc_exit_self(43);
    }
}

int Duel::step(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, void* user) {
    Duel& self = *self_of(user);
    if (self.is_over()) return XTC_E_INTERNAL;
    const std::vector<Handle> handles = self.seen(items, n);
    if (self.narrator_) self.narrate("    /* step " + list_of(handles) + " */");
    for (size_t i = 0; i < n; ++i)
        if (results[i].state != XTC_BATCH_UNSET) self.differ("a result is not UNSET");
    if (const std::string wrong = self.model_.vector_begins(handles); !wrong.empty())
        self.differ("step " + list_of(handles) + ": " + wrong);
    self.inside(In::vector);
    if (self.is_over()) return XTC_E_INTERNAL;
    const auto said = self.decide(items, results, n);
    const int rc = self.answer(Turn::vector_rc);
    self.model_.step_returns(rc, said);
    return rc;
}

Token Duel::launch(xtc_batch_exec_t* exec) {
    Token token;
    operation_ = {};
    const auto choice = static_cast<TokenChoice>(turn_.a[Turn::token]);
    world_.refuses_closures = choice == TokenChoice::refused_closure;
    switch (choice) {
    case TokenChoice::sync:
        exec->kind = XTC_BATCH_EXEC_SYNC;
        break;
    case TokenChoice::future:
    case TokenChoice::ready_future:
        exec->kind = XTC_BATCH_EXEC_FUTURE;
        xtc_future_new_pair(&operation_.promise, &exec->future);
        break;
    case TokenChoice::fence:
    case TokenChoice::ready_fence:
        exec->kind = XTC_BATCH_EXEC_FENCE;
        exec->fence_fd = operation_.fd = world_.open_fd();
        break;
    case TokenChoice::blocking:
    case TokenChoice::refused_closure:
        exec->kind = XTC_BATCH_EXEC_BLOCKING;
        exec->run = [](void*) { return 11; };
        if (choice == TokenChoice::refused_closure) token.refused = XTC_E_RESOURCE;
        break;
    case TokenChoice::unknown:
        exec->kind = 99;
        token.refused = XTC_E_INVAL;
        break;
    case TokenChoice::no_future:
        exec->kind = XTC_BATCH_EXEC_FUTURE;
        token.refused = XTC_E_INVAL;
        break;
    case TokenChoice::no_fence:
        exec->kind = XTC_BATCH_EXEC_FENCE;
        token.refused = XTC_E_INVAL;
        break;
    case TokenChoice::closed_fence: // found out by the poll
        exec->kind = XTC_BATCH_EXEC_FENCE;
        exec->fence_fd = 900;
        token.resolved = true;
        token.status = XTC_E_INVAL;
        break;
    case TokenChoice::no_closure:
        exec->kind = XTC_BATCH_EXEC_BLOCKING;
        token.refused = XTC_E_INVAL;
        break;
    }
    token.kind = operation_.kind = exec->kind;
    if (choice == TokenChoice::ready_future || choice == TokenChoice::ready_fence) {
        token.resolved = operation_.is_resolved = true;
        if (choice == TokenChoice::ready_fence) world_.signal_fd(operation_.fd, POLLIN);
        if (choice == TokenChoice::ready_future) xtc_promise_set(operation_.promise, 0, XTC_OK);
        operation_.promise = nullptr;
    }
    if (token.refused != XTC_OK || token.resolved) operation_.is_resolved = true;
    return token;
}

int Duel::submit(const xtc_batch_item_t* items, size_t n, void* user, xtc_batch_exec_t* exec) {
    Duel& self = *self_of(user);
    if (self.is_over()) return XTC_E_INTERNAL;
    const std::vector<Handle> handles = self.seen(items, n);
    if (self.narrator_) self.narrate("    /* submit " + list_of(handles) + " */");
    if (exec->kind != 0 || exec->fence_fd != -1 || exec->future != nullptr || exec->run != nullptr)
        self.differ("out_exec does not arrive zeroed"); // B1
    if (const std::string wrong = self.model_.vector_begins(handles); !wrong.empty())
        self.differ("submit " + list_of(handles) + ": " + wrong);
    self.inside(In::vector);
    if (self.is_over()) return XTC_E_INTERNAL;
    const Token token = self.launch(exec);
    const int rc = self.answer(Turn::vector_rc);
    if (rc != XTC_OK && exec->future != nullptr) { // it stays ours: B15
        if (self.operation_.promise != nullptr) self.late_.push_back(self.operation_.promise);
        xtc_future_discard(exec->future);
    }
    if (rc != XTC_OK) self.operation_ = {};
    self.model_.submit_returns(rc, token);
    return rc;
}

// The engine has let go of the token: it must have used up the future, once.
void Duel::give_up_operation(int exec_status) {
    if (operation_.promise != nullptr) {
        if (!xtc_promise_abandoned(operation_.promise))
            differ("the future was not discarded before collect(" + code_name(exec_status) + ")");
        late_.push_back(operation_.promise);
    }
    operation_ = {};
}

int Duel::collect(const xtc_batch_item_t* items, xtc_batch_result_t* results, size_t n, int exec_status,
                  void* user) {
    Duel& self = *self_of(user);
    if (self.is_over()) return XTC_E_INTERNAL;
    const std::vector<Handle> handles = self.seen(items, n);
    if (self.narrator_)
        self.narrate("    /* collect " + list_of(handles) + " with " + std::to_string(exec_status) + " */");
    for (size_t i = 0; i < n; ++i)
        if (results[i].state != XTC_BATCH_UNSET) self.differ("a result is not UNSET");
    if (const std::string wrong = self.model_.collect_begins(handles, exec_status); !wrong.empty())
        self.differ("collect " + list_of(handles) + " with " + std::to_string(exec_status) + ": " + wrong);
    self.give_up_operation(exec_status);
    self.inside(In::collect);
    if (self.is_over()) return XTC_E_INTERNAL;
    const auto said = self.decide(items, results, n);
    const int rc = self.answer(Turn::collect_rc);
    self.model_.collect_returns(rc, said);
    return rc;
}

void Duel::complete(uint64_t handle, void* request, int outcome, void* user) {
    Duel& self = *self_of(user);
    if (self.is_over()) return;
    self.note(handle ^ static_cast<uint64_t>(outcome));
    const std::string event = "complete(" + std::to_string(handle) + ", " + code_name(outcome) + ")";
    self.narrate("    /* " + event + " */");
    const auto found = self.requests_.find(handle);
    if (found == self.requests_.end() || request != reinterpret_cast<void*>(found->second))
        return self.differ(event + " of another request");
    self.requests_.erase(found);
    if (const std::string wrong = self.model_.complete_begins(handle, outcome); !wrong.empty())
        return self.differ(event + ": " + wrong);
    self.inside(In::complete);
    if (!self.is_over()) self.model_.complete_returns();
}

void Duel::hint(uint64_t handle, void* request, void* user) {
    Duel& self = *self_of(user);
    if (self.is_over()) return;
    self.note(handle);
    const std::string event = "hint(" + std::to_string(handle) + ")";
    self.narrate("    /* " + event + " */");
    const auto found = self.requests_.find(handle);
    if (found == self.requests_.end() || request != reinterpret_cast<void*>(found->second))
        return self.differ(event + " for another request");
    if (const std::string wrong = self.model_.hint_begins(handle); !wrong.empty())
        return self.differ(event + ": " + wrong);
    self.inside(In::hint);
    if (!self.is_over()) self.model_.hint_returns();
}

} // namespace model
