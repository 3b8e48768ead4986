// SPDX-License-Identifier: ISC
#include <xtc.h>

// The texts are part of the interface: programs and tests compare them.
const char* xtc_strerror(int code) {
    switch (code) {
    case XTC_OK:
        return "ok";
    case XTC_E_INVAL:
        return "invalid argument";
    case XTC_E_NOMEM:
        return "out of memory";
    case XTC_E_NOSYS:
        return "not implemented on this platform";
    case XTC_E_RANGE:
        return "numeric out of range";
    case XTC_E_AGAIN:
        return "resource temporarily unavailable";
    case XTC_E_INTERNAL:
        return "internal invariant violation";
    case XTC_E_RESOURCE:
        return "resource cap reached";
    case XTC_E_DEADLK:
        return "deadlock victim";
    case XTC_E_VERSION:
        return "version mismatch";
    case XTC_E_ABORTED:
        return "operation aborted";
    case XTC_E_NOTFOUND:
        return "requested item does not exist";
    case XTC_E_IO:
        return "I/O error";
    default:
        return "unknown";
    }
}
