// SPDX-License-Identifier: ISC
// What nrt_tensor_t points to: a name and a view of memory. The client's handle is one reference; sets and
// queued requests hold others.
#pragma once

#include <nrt/nrt.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "nrt/handle.hpp"
#include "nrt/ref.hpp"
#include "nrt/storage.hpp"
#include "nrt/wait_list.hpp"

namespace xtc::nrt {

class Tensor : public Counted<Tensor> {
public:
    // `name` may be NULL. Empty when there is no memory.
    static Ref<Tensor> make(const char* name, Ref<View> view);

    // nullptr for NULL and for what is no tensor (sets are pointers to void: they are easily taken for one).
    static Tensor* of(const nrt_tensor_t* handle) noexcept { return object_of<Tensor>(handle); }
    bool has_mark() const noexcept { return mark_ == kMark; }
    static nrt_tensor_t* handle_of(Ref<Tensor> tensor) noexcept {
        return reinterpret_cast<nrt_tensor_t*>(tensor.give());
    }
    // Lets the handle's reference go, the first time.
    void give_up_handle() noexcept {
        if (has_handle_.exchange(false, std::memory_order_acq_rel)) release();
    }

    const std::string& name() const noexcept { return name_; }

    Ref<View> view() const noexcept { return view_.load(); } // empty: no memory
    void attach(Ref<View> view) noexcept { view_.replace(std::move(view)); }

    // Executions that have written it since the last reset.
    void count_output() noexcept {
        outputs_.fetch_add(1, std::memory_order_seq_cst);
        output_.changed();
    }
    void reset_outputs() noexcept { outputs_.store(0, std::memory_order_seq_cst); }
    int wait_for_outputs(uint64_t count, int64_t timeout_ns) {
        return output_.wait([&] { return outputs_.load(std::memory_order_seq_cst) >= count; }, timeout_ns,
                            WaitList::OnKill::leave);
    }

private:
    friend Counted<Tensor>;
    static constexpr uint64_t kMark = 0x726f736e65547274; // "trTensor"

    Tensor(std::string name, Ref<View> view) : name_(std::move(name)), view_(std::move(view)) {}
    ~Tensor() { mark_ = 0; }

    volatile uint64_t mark_ = kMark; // stays first; volatile: cleared for a handle that is used after free
    std::string name_;
    SharedSlot<View> view_;
    std::atomic<bool> has_handle_{true};
    std::atomic<uint64_t> outputs_{0};
    WaitList output_;
};

} // namespace xtc::nrt
