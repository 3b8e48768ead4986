// SPDX-License-Identifier: ISC
//
// An entry that breaks the rule that it must not throw.
#include "nrt/nrt_xtc_model.h"

#include <stdexcept>

extern "C" __attribute__((visibility("default"))) int throws(const nrt_xtc_model_call_t*) {
    throw std::runtime_error("out of an entry");
}
