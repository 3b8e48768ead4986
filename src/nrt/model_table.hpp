// SPDX-License-Identifier: ISC
// The loaded models. A handle is a number in the shape of a pointer, never an address: a stale or foreign one
// is recognised without looking at the memory of what is gone.
#pragma once

#include <nrt/nrt.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "nrt/loaded_model.hpp"
#include "nrt/ref.hpp"

namespace xtc::nrt {

class ModelTable {
public:
    static constexpr uint32_t kMostModels = 4096;

    ModelTable();
    ModelTable(const ModelTable&) = delete;
    ModelTable& operator=(const ModelTable&) = delete;

    // Another number each time, in all the life of the process; never 0.
    static uint32_t next_id() noexcept;

    // nullptr: full.
    nrt_model_t* add(Ref<LoadedModel> model);
    // Pinned; none for what is no model, or one that is being unloaded. Any thread, takes no lock.
    PinnedModel find(const nrt_model_t* handle) const noexcept;
    // The model of a handle, which names none from now on; nullptr for what was none. It stays here until
    // end_unload(), so that it is not lost with the fiber that waits for its last execution.
    LoadedModel* begin_unload(const nrt_model_t* handle);
    void end_unload(const nrt_model_t* handle);

    uint32_t count_on(uint32_t core) const;
    // All that are there, also those being unloaded.
    template <class Each> void for_each(const Each& each) const {
        for (const Slot& slot : slots_)
            if (const Ref<LoadedModel> model = slot.model.load()) each(*model);
    }

private:
    struct Slot {
        SharedSlot<LoadedModel> model{Ref<LoadedModel>()};
    };
    Ref<LoadedModel> look_up(const nrt_model_t* handle, uint32_t* place) const noexcept;

    std::vector<Slot> slots_;
    mutable std::mutex lock_; // of who adds and takes out
};

} // namespace xtc::nrt
