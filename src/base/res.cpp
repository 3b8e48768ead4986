// SPDX-License-Identifier: ISC
//
// The accountant. The struct is the caller's and plain, so the atomics are builtins on its fields.
#include <xtc_res.h>

namespace {

bool known(xtc_res_kind_t kind) {
    return static_cast<unsigned>(kind) < XTC_RES__COUNT;
}

template <typename T> T load(const T& field) {
    return __atomic_load_n(&field, __ATOMIC_RELAXED);
}
template <typename T> void store(T& field, T value) {
    __atomic_store_n(&field, value, __ATOMIC_RELAXED);
}

// __atomic_load_n takes no doubles.
double load_pct(const double& field) {
    double value;
    __atomic_load(&field, &value, __ATOMIC_RELAXED);
    return value;
}

int64_t& cap_of(xtc_res_caps_t& caps, xtc_res_kind_t kind) {
    switch (kind) {
    case XTC_RES_TASKS:
        return caps.tasks;
    case XTC_RES_CHANNELS:
        return caps.channels;
    case XTC_RES_CHAN_SLOTS:
        return caps.chan_slots;
    case XTC_RES_FDS:
        return caps.fds;
    case XTC_RES_MEM_BYTES:
        return caps.mem_bytes;
    default:
        return caps.inbox_msgs;
    }
}

void raise_high_water(int64_t& high, int64_t used) {
    int64_t seen = load(high);
    while (seen < used &&
           !__atomic_compare_exchange_n(&high, &seen, used, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

bool at_alert(double pct, int64_t cap, int64_t used) {
    return cap > 0 && pct > 0 && static_cast<double>(used) >= pct * static_cast<double>(cap);
}

// The change from `before` to `after` was one atomic step, so exactly one caller sees each crossing. `armed`
// adds the one case without a crossing: an alert set while use is already above it.
void maybe_alert(xtc_res_t* res, xtc_res_kind_t kind, int64_t before, int64_t after, int64_t cap) {
    const double pct = load_pct(res->alert_pct[kind]);
    if (!at_alert(pct, cap, after)) return;
    const int was_armed = load(res->alert_armed[kind]) != 0 &&
                          __atomic_exchange_n(&res->alert_armed[kind], 0, __ATOMIC_RELAXED) != 0;
    if (!was_armed && at_alert(pct, cap, before)) return;
    const auto fn = load(res->alert_fn);
    if (fn != nullptr) fn(kind, after, cap, load(res->alert_user));
}

} // namespace

extern "C" int xtc_res_init(xtc_res_t* res, const xtc_res_caps_t* caps) {
    constexpr xtc_res_caps_t standard = XTC_RES_CAPS_DEFAULT;
    if (res == nullptr) return XTC_E_INVAL;
    xtc_res_caps_t taken = caps != nullptr ? *caps : standard;
    for (int kind = 0; kind < XTC_RES__COUNT; ++kind)
        if (cap_of(taken, static_cast<xtc_res_kind_t>(kind)) < 0) return XTC_E_INVAL;
    *res = {};
    res->caps = taken;
    return XTC_OK;
}

extern "C" int xtc_res_acquire(xtc_res_t* res, xtc_res_kind_t kind, int64_t n) {
    if (res == nullptr || !known(kind) || n < 0) return XTC_E_INVAL;
    if (n == 0) return XTC_OK;
    int64_t before = load(res->used[kind]);
    int64_t cap;
    do {
        cap = load(cap_of(res->caps, kind));
        const int64_t most = cap > 0 ? cap : INT64_MAX;
        if (before > most || n > most - before) {
            __atomic_fetch_add(&res->rejects[kind], 1, __ATOMIC_RELAXED);
            return XTC_E_RESOURCE;
        }
    } while (!__atomic_compare_exchange_n(&res->used[kind], &before, before + n, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    raise_high_water(res->high[kind], before + n);
    maybe_alert(res, kind, before, before + n, cap);
    return XTC_OK;
}

extern "C" void xtc_res_release(xtc_res_t* res, xtc_res_kind_t kind, int64_t n) {
    if (res == nullptr || !known(kind) || n <= 0) return;
    int64_t used = load(res->used[kind]);
    while (!__atomic_compare_exchange_n(&res->used[kind], &used, used > n ? used - n : 0, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

extern "C" int64_t xtc_res_used(const xtc_res_t* res, xtc_res_kind_t kind) {
    return res != nullptr && known(kind) ? load(res->used[kind]) : 0;
}

extern "C" int64_t xtc_res_high(const xtc_res_t* res, xtc_res_kind_t kind) {
    return res != nullptr && known(kind) ? load(res->high[kind]) : 0;
}

extern "C" int64_t xtc_res_rejects(const xtc_res_t* res, xtc_res_kind_t kind) {
    return res != nullptr && known(kind) ? load(res->rejects[kind]) : 0;
}

extern "C" void xtc_res_set_cap(xtc_res_t* res, xtc_res_kind_t kind, int64_t cap) {
    if (res == nullptr || !known(kind) || cap < 0) return;
    store(cap_of(res->caps, kind), cap);
}

extern "C" int xtc_res_set_alert(xtc_res_t* res, xtc_res_kind_t kind, double pct) {
    if (res == nullptr || !known(kind) || !(pct > 0.0 && pct < 1.0)) return XTC_E_INVAL;
    __atomic_store(&res->alert_pct[kind], &pct, __ATOMIC_RELAXED);
    const bool above = at_alert(pct, load(cap_of(res->caps, kind)), load(res->used[kind]));
    store(res->alert_armed[kind], above ? 1 : 0);
    return XTC_OK;
}

extern "C" int xtc_res_set_alert_fn(xtc_res_t* res,
                                    void (*fn)(xtc_res_kind_t kind, int64_t used, int64_t cap, void* user),
                                    void* user) {
    if (res == nullptr) return XTC_E_INVAL;
    store(res->alert_user, user);
    store(res->alert_fn, fn);
    return XTC_OK;
}
