// SPDX-License-Identifier: ISC
#include "nrt/loaded_model.hpp"

#include <new>

namespace xtc::nrt {

Ref<LoadedModel> LoadedModel::make(std::unique_ptr<Model> package, uint32_t core, uint32_t id) {
    return Ref<LoadedModel>::adopt(new (std::nothrow) LoadedModel(std::move(package), core, id));
}

} // namespace xtc::nrt
