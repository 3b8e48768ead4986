// SPDX-License-Identifier: ISC
// C ABI: what a loaded model is.
#include <nrt/nrt.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "nrt/gate.hpp"
#include "nrt/log.hpp"

using namespace xtc::nrt;

namespace {

struct FreeInfo {
    void operator()(nrt_tensor_info_array_t* info) const { nrt_free_model_tensor_info(info); }
};
using InfoArray = std::unique_ptr<nrt_tensor_info_array_t, FreeInfo>;

InfoArray make_array(uint64_t room) {
    auto* const info = static_cast<nrt_tensor_info_array_t*>(
        std::calloc(1, offsetof(nrt_tensor_info_array_t, tensor_array) + room * sizeof(nrt_tensor_info_t)));
    return InfoArray(info);
}

bool append(nrt_tensor_info_array_t& array, const TensorSpec& spec, nrt_tensor_usage_t usage) {
    nrt_tensor_info_t& info = array.tensor_array[array.tensor_count];
    static_assert(max_name_bytes < sizeof info.name);
    std::memcpy(info.name, spec.name.data(), spec.name.size());
    info.usage = usage;
    info.size = static_cast<size_t>(spec.bytes);
    info.dtype = static_cast<nrt_dtype_t>(spec.dtype);
    info.ndim = static_cast<uint32_t>(spec.shape.size());
    info.shape =
        static_cast<uint32_t*>(std::calloc(std::max<size_t>(spec.shape.size(), 1), sizeof(uint32_t)));
    if (info.shape == nullptr) return false;
    std::copy(spec.shape.begin(), spec.shape.end(), info.shape);
    ++array.tensor_count;
    return true;
}

NRT_STATUS describe(const Manifest& manifest, nrt_tensor_info_array_t** out) {
    InfoArray array = make_array(manifest.inputs.size() + manifest.outputs.size());
    if (array == nullptr) return NRT_RESOURCE;
    for (const TensorSpec& spec : manifest.inputs)
        if (!append(*array, spec, NRT_TENSOR_USAGE_INPUT)) return NRT_RESOURCE;
    for (const TensorSpec& spec : manifest.outputs)
        if (!append(*array, spec, NRT_TENSOR_USAGE_OUTPUT)) return NRT_RESOURCE;
    *out = array.release();
    return NRT_SUCCESS;
}

// Calls answer(model) when both are there.
template <class Answer>
NRT_STATUS ask(const nrt_model_t* handle, const void* out, const char* out_name, const Answer& answer) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(handle, "model") || !is_given(out, out_name)) return NRT_INVALID;
    const PinnedModel model = gate.runtime().models().find(handle);
    if (!model) {
        log(LogLevel::error, "no such model");
        return NRT_INVALID_HANDLE;
    }
    return answer(*model);
}

NRT_STATUS count_one(const nrt_model_t* handle, uint32_t* count, const char* name) {
    return ask(handle, count, name, [count](const LoadedModel&) {
        *count = 1;
        return NRT_SUCCESS;
    });
}

} // namespace

NRT_STATUS nrt_get_model_tensor_info(nrt_model_t* model, nrt_tensor_info_array_t** tensor_info) {
    return ask(model, tensor_info, "tensor_info", [tensor_info](const LoadedModel& found) {
        return describe(found.package().manifest(), tensor_info);
    });
}

NRT_STATUS nrt_free_model_tensor_info(nrt_tensor_info_array_t* tensor_info) {
    if (tensor_info == nullptr) return NRT_SUCCESS;
    for (uint64_t i = 0; i < tensor_info->tensor_count; ++i) std::free(tensor_info->tensor_array[i].shape);
    std::free(tensor_info);
    return NRT_SUCCESS;
}

NRT_STATUS nrt_get_model_instance_count(nrt_model_t* model, uint32_t* instance_count) {
    return count_one(model, instance_count, "instance_count");
}

NRT_STATUS nrt_get_model_nc_count(const nrt_model_t* model, uint32_t* nc_count) {
    return count_one(model, nc_count, "nc_count");
}

NRT_STATUS nrt_get_model_vnc_count(const nrt_model_t* model, uint32_t* vnc_count) {
    return count_one(model, vnc_count, "vnc_count");
}

NRT_STATUS nrt_get_model_info(const nrt_model_t* model, nrt_model_info_t* info, size_t size_in,
                              size_t* size_out) {
    return ask(model, info, "info", [=](const LoadedModel& found) {
        if (size_in == 0) {
            log(LogLevel::error, "nrt_get_model_info: size_in is 0");
            return NRT_INVALID;
        }
        const nrt_model_info_t known{found.core()};
        const size_t size = std::min(size_in, sizeof known);
        std::memcpy(info, &known, size);
        if (size_out != nullptr) *size_out = size;
        return NRT_SUCCESS;
    });
}
