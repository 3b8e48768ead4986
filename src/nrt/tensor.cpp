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

} // namespace xtc::nrt
