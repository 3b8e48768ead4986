// SPDX-License-Identifier: ISC
#include "nrt/tensor_set.hpp"

#include <new>

namespace xtc::nrt {

Ref<TensorSet> TensorSet::make() {
    return Ref<TensorSet>::adopt(new (std::nothrow) TensorSet);
}

NRT_STATUS TensorSet::put(const char* name, Ref<Tensor> tensor) {
    try {
        std::string key(name);
        const std::lock_guard hold(lock_);
        // The one that leaves goes into the argument, which is let go after the lock.
        std::swap(tensors_[std::move(key)], tensor);
        return NRT_SUCCESS;
    } catch (const std::bad_alloc&) {
        return NRT_RESOURCE;
    }
}

Ref<Tensor> TensorSet::find(std::string_view name) const {
    const std::lock_guard hold(lock_);
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? Ref<Tensor>() : found->second;
}

size_t TensorSet::size() const {
    const std::lock_guard hold(lock_);
    return tensors_.size();
}

} // namespace xtc::nrt
