/* SPDX-License-Identifier: ISC */
/*
 * Chooser: which of n ready things goes next, and what was done about it. Absent in production: a null
 * pointer and a branch, first come first served.
 */
#ifndef XTC_SEAM_CHOOSER_H
#define XTC_SEAM_CHOOSER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum xtc_note_kind {
    XTC_NOTE_SPAWN = 1, /* a: slot, b: generation */
    XTC_NOTE_RUN,       /* a: slot, b: epoch */
    XTC_NOTE_WAKE,      /* a: slot, b: epoch */
    XTC_NOTE_TIMER,     /* a: slot or timer number, b: deadline */
    XTC_NOTE_OP,        /* a: kind, b: result */
    XTC_NOTE_POST,      /* a: inbox node kind, b: 0 */
    XTC_NOTE_EXIT,      /* a: slot, b: reason or result */
    XTC_NOTE_USER       /* the simulator's own */
} xtc_note_kind_t;

typedef struct xtc_seam_chooser {
    size_t size;
    uint32_t (*choose)(void *self, uint32_t n);                           /* 0..n-1; called with n >= 2 */
    void (*note)(void *self, xtc_note_kind_t kind, uint64_t a, uint64_t b); /* for the trace; no addresses */
} xtc_seam_chooser_t;

#ifdef __cplusplus
}
#endif

#endif /* XTC_SEAM_CHOOSER_H */
