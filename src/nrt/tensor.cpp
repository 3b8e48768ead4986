// SPDX-License-Identifier: ISC
#include "nrt/tensor.hpp"

#include <new>

namespace xtc::nrt {

Ref<Tensor> Tensor::make(const char* name, Ref<View> view) {
    try {
        return Ref<Tensor>::adopt(new Tensor(name != nullptr ? name : "_unknown_", std::move(view)));
    } catch (const std::bad_alloc&) {
        return {};
    }
}

Tensor* Tensor::of(const nrt_tensor_t* handle) noexcept {
    auto* tensor = reinterpret_cast<Tensor*>(const_cast<nrt_tensor_t*>(handle));
    return tensor != nullptr && tensor->mark_ == kMark ? tensor : nullptr;
}

} // namespace xtc::nrt
