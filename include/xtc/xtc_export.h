/* SPDX-License-Identifier: ISC */
/*
 * xtc_export.h - what every public header needs: linkage, visibility, attributes.
 *
 * Conventions of all headers beside this one (xtc(7) has them in full):
 *   - a call returns XTC_OK (0) or a negative XTC_E_* code;
 *   - an out-parameter is written on success only, unless its comment says otherwise;
 *   - times are nanoseconds; a timeout below zero waits for ever, zero does not wait;
 *   - "any thread" means any OS thread and any fiber; "fibers only" calls answer
 *     XTC_E_INVAL elsewhere.
 */
#ifndef XTC_EXPORT_H
#define XTC_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define XTC_API __attribute__((visibility("default")))
#define XTC_WARN_UNUSED __attribute__((warn_unused_result))
#define XTC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define XTC_API
#define XTC_WARN_UNUSED
#define XTC_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
#define XTC_BEGIN_DECLS extern "C" {
#define XTC_END_DECLS }
#else
#define XTC_BEGIN_DECLS
#define XTC_END_DECLS
#endif

#endif /* XTC_EXPORT_H */
