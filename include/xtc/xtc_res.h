/* SPDX-License-Identifier: ISC */
/*
 * xtc_res.h - the resource accountant: counters with caps. Every loop has one (xtc_loop_res)
 * that says no with XTC_E_RESOURCE before something grows without bound; a host may keep its
 * own. Lock-free. Manual: xtc_res(3).
 */
#ifndef XTC_RES_H
#define XTC_RES_H

#include <stddef.h>
#include <stdint.h>

#include "xtc.h"
#include "xtc_export.h"

XTC_BEGIN_DECLS

typedef enum xtc_res_kind {
    XTC_RES_TASKS = 0,      /* tasks, fibers and processes alive */
    XTC_RES_CHANNELS = 1,   /* channels */
    XTC_RES_CHAN_SLOTS = 2, /* messages in channels */
    XTC_RES_FDS = 3,        /* descriptors, where the host counts them */
    XTC_RES_MEM_BYTES = 4,  /* bytes of pools made for you, such as a batch group's ring */
    XTC_RES_INBOX_MSGS = 5, /* spawns from other threads on their way to the loop */
    XTC_RES__COUNT
} xtc_res_kind_t;

/* One cap for each kind; 0 means no cap. */
typedef struct xtc_res_caps {
    int64_t tasks;
    int64_t channels;
    int64_t chan_slots;
    int64_t fds;
    int64_t mem_bytes;
    int64_t inbox_msgs;
} xtc_res_caps_t;

/* Initialises an xtc_res_caps_t: no cap on tasks, 4096 channels, a million slots, 65536
 * descriptors, 1 GiB, 65536 inbox messages. */
#define XTC_RES_CAPS_DEFAULT {0, 4096, 1000000, 65536, 1073741824, 65536}

/* Storage is the caller's; the fields are the library's. They change under other threads'
 * hands, so read them through the calls below. */
typedef struct xtc_res {
    xtc_res_caps_t caps;
    int64_t used[XTC_RES__COUNT];
    int64_t high[XTC_RES__COUNT];
    int64_t rejects[XTC_RES__COUNT];
    double alert_pct[XTC_RES__COUNT];
    int alert_armed[XTC_RES__COUNT];
    void (*alert_fn)(xtc_res_kind_t kind, int64_t used, int64_t cap, void* user);
    void* alert_user;
} xtc_res_t;

/* Starts from zero with these caps, or the default ones for NULL. For a loop's own accountant:
 * before its first run, with nothing spawned yet.
 * Errors: XTC_E_INVAL (NULL res, or a negative cap). */
XTC_API int xtc_res_init(xtc_res_t* res, const xtc_res_caps_t* caps);

/* Takes n units, all or none. Any thread.
 * Errors: XTC_E_RESOURCE (would pass the cap, or overflow; counted), XTC_E_INVAL (NULL, unknown kind,
 * or negative). */
XTC_API int xtc_res_acquire(xtc_res_t* res, xtc_res_kind_t kind, int64_t n);
/* Gives n units back; never below 0. Bad arguments do nothing. Any thread. */
XTC_API void xtc_res_release(xtc_res_t* res, xtc_res_kind_t kind, int64_t n);

/* Units taken now, the most that ever were, and refusals; 0 for bad arguments. Any thread. */
XTC_API int64_t xtc_res_used(const xtc_res_t* res, xtc_res_kind_t kind);
XTC_API int64_t xtc_res_high(const xtc_res_t* res, xtc_res_kind_t kind);
XTC_API int64_t xtc_res_rejects(const xtc_res_t* res, xtc_res_kind_t kind);

/* Changes a cap; 0 takes it away, a negative one is ignored. What is taken already stays taken. Any
 * thread. */
XTC_API void xtc_res_set_cap(xtc_res_t* res, xtc_res_kind_t kind, int64_t cap);

/* Calls the alert function once each time use passes this part of the cap upwards; pct lies
 * between 0 and 1, both excluded. Any thread.
 * Errors: XTC_E_INVAL (NULL, unknown kind, or pct out of range). */
XTC_API int xtc_res_set_alert(xtc_res_t* res, xtc_res_kind_t kind, double pct);
/* Sets the alert function, or none with NULL. It is called on the acquiring thread and must
 * not block. Before others use the accountant.
 * Errors: XTC_E_INVAL (NULL res). */
XTC_API int xtc_res_set_alert_fn(xtc_res_t* res,
                                 void (*fn)(xtc_res_kind_t kind, int64_t used, int64_t cap, void* user),
                                 void* user);

XTC_END_DECLS

#endif /* XTC_RES_H */
