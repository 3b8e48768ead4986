// SPDX-License-Identifier: ISC
// C ABI: the runtime's life.
#include <nrt/nrt.h>
#include <nrt/nrt_xtc.h>

#include <cerrno>
#include <new>

#include "nrt/gate.hpp"
#include "nrt/lifecycle.hpp"
#include "nrt/log.hpp"
#include "nrt/write.hpp"

using namespace xtc::nrt;

NRT_STATUS nrt_init(nrt_framework_type_t framework, const char* fw_version, const char* fal_version) {
    const bool is_known = framework > NRT_FRAMEWORK_TYPE_INVALID && framework <= NRT_FRAMEWORK_TYPE_PRECHECK;
    // In a child of fork the state is asked first, as by every guard.
    if (!is_known && Lifecycle::the().state() != State::child) {
        log(LogLevel::error, "nrt_init: unknown framework %d", static_cast<int>(framework));
        return NRT_INVALID;
    }
    const NRT_STATUS status = Lifecycle::the().open();
    log(LogLevel::info, "nrt_init: framework %d '%.32s', '%.32s': %s", static_cast<int>(framework),
        fw_version != nullptr ? fw_version : "", fal_version != nullptr ? fal_version : "",
        nrt_get_status_as_str(status));
    return status;
}

void nrt_close(void) {
    Lifecycle::the().close();
}

NRT_STATUS nrt_xtc_use_exec(xtc_exec_t* exec) {
    return Lifecycle::the().use_exec(exec);
}

namespace {

// A malformed variable is printed as it is: what is wrong with it is why somebody asks.
std::string environment_text() {
    const Gate gate(Gate::Family::unlogged);
    return (gate.is_open() ? describe(gate.runtime().settings()) : describe_process()) + describe_loops();
}

} // namespace

int nrt_xtc_print_env(int fd) {
    try {
        const std::string text = environment_text();
        if (write_all(fd, text.data(), text.size())) return NRT_SUCCESS;
        return errno == EBADF ? NRT_INVALID : NRT_FAILURE;
    } catch (const std::bad_alloc&) {
        return NRT_RESOURCE;
    }
}
