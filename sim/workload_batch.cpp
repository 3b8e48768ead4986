// SPDX-License-Identifier: ISC
//
// Clients on several loops against batch groups: submit, cancel, resume, close, destroy, in every order the
// seed finds.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <vector>

#include "batch_app.hpp"
#include "workload.hpp"
#include "xtc_async.h"
#include "xtc_future.h"

namespace xtc::sim {

namespace {

class BatchWorkload final : public Workload {
public:
    BatchWorkload(uint64_t seed, const Swarm& swarm) : seed_(seed), swarm_(swarm), draw_(seed, "BATCH") {}

    void build(xtc_exec_t* exec) override;
    void heal() override {
        for (const auto& app : apps_) app->heal();
    }
    void finish() override;
    std::string summary() const override;

private:
    struct Client {
        BatchWorkload* workload;
        Prng draw;
        int left;
    };
    // What happens to a group: when it is closed, and how.
    struct Controller {
        BatchWorkload* workload;
        BatchApp* app;
        Prng draw;
        int64_t close_after;
        bool kills;
        bool destroys;
    };
    struct Resumer {
        BatchWorkload* workload;
        BatchApp* app;
        Prng draw;
    };

    static void client(void* arg);
    static void controller(void* arg);
    static void resumer(void* arg);

    void spawn(int loop, xtc_proc_fn fn, void* arg);
    int any_loop() { return static_cast<int>(draw_.below(static_cast<uint64_t>(swarm_.loops))); }
    BatchApp* usable(Prng& draw) const;
    void one_request(Client& client);
    void await_reply(Client& client, xtc_future_t* reply);
    static void close_somehow(Controller& self);

    uint64_t seed_;
    const Swarm swarm_;
    Prng draw_;
    xtc_exec_t* exec_ = nullptr;
    std::vector<std::unique_ptr<BatchApp>> apps_;
    std::vector<std::unique_ptr<Client>> clients_;
    std::vector<std::unique_ptr<Controller>> controllers_;
    std::vector<std::unique_ptr<Resumer>> resumers_;
    int clients_left_ = 0;
    int users_ = 0; // clients and resumers that have not ended
};

void BatchWorkload::spawn(int loop, xtc_proc_fn fn, void* arg) {
    const int status = xtc_proc_spawn(xtc_exec_loop(exec_, loop), fn, arg, nullptr, nullptr);
    if (status != XTC_OK) complaints_.add("spawn answered %d", status);
}

void BatchWorkload::build(xtc_exec_t* exec) {
    exec_ = exec;
    for (int64_t i = 0, n = draw_.between(1, 3); i < n; i++) {
        apps_.push_back(std::make_unique<BatchApp>(seed_, static_cast<int>(i), swarm_, exec, complaints_));
        const int status = apps_.back()->create();
        if (status == XTC_E_NOSYS) apps_.clear(); // a build without batching
        if (status != XTC_OK && status != XTC_E_NOSYS) complaints_.add("create answered %d", status);
        if (status != XTC_OK) return;
    }
    for (const auto& app : apps_) {
        const auto forked = [this] { return Prng(draw_.next()); };
        const int64_t close_after = draw_.chance({1, 3}) ? draw_.magnitude(1'000, 200'000'000) : INT64_MAX;
        controllers_.push_back(std::make_unique<Controller>(Controller{
            this, app.get(), forked(), close_after, swarm_.harm.kill_driver && draw_.coin(), draw_.coin()}));
        spawn(app->owner(), controller, controllers_.back().get());
        resumers_.push_back(std::make_unique<Resumer>(Resumer{this, app.get(), forked()}));
        const int loop = any_loop();
        users_++;
        spawn(app->has_mt() ? loop : app->owner(), resumer, resumers_.back().get());
    }
    for (int i = 0; i < swarm_.clients; i++) {
        clients_.push_back(std::make_unique<Client>(Client{this, Prng(draw_.next()), swarm_.requests}));
        users_++;
        clients_left_++;
        spawn(any_loop(), client, clients_.back().get());
    }
}

// ---- clients

BatchApp* BatchWorkload::usable(Prng& draw) const {
    std::vector<BatchApp*> here;
    for (const auto& app : apps_) {
        if (!app->is_destroyed() && app->can_submit_here()) here.push_back(app.get());
    }
    return here.empty() ? nullptr : here[draw.below(here.size())];
}

void BatchWorkload::await_reply(Client& client, xtc_future_t* reply) {
    Prng& draw = client.draw;
    if (draw.chance({1, 8})) {
        xtc_future_discard(reply);
        return;
    }
    if (draw.coin()) {
        const int64_t timeout = draw.magnitude(0, 1'000'000);
        const int64_t begun = xtc_clock_mono();
        const int status = xtc_future_wait(reply, nullptr, timeout);
        if (status == XTC_OK) return;
        int is_ready = 0;
        if (status != XTC_E_AGAIN || xtc_clock_mono() - begun < timeout ||
            xtc_future_ready(reply, &is_ready) != XTC_OK) {
            complaints_.add("waiting for a reply answered %d", status);
        }
        if (draw.coin()) {
            xtc_future_discard(reply);
            return;
        }
    }
    if (const int status = xtc_future_await(reply, nullptr); status != XTC_OK) {
        complaints_.add("awaiting a reply answered %d", status);
    }
}

void BatchWorkload::one_request(Client& client) {
    Prng& draw = client.draw;
    BatchApp* const app = usable(draw);
    if (app == nullptr) return;
    if (draw.chance({1, 50})) app->call_from_wrong_loop();
    if (draw.chance({1, 20})) app->look_at_stats();
    const bool want_reply = draw.chance({1, 2});
    uint64_t handle = 0;
    xtc_future_t* reply = nullptr;
    int status = XTC_E_AGAIN;
    for (int tries = 0; tries < 20 && status == XTC_E_AGAIN && !app->is_over(); tries++) {
        status = app->submit(draw, want_reply, &handle, &reply);
        if (status == XTC_E_AGAIN) xtc_proc_sleep(draw.magnitude(0, int64_t{10'000} << (tries / 2)));
    }
    if (status != XTC_OK) return;
    if (draw.chance(swarm_.harm.cancel)) {
        for (int64_t times = draw.between(1, 2); times > 0; times--) {
            if (draw.coin()) xtc_proc_sleep(draw.magnitude(0, 1'000'000));
            if (!app->is_destroyed()) app->cancel(draw, handle);
        }
    }
    if (draw.chance(swarm_.harm.block)) {
        xtc_proc_sleep(draw.magnitude(0, 1'000'000));
        if (!app->is_destroyed()) app->meddle_with_any(draw);
    }
    if (want_reply) await_reply(client, reply);
}

void BatchWorkload::client(void* arg) {
    auto& self = *static_cast<Client*>(arg);
    for (; self.left > 0 && !self.workload->apps_[0]->is_healed(); self.left--) {
        self.workload->one_request(self);
        if (self.draw.coin()) {
            xtc_proc_sleep(self.draw.magnitude(0, 500'000));
        } else {
            xtc_yield();
        }
    }
    self.workload->clients_left_--;
    self.workload->users_--;
}

// ---- who looks after a group

void BatchWorkload::resumer(void* arg) {
    auto& self = *static_cast<Resumer*>(arg);
    BatchApp& app = *self.app;
    while (!app.is_over()) {
        xtc_proc_sleep(self.draw.magnitude(10'000, 2'000'000));
        for (size_t n = app.blocked().size(); n > 0 && !app.is_over(); n--) {
            const uint64_t handle = app.blocked().front();
            app.blocked().erase(app.blocked().begin());
            const bool cancels = self.draw.chance({1, 10});
            const int status = cancels ? app.cancel(self.draw, handle) : app.resume(self.draw, handle);
            if (status == XTC_E_AGAIN || status == XTC_E_DEADLK) app.blocked().push_back(handle);
        }
    }
    self.workload->users_--;
}

void BatchWorkload::close_somehow(Controller& self) {
    BatchApp& app = *self.app;
    if (self.draw.chance({1, 5})) {
        while (app.drain_for(self.draw.magnitude(0, 2'000'000)) == XTC_E_DEADLK) xtc_proc_sleep(10'000);
        return;
    }
    const auto mode = self.draw.coin() ? XTC_BATCH_DRAIN : XTC_BATCH_CANCEL;
    const auto close = [&](enum xtc_batch_close_mode how) {
        while (app.close(how) == XTC_E_DEADLK) xtc_proc_sleep(self.draw.magnitude(0, 50'000));
    };
    close(mode);
    if (mode == XTC_BATCH_CANCEL) {
        if (self.draw.coin()) close(XTC_BATCH_DRAIN); // changes nothing
    } else if (self.draw.coin()) {
        xtc_proc_sleep(self.draw.magnitude(0, 5'000'000));
        close(XTC_BATCH_CANCEL);
    }
}

void BatchWorkload::controller(void* arg) {
    auto& self = *static_cast<Controller*>(arg);
    BatchApp& app = *self.app;
    const int64_t begun = xtc_clock_mono();
    const auto early = [&] { return xtc_clock_mono() - begun >= self.close_after; };
    while (self.workload->clients_left_ > 0 && !app.is_healed() && !early()) {
        xtc_proc_sleep(self.draw.magnitude(10'000, 5'000'000));
        app.look_at_stats();
        if (self.kills && self.draw.chance({1, 8})) {
            app.kill_driver();
            self.kills = false;
        }
    }
    // With nothing failing any more, whatever was accepted ends by itself: closing must not be what ends it.
    const int64_t healed_at = xtc_clock_mono();
    while (app.is_healed() && !app.oracle().is_closed() && app.oracle().live() > 0) {
        xtc_proc_sleep(1'000'000);
        if (xtc_clock_mono() - healed_at < 100'000'000'000) continue;
        self.workload->complaints_.add("%zu requests wait for ever in an open group", app.oracle().live());
        break;
    }
    close_somehow(self);
    while (!app.is_over()) {
        xtc_proc_sleep(self.draw.magnitude(10'000, 5'000'000));
        app.look_at_stats();
    }
    if (!self.destroys) return;
    while (self.workload->users_ > 0) xtc_proc_sleep(1'000'000);
    while (app.destroy_and_judge() == XTC_E_AGAIN) xtc_proc_sleep(self.draw.magnitude(0, 100'000));
}

// ---- the end

void BatchWorkload::finish() {
    for (const auto& app : apps_) {
        if (const int status = app->destroy_and_judge(); status != XTC_OK) {
            complaints_.add("destroy at rest answered %d", status);
        }
        app->leaves_nothing();
    }
    if (users_ != 0) complaints_.add("%d clients have not ended", users_);
}

std::string BatchWorkload::summary() const {
    uint64_t accepted = 0, ok = 0;
    for (const auto& app : apps_) {
        accepted += app->oracle().accepted();
        ok += app->completed_ok();
    }
    char text[128];
    std::snprintf(text, sizeof text, "%zu groups, %" PRIu64 " requests accepted, %" PRIu64 " ended well",
                  apps_.size(), accepted, ok);
    return text;
}

} // namespace

std::unique_ptr<Workload> make_batch_workload(uint64_t seed, const Swarm& swarm) {
    return std::make_unique<BatchWorkload>(seed, swarm);
}

} // namespace xtc::sim
