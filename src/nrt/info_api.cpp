// SPDX-License-Identifier: ISC
// C ABI: cores, versions, and what kind of device this is.
#include <nrt/nrt.h>
#include <xtc.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <unistd.h>

#include "nrt/gate.hpp"
#include "nrt/lifecycle.hpp"
#include "nrt/log.hpp"
#include "nrt/storage.hpp"

using namespace xtc::nrt;

namespace {

// The interface that is implemented, and what clients compare.
constexpr uint64_t kMajor = 2;
constexpr uint64_t kMinor = 31;
constexpr uint64_t kPatch = 24;
constexpr uint64_t kMaintenance = 0;
constexpr char kDetail[] = "libnrt version 2.31.24.0";

constexpr size_t kVersionWithoutHash = offsetof(nrt_version_t, git_hash);
constexpr size_t kRoomForHash = 200;

// From what nrt_init found, or else from the settings it would read.
template <class FromCores, class FromSettings>
NRT_STATUS look_up(const FromCores& from_cores, const FromSettings& from_settings) {
    const Gate gate(Gate::Family::unlogged);
    if (gate.is_open() || Lifecycle::the().state() == State::child) {
        from_cores(Lifecycle::the().runtime().cores());
        return NRT_SUCCESS;
    }
    try {
        Settings settings;
        if (const NRT_STATUS status = read_settings(&settings); status != NRT_SUCCESS) return status;
        return from_settings(settings);
    } catch (const std::bad_alloc&) {
        return NRT_RESOURCE;
    }
}

NRT_STATUS find_cores(Cores* out) {
    return look_up([&](const Cores& cores) { *out = cores; },
                   [&](const Settings& settings) { return select_cores(settings, out); });
}

NRT_STATUS total_cores(uint32_t* out) {
    if (!is_given(out, "vnc_count")) return NRT_INVALID;
    return look_up([&](const Cores& cores) { *out = cores.total; },
                   [&](const Settings& settings) {
                       *out = settings.core_count;
                       return NRT_SUCCESS;
                   });
}

NRT_STATUS visible_cores(uint32_t* out) {
    if (!is_given(out, "vnc_count")) return NRT_INVALID;
    Cores cores;
    const NRT_STATUS status = find_cores(&cores);
    if (status == NRT_SUCCESS) *out = cores.count;
    return status;
}

NRT_STATUS no_such_thing(const char* call, const char* what) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    log(LogLevel::info, "%s: the CPU device has no %s", call, what);
    return NRT_INVALID;
}

} // namespace

NRT_STATUS nrt_get_total_vnc_count(uint32_t* vnc_count) {
    return total_cores(vnc_count);
}
NRT_STATUS nrt_get_total_nc_count(uint32_t* nc_count) {
    return total_cores(nc_count);
}
NRT_STATUS nrt_get_visible_vnc_count(uint32_t* vnc_count) {
    return visible_cores(vnc_count);
}
NRT_STATUS nrt_get_visible_nc_count(uint32_t* nc_count) {
    return visible_cores(nc_count);
}

NRT_STATUS nrt_get_version(nrt_version_t* ver, size_t size) {
    if (!is_given(ver, "ver")) return NRT_INVALID;
    if (size < kVersionWithoutHash) {
        log(LogLevel::error, "nrt_get_version: Size is < %zu", kVersionWithoutHash);
        return NRT_FAILURE;
    }
    nrt_version_t whole{kMajor, kMinor, kPatch, kMaintenance, {}, {}};
    std::memcpy(whole.rt_detail, kDetail, sizeof kDetail);
    xtc_strlcpy(whole.git_hash, "libxtc-", sizeof whole.git_hash);
    xtc_strlcat(whole.git_hash, xtc_version_string(), sizeof whole.git_hash);
    std::memcpy(ver, &whole, size > kRoomForHash ? std::min(size, sizeof whole) : kVersionWithoutHash);
    return NRT_SUCCESS;
}

NRT_STATUS nrt_get_instance_info(nrt_instance_info_t* info, size_t info_size) {
    if (!is_given(info, "info") || info_size == 0) return NRT_INVALID;
    const nrt_instance_info_t whole{NRT_INSTANCE_UNKNOWN, NRT_INSTANCE_SIZE_UNKNOWN, "cpu", "xtc"};
    std::memcpy(info, &whole, std::min(info_size, sizeof whole));
    return NRT_SUCCESS;
}

NRT_STATUS nrt_get_vnc_memory_stats(uint32_t vnc, nrt_vnc_memory_stats_t* stats, size_t size_in,
                                    size_t* size_out) {
    const Gate gate;
    if (!gate.is_open()) return gate.refusal();
    if (!is_given(stats, "stats") || size_in == 0) return NRT_INVALID;
    if (!gate.runtime().cores().has(vnc)) {
        log(LogLevel::error, "Failed to find logical core (lnc_idx=%u)", vnc);
        return NRT_INVALID;
    }
    const auto pages = static_cast<uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
    const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    const nrt_vnc_memory_stats_t whole{Storage::bytes_on(static_cast<int32_t>(vnc)), pages * page};
    const size_t written = std::min(size_in, sizeof whole);
    std::memcpy(stats, &whole, written);
    if (size_out != nullptr) *size_out = written;
    return NRT_SUCCESS;
}

NRT_STATUS nrt_get_attached_efa_bdf(const void*, char*, size_t*) {
    return no_such_thing("nrt_get_attached_efa_bdf", "network card");
}
NRT_STATUS nrt_get_dmabuf_fd(uint64_t, uint64_t, int*) {
    return no_such_thing("nrt_get_dmabuf_fd", "dma-buf");
}
NRT_STATUS nrt_get_hbm_mmap_va(int, int, void**, size_t*) {
    return no_such_thing("nrt_get_hbm_mmap_va", "mapping of its whole memory");
}
