// SPDX-License-Identifier: ISC
// C ABI: models, from load to unload.
#include <nrt/nrt.h>
#include <xtc.h>

#include "nrt/callout.hpp"
#include "nrt/gate.hpp"
#include "nrt/log.hpp"
#include "nrt/masked.hpp"
#include "nrt/model_loading.hpp"
#include "nrt/status.hpp"
#include "seam/loop.h"

using namespace xtc::nrt;

namespace {

// The core asked for, or for -1 the one with the fewest models.
NRT_STATUS choose_core(Runtime& runtime, int32_t vnc, int32_t vnc_count, uint32_t* core) {
    const Cores& cores = runtime.cores();
    if (vnc_count != -1 && vnc_count != 1) {
        log(LogLevel::error, "nrt_load: a model runs on one core, not on %d", vnc_count);
        return vnc_count > static_cast<int64_t>(cores.count) ? NRT_LOAD_NOT_ENOUGH_NC : NRT_INVALID;
    }
    if (vnc == -1) {
        *core = 0;
        uint32_t fewest = runtime.models().count_on(0);
        for (uint32_t other = 1; other < cores.count && fewest > 0; ++other) {
            const uint32_t count = runtime.models().count_on(other);
            if (count >= fewest) continue;
            fewest = count;
            *core = other;
        }
        return NRT_SUCCESS;
    }
    if (!cores.has(vnc)) {
        log(LogLevel::error, "Failed to find logical core (lnc_idx=%d)", vnc);
        return NRT_INVALID;
    }
    *core = static_cast<uint32_t>(vnc);
    return NRT_SUCCESS;
}

NRT_STATUS load(Runtime& runtime, std::span<const std::byte> bytes, int32_t vnc, int32_t vnc_count,
                nrt_model_t** out) {
    uint32_t core = 0;
    if (const NRT_STATUS status = choose_core(runtime, vnc, vnc_count, &core); status != NRT_SUCCESS)
        return status;
    LoadOptions options;
    options.allow_native = runtime.settings().allow_native;
    std::unique_ptr<Model> package;
    if (const NRT_STATUS status = load_package(bytes, options, &package); status != NRT_SUCCESS)
        return status;
    Ref<LoadedModel> model = LoadedModel::make(std::move(package), core, ModelTable::next_id());
    if (!model) return NRT_RESOURCE;
    nrt_model_t* const handle = runtime.models().add(model);
    if (handle == nullptr) {
        log(LogLevel::error, "nrt_load: %u models are loaded, which is the limit", ModelTable::kMostModels);
        unload_package(*model);
        return NRT_RESOURCE;
    }
    *out = handle;
    return NRT_SUCCESS;
}

} // namespace

NRT_STATUS nrt_load(const void* neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
                    nrt_model_t** model) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(neff_bytes, "neff_bytes") || !is_given(model, "model")) return NRT_INVALID;
    return load(gate.runtime(), {static_cast<const std::byte*>(neff_bytes), size}, vnc, vnc_count, model);
}

NRT_STATUS nrt_load_collectives(const void* neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
                                uint32_t ctx_device_id, uint32_t ctx_device_count, nrt_model_t** model) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(neff_bytes, "neff_bytes") || !is_given(model, "model")) return NRT_INVALID;
    if (ctx_device_count != 1 || ctx_device_id != 0) {
        log(LogLevel::error, "nrt_load_collectives: device %u of %u: a world of one is all there is",
            ctx_device_id, ctx_device_count);
        return NRT_INVALID;
    }
    return load(gate.runtime(), {static_cast<const std::byte*>(neff_bytes), size}, vnc, vnc_count, model);
}

NRT_STATUS nrt_unload(nrt_model_t* handle) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(handle, "model")) return NRT_INVALID;
    ModelTable& models = gate.runtime().models();
    if (!models.find(handle)) {
        log(LogLevel::error, "nrt_unload: no such model");
        return NRT_INVALID_HANDLE;
    }
    if (Callout::is_awaited_by_core()) {
        log(LogLevel::error, "nrt_unload: queued work waits for this callback or entry");
        return NRT_FAILURE;
    }
    if (const int rc = xtc_seam_may_wait(); rc != XTC_OK) {
        log(LogLevel::error, "nrt_unload: can not wait here: %s", xtc_strerror(rc));
        return status_of(rc);
    }
    Masked masked; // a kill would leave a model that nobody can name
    LoadedModel* const model = models.begin_unload(handle);
    if (model != nullptr) {
        while (model->wait_until_unpinned() != XTC_OK) xtc_sleep_ns(1'000'000); // no memory: look again
        unload_package(*model);
        models.end_unload(handle);
    }
    masked.leave();
    return model != nullptr ? NRT_SUCCESS : NRT_INVALID_HANDLE; // somebody else was faster
}
