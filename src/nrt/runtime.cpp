// SPDX-License-Identifier: ISC
#include "nrt/runtime.hpp"

#include <new>

#include "nrt/model_loading.hpp"

namespace xtc::nrt {

NRT_STATUS Runtime::make(xtc_exec_t* host, std::unique_ptr<Runtime>* out) {
    try {
        std::unique_ptr<Runtime> runtime(new Runtime);
        if (const NRT_STATUS status = read_settings(&runtime->settings_); status != NRT_SUCCESS)
            return status;
        if (const NRT_STATUS status = select_cores(runtime->settings_, &runtime->cores_);
            status != NRT_SUCCESS)
            return status;
        if (const NRT_STATUS status = Loops::start(host, runtime->cores_.count, &runtime->loops_);
            status != NRT_SUCCESS)
            return status;
        if (const NRT_STATUS status =
                runtime->units_.make(runtime->settings_, runtime->cores_, *runtime->loops_);
            status != NRT_SUCCESS) {
            runtime->shut_down();
            return status;
        }
        *out = std::move(runtime);
        return NRT_SUCCESS;
    } catch (const std::bad_alloc&) {
        return NRT_RESOURCE;
    }
}

void Runtime::shut_down() {
    is_closed_.store(true);
    units_.close(*loops_);
    models_.for_each([](LoadedModel& model) {
        model.leave();
        unload_package(model);
    });
    loops_->stop();
}

bool Runtime::end_on_halted_loops() {
    if (!loops_->try_hold()) return false;
    units_.take_over();
    return true;
}

} // namespace xtc::nrt
