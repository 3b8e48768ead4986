// SPDX-License-Identifier: ISC
#include "nrt/model_table.hpp"

#include <algorithm>

namespace xtc::nrt {

namespace {

// "NM" where no address of a process can be, the model's id, its place.
constexpr uint64_t kMark = uint64_t{0x4e4d} << 48;
constexpr uint64_t kMarkMask = uint64_t{0xffff} << 48;
constexpr int kPlaceBits = 16;
static_assert(ModelTable::kMostModels <= 1u << kPlaceBits);

nrt_model_t* handle_of(uint32_t id, uint32_t place) noexcept {
    return reinterpret_cast<nrt_model_t*>(kMark | (uint64_t{id} << kPlaceBits) | place);
}

} // namespace

ModelTable::ModelTable() : slots_(kMostModels) {}

uint32_t ModelTable::next_id() noexcept {
    static std::atomic<uint32_t> last{0};
    uint32_t id = 0;
    while (id == 0) id = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return id;
}

nrt_model_t* ModelTable::add(Ref<LoadedModel> model) {
    const uint32_t id = model->id();
    const std::lock_guard hold(lock_);
    const auto free =
        std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.model.load(); });
    if (free == slots_.end()) return nullptr;
    free->model.replace(std::move(model));
    return handle_of(id, static_cast<uint32_t>(free - slots_.begin()));
}

Ref<LoadedModel> ModelTable::look_up(const nrt_model_t* handle, uint32_t* place) const noexcept {
    const auto value = reinterpret_cast<uint64_t>(handle);
    *place = static_cast<uint32_t>(value & ((1u << kPlaceBits) - 1));
    if ((value & kMarkMask) != kMark || *place >= slots_.size()) return {};
    Ref<LoadedModel> model = slots_[*place].model.load();
    if (!model || handle_of(model->id(), *place) != handle) return {};
    return model;
}

PinnedModel ModelTable::find(const nrt_model_t* handle) const noexcept {
    uint32_t place = 0;
    return PinnedModel(look_up(handle, &place));
}

LoadedModel* ModelTable::begin_unload(const nrt_model_t* handle) {
    uint32_t place = 0;
    const Ref<LoadedModel> model = look_up(handle, &place);
    return model && model->leave() ? model.get() : nullptr;
}

void ModelTable::end_unload(const nrt_model_t* handle) {
    const std::lock_guard hold(lock_);
    uint32_t place = 0;
    if (look_up(handle, &place)) slots_[place].model.replace({});
}

uint32_t ModelTable::count_on(uint32_t core) const {
    const std::lock_guard hold(lock_);
    return static_cast<uint32_t>(std::count_if(slots_.begin(), slots_.end(), [core](const Slot& slot) {
        const Ref<LoadedModel> model = slot.model.load();
        return model && model->core() == core && !model->is_leaving();
    }));
}

} // namespace xtc::nrt
