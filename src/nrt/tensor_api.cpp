// SPDX-License-Identifier: ISC
// C ABI: what a tensor is, from allocation to free.
#include <nrt/nrt.h>
#include <xtc.h>

#include <cstring>

#include "nrt/callout.hpp"
#include "nrt/gate.hpp"
#include "nrt/lifecycle.hpp"
#include "nrt/log.hpp"
#include "nrt/status.hpp"
#include "nrt/storage.hpp"
#include "nrt/tensor.hpp"
#include "nrt/transfer.hpp"

using namespace xtc::nrt;

namespace {

NRT_STATUS out_of_memory(const char* call, size_t size) {
    log(LogLevel::error, "%s: no memory for %zu bytes", call, size);
    return NRT_RESOURCE;
}

NRT_STATUS hand_out(const char* name, Ref<View> view, nrt_tensor_t** out) {
    Ref<Tensor> tensor = Tensor::make(name, std::move(view));
    if (!tensor) return NRT_RESOURCE;
    *out = Tensor::handle_of(std::move(tensor));
    return NRT_SUCCESS;
}

// The core whose memory it will be, or Storage::kHost.
NRT_STATUS place(const Cores& cores, nrt_tensor_placement_t placement, int vnc, int32_t* core) {
    switch (placement) {
    case NRT_TENSOR_PLACEMENT_HOST:
        *core = Storage::kHost;
        return NRT_SUCCESS;
    case NRT_TENSOR_PLACEMENT_DEVICE:
        if (cores.has(vnc)) {
            *core = vnc;
            return NRT_SUCCESS;
        }
        log(LogLevel::error, "Failed to find logical core (lnc_idx=%d)", vnc);
        return NRT_INVALID;
    case NRT_TENSOR_PLACEMENT_VIRTUAL:
        break;
    }
    log(LogLevel::error, "nrt_tensor_allocate: no tensor can be placed at %d", static_cast<int>(placement));
    return NRT_INVALID;
}

Tensor* find(const nrt_tensor_t* handle) {
    Tensor* const tensor = Tensor::of(handle);
    if (tensor == nullptr) log(LogLevel::error, handle == nullptr ? "tensor is NULL" : "tensor is no tensor");
    return tensor;
}

constexpr int64_t in_ns(int64_t microseconds) {
    if (microseconds < 0) return -1;
    return microseconds > INT64_MAX / 1000 ? INT64_MAX : microseconds * 1000;
}

} // namespace

NRT_STATUS nrt_tensor_allocate(nrt_tensor_placement_t placement, int vnc, size_t size, const char* name,
                               nrt_tensor_t** tensor) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(tensor, "tensor")) return NRT_INVALID;
    if (size == 0) {
        log(LogLevel::error, "nrt_tensor_allocate: size is 0");
        return NRT_INVALID;
    }
    int32_t core = Storage::kHost;
    if (const NRT_STATUS status = place(gate.runtime().cores(), placement, vnc, &core); status != NRT_SUCCESS)
        return status;
    Ref<Storage> storage = Storage::allocate(size, core);
    if (!storage) return out_of_memory("nrt_tensor_allocate", size);
    Ref<View> view = View::whole(std::move(storage));
    if (!view) return out_of_memory("nrt_tensor_allocate", size);
    return hand_out(name, std::move(view), tensor);
}

NRT_STATUS nrt_tensor_allocate_empty(const char* name, nrt_tensor_t** tensor) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(tensor, "tensor")) return NRT_INVALID;
    return hand_out(name, {}, tensor);
}

NRT_STATUS nrt_tensor_attach_buffer(nrt_tensor_t* handle, void* buffer, size_t size) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    Tensor* const tensor = find(handle);
    if (tensor == nullptr || !is_given(buffer, "buffer")) return NRT_INVALID;
    if (size == 0 || reinterpret_cast<uintptr_t>(buffer) > UINTPTR_MAX - size) {
        log(LogLevel::error, "nrt_tensor_attach_buffer: a buffer of %zu bytes", size);
        return NRT_INVALID;
    }
    Ref<Storage> storage = Storage::borrow(buffer, size);
    if (!storage) return NRT_RESOURCE;
    Ref<View> view = View::whole(std::move(storage));
    if (!view) return NRT_RESOURCE;
    tensor->attach(std::move(view));
    return NRT_SUCCESS;
}

NRT_STATUS nrt_tensor_allocate_slice(const nrt_tensor_t* tensor_source, size_t offset, size_t size,
                                     const char* name, nrt_tensor_t** tensor_slice) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(tensor_slice, "tensor_slice")) return NRT_INVALID;
    if (size == 0) {
        log(LogLevel::error, "nrt_tensor_allocate_slice: size is 0");
        return NRT_INVALID;
    }
    Range range;
    if (const NRT_STATUS status = Range::find(tensor_source, "tensor_source", offset, size, &range);
        status != NRT_SUCCESS)
        return status;
    Ref<View> view = View::part(range.view(), offset, size);
    if (!view) return NRT_RESOURCE;
    return hand_out(name, std::move(view), tensor_slice);
}

void nrt_tensor_free(nrt_tensor_t** handle) {
    if (handle == nullptr) return;
    if (Tensor* const tensor = Tensor::of(*handle)) tensor->give_up_handle();
    *handle = nullptr;
}

size_t nrt_tensor_get_size(const nrt_tensor_t* handle) {
    const Tensor* const tensor = Tensor::of(handle);
    if (tensor == nullptr) return 0;
    const Ref<View> view = tensor->view();
    return view ? view->size() : 0;
}

void* nrt_tensor_get_va(const nrt_tensor_t* handle) {
    const Gate gate(Gate::Family::unlogged);
    const Tensor* const tensor = Tensor::of(handle);
    if (!gate.is_open() || tensor == nullptr) return nullptr;
    const Ref<View> view = tensor->view();
    return view ? view->at(0) : nullptr;
}

NRT_STATUS nrt_memcpy_to_device(void* dest, const void* src, size_t size) {
    if (size == 0) return NRT_SUCCESS;
    if (!is_given(dest, "dest") || !is_given(src, "src")) return NRT_INVALID;
    std::memmove(dest, src, size);
    return NRT_SUCCESS;
}

NRT_STATUS nrt_tensor_get_device_allocation_info(const nrt_tensor_t* handle,
                                                 nrt_tensor_device_allocation_info_t* alloc_info) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    const Tensor* const tensor = find(handle);
    if (tensor == nullptr || !is_given(alloc_info, "alloc_info")) return NRT_INVALID;
    const Ref<View> view = tensor->view();
    if (!view || !view->storage().is_on_device()) {
        log(LogLevel::error, "tensor '%s' is not on the device", tensor->name().c_str());
        return NRT_INVALID;
    }
    *alloc_info = {reinterpret_cast<uint64_t>(view->at(0)), view->storage().size(), 0};
    return NRT_SUCCESS;
}

NRT_STATUS nrt_tensor_check_output_completion(const nrt_tensor_t* output_tensor, int64_t timeout,
                                              uint64_t expected_completion_count) {
    Tensor* const found = find(output_tensor);
    if (found == nullptr) return NRT_INVALID;
    const Ref<Tensor> tensor = Ref<Tensor>::share(found); // it may be freed while we wait
    // Who is waited for by queued work only looks; so does a child, where nothing will write it.
    const bool is_in_way = Callout::is_awaited_by_core() || Lifecycle::the().state() == State::child;
    const bool may_wait = timeout == 0 || !is_in_way;
    const int rc = tensor->wait_for_outputs(expected_completion_count, may_wait ? in_ns(timeout) : 0);
    return rc == XTC_E_AGAIN && !may_wait ? NRT_FAILURE : status_of(rc);
}

NRT_STATUS nrt_tensor_reset_output_completion(nrt_tensor_t* output_tensor) {
    Tensor* const tensor = find(output_tensor);
    if (tensor == nullptr) return NRT_INVALID;
    tensor->reset_outputs();
    return NRT_SUCCESS;
}
