// SPDX-License-Identifier: ISC
#include "nrt/model_loading.hpp"

#include <xtc.h>
#include <xtc_blocking.h>

#include "nrt/callout.hpp"
#include "nrt/log.hpp"
#include "nrt/status.hpp"

namespace xtc::nrt {

NRT_STATUS load_package(std::span<const std::byte> bytes, const LoadOptions& options,
                        std::unique_ptr<Model>* out) {
    struct Load {
        std::span<const std::byte> bytes;
        const LoadOptions& options;
        std::unique_ptr<Model> model;
        Complaint complaint;

        static int run(void* arg) {
            const Callout inside(Callout::Kind::call);
            auto* load = static_cast<Load*>(arg);
            load->complaint = Model::load(load->bytes, load->options, load->model);
            return 0;
        }
    } load{bytes, options, nullptr, {}};
    if (const int rc = xtc_blocking_run(Load::run, &load, nullptr); rc != XTC_OK) {
        log(LogLevel::error, "nrt_load: can not load here: %s", xtc_strerror(rc));
        return status_of(rc);
    }
    if (load.complaint) {
        log(LogLevel::error, "nrt_load: %s", load.complaint->sentence.c_str());
        return static_cast<NRT_STATUS>(load.complaint->status);
    }
    *out = std::move(load.model);
    return NRT_SUCCESS;
}

void unload_package(LoadedModel& model) {
    const auto drop = [](void* arg) {
        const Callout inside(Callout::Kind::call);
        static_cast<LoadedModel*>(arg)->drop_package();
        return 0;
    };
    // Where the pool has no thread left, right here.
    if (xtc_blocking_run(drop, &model, nullptr) != XTC_OK) drop(&model);
}

} // namespace xtc::nrt
