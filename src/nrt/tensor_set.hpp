// SPDX-License-Identifier: ISC
// What nrt_tensor_set_t points to: tensors by name. The client's handle is one reference, queued executions
// hold others.
#pragma once

#include <nrt/nrt.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "nrt/handle.hpp"
#include "nrt/ref.hpp"
#include "nrt/tensor.hpp"

namespace xtc::nrt {

class TensorSet : public Counted<TensorSet> {
public:
    static Ref<TensorSet> make(); // empty: no memory

    // nullptr for NULL and for what is no set.
    static TensorSet* of(const nrt_tensor_set_t* handle) noexcept { return object_of<TensorSet>(handle); }
    bool has_mark() const noexcept { return mark_ == kMark; }
    static nrt_tensor_set_t* handle_of(Ref<TensorSet> set) noexcept { return set.give(); }
    void give_up_handle() noexcept {
        if (has_handle_.exchange(false, std::memory_order_acq_rel)) release();
    }

    NRT_STATUS put(const char* name, Ref<Tensor> tensor);
    Ref<Tensor> find(std::string_view name) const; // empty: no such name
    size_t size() const;

private:
    friend Counted<TensorSet>;
    static constexpr uint64_t kMark = 0x7465536f736e6554; // "TensoSet"

    TensorSet() = default;
    ~TensorSet() { mark_ = 0; }

    volatile uint64_t mark_ = kMark; // stays first
    std::atomic<bool> has_handle_{true};
    mutable std::mutex lock_;
    std::map<std::string, Ref<Tensor>, std::less<>> tensors_;
};

} // namespace xtc::nrt
