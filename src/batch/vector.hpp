// SPDX-License-Identifier: ISC
//
// What a step gets: items and results side by side, for exactly the members that were ready. Frozen until the
// results are recorded.
#pragma once

#include "batch/member.hpp"

#include <xtc_batch.h>

#include <memory>
#include <new>

namespace xtc {

class StepVector {
public:
    int init(size_t max_active) {
        if (max_active > PTRDIFF_MAX / sizeof(xtc_batch_item_t)) return XTC_E_RANGE;
        members_.reset(new (std::nothrow) Member*[max_active]);
        items_.reset(new (std::nothrow) xtc_batch_item_t[max_active]);
        results_.reset(new (std::nothrow) xtc_batch_result_t[max_active]);
        return members_ != nullptr && items_ != nullptr && results_ != nullptr ? XTC_OK : XTC_E_NOMEM;
    }

    void add(Member& m) {
        members_[size_] = &m;
        items_[size_] = {m.handle, m.request};
        ++size_;
    }
    void clear() { size_ = 0; }
    void reset_results() {
        for (size_t i = 0; i < size_; ++i) results_[i] = {XTC_BATCH_UNSET, 0};
    }

    size_t size() const { return size_; }
    Member& member(size_t i) const { return *members_[i]; }
    const xtc_batch_item_t* items() const { return items_.get(); }
    xtc_batch_result_t* results() const { return results_.get(); }

private:
    std::unique_ptr<Member*[]> members_;
    std::unique_ptr<xtc_batch_item_t[]> items_;
    std::unique_ptr<xtc_batch_result_t[]> results_;
    size_t size_ = 0;
};

} // namespace xtc
