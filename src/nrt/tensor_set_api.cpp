// SPDX-License-Identifier: ISC
// C ABI: tensors by name.
#include <nrt/nrt.h>

#include "nrt/gate.hpp"
#include "nrt/log.hpp"
#include "nrt/tensor_set.hpp"

using namespace xtc::nrt;

namespace {

TensorSet* find(const nrt_tensor_set_t* handle) {
    TensorSet* const set = TensorSet::of(handle);
    if (set == nullptr)
        log(LogLevel::error, handle == nullptr ? "tensor_set is NULL" : "tensor_set is no tensor set");
    return set;
}

} // namespace

NRT_STATUS nrt_allocate_tensor_set(nrt_tensor_set_t** result) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(result, "result")) return NRT_INVALID;
    Ref<TensorSet> set = TensorSet::make();
    if (!set) return NRT_RESOURCE;
    *result = TensorSet::handle_of(std::move(set));
    return NRT_SUCCESS;
}

void nrt_destroy_tensor_set(nrt_tensor_set_t** handle) {
    if (handle == nullptr) return;
    if (TensorSet* const set = TensorSet::of(*handle)) set->give_up_handle();
    *handle = nullptr;
}

NRT_STATUS nrt_add_tensor_to_tensor_set(nrt_tensor_set_t* tensor_set, const char* tensor_name,
                                        nrt_tensor_t* tensor) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    TensorSet* const set = find(tensor_set);
    if (set == nullptr || !is_given(tensor_name, "tensor_name")) return NRT_INVALID;
    Tensor* const member = Tensor::of(tensor);
    if (member == nullptr) {
        log(LogLevel::error, tensor == nullptr ? "tensor is NULL" : "tensor is no tensor");
        return NRT_INVALID;
    }
    return set->put(tensor_name, Ref<Tensor>::share(member));
}

NRT_STATUS nrt_get_tensor_from_tensor_set(nrt_tensor_set_t* tensor_set, const char* tensor_name,
                                          nrt_tensor_t** tensor) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    const TensorSet* const set = find(tensor_set);
    if (set == nullptr || !is_given(tensor_name, "tensor_name") || !is_given(tensor, "tensor"))
        return NRT_INVALID;
    const Ref<Tensor> found = set->find(tensor_name);
    if (!found) {
        log(LogLevel::info, "no tensor '%s' in the set", tensor_name);
        return NRT_FAILURE;
    }
    *tensor = reinterpret_cast<nrt_tensor_t*>(found.get()); // borrowed: the set holds it
    return NRT_SUCCESS;
}
