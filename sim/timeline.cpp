// SPDX-License-Identifier: ISC
#include "timeline.hpp"

#include <utility>

#include "base/assert.hpp"

namespace xtc::sim {

void Timeline::advance(int64_t ns) noexcept {
    XTC_ASSERT(ns >= 0);
    now_ = ns > never - 1 - now_ ? never - 1 : now_ + ns;
}

void Timeline::advance_to(int64_t time) noexcept {
    if (time > now_) now_ = time;
}

uint64_t Timeline::at(int64_t time, std::function<void()> event) {
    const uint64_t id = ++last_id_;
    events_.emplace(id, std::move(event));
    order_.push({time, id});
    return id;
}

bool Timeline::revoke(uint64_t id) {
    return events_.erase(id) == 1;
}

void Timeline::drop_revoked() {
    while (!order_.empty() && !events_.contains(order_.top().id)) order_.pop();
}

int64_t Timeline::next_time() {
    drop_revoked();
    return order_.empty() ? never : order_.top().time;
}

bool Timeline::run_due() {
    bool any = false;
    while (next_time() <= now_) {
        const auto found = events_.find(order_.top().id);
        const std::function<void()> event = std::move(found->second);
        events_.erase(found);
        order_.pop();
        event();
        any = true;
    }
    return any;
}

} // namespace xtc::sim
