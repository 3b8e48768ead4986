// SPDX-License-Identifier: ISC
//
// Processes on several loops that send, wait, die and look after each other's remains.
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "procs_peer.hpp"
#include "workload.hpp"
#include "xtc_inspect.h"

namespace xtc::sim {

namespace {

class ProcsWorkload final : public Workload {
public:
    ProcsWorkload(uint64_t seed, const Swarm& swarm) : swarm_(swarm), draw_(seed, "PROCS") {}

    void build(xtc_exec_t* exec) override;
    void heal() override { town_->heal(); }
    bool explains_deadlock() override {
        town_->oracle.all_asleep();
        return complaints_.none();
    }
    void finish() override;
    std::string summary() const override;
    int64_t abandoned_tasks() const override { return town_->unawaited; }

private:
    const Swarm swarm_;
    Prng draw_;
    std::unique_ptr<PeerTown> town_;
};

void ProcsWorkload::build(xtc_exec_t* exec) {
    town_ = std::make_unique<PeerTown>(swarm_, exec, complaints_);
    const int64_t peers = draw_.between(2, 8);
    for (int64_t i = 0; i < peers; i++) {
        const auto number = static_cast<size_t>(i);
        const int acts = static_cast<int>(draw_.magnitude(1, 200));
        town_->peers.push_back(std::make_unique<Peer>(*town_, number, Prng(draw_.next()), acts));
    }
    town_->post_draw = Prng(draw_.next());
    town_->rounds = draw_.magnitude(0, 500);
    xtc_proc_spawn(town_->loop(town_->any_loop(draw_)), PeerTown::postman, town_.get(), nullptr, nullptr);
    for (const auto& peer : town_->peers) {
        const int status = peer->start(static_cast<int>(draw_.below(static_cast<uint64_t>(swarm_.loops))));
        if (status != XTC_OK) complaints_.add("spawn answered %d", status);
    }
}

void ProcsWorkload::finish() {
    town_->oracle.finished();
    for (const auto& peer : town_->peers) {
        xtc_proc_info_t info;
        const int status = xtc_proc_info(peer->pid(), &info);
        if (status != XTC_E_NOTFOUND) complaints_.add("an ended process is still in the table: %d", status);
    }
    if (town_->open_resources != 0)
        complaints_.add("%zu things were never given back", town_->open_resources);
}

std::string ProcsWorkload::summary() const {
    char text[128];
    std::snprintf(text, sizeof text, "%zu processes, %zu killed, %" PRIu64 " acts, %" PRIu64 " messages",
                  town_->peers.size(), town_->oracle.killed(), town_->acts, town_->oracle.messages());
    return text;
}

} // namespace

std::unique_ptr<Workload> make_procs_workload(uint64_t seed, const Swarm& swarm) {
    return std::make_unique<ProcsWorkload>(seed, swarm);
}

} // namespace xtc::sim
