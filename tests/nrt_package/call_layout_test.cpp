// SPDX-License-Identifier: ISC
//
// Packages built today are loaded by libraries built later: nothing here may ever change.
#include "nrt/nrt_xtc_model.h"

#include <catch2/catch.hpp>

#include <cstddef>

TEST_CASE("the layout of a call is frozen") {
    CHECK(NRT_XTC_MODEL_CALL_VERSION == 1);
    CHECK(NRT_XTC_MODEL_SCRATCH_BYTES == 1048576);

    CHECK(sizeof(nrt_xtc_model_in_t) == 24);
    CHECK(offsetof(nrt_xtc_model_in_t, name) == 0);
    CHECK(offsetof(nrt_xtc_model_in_t, data) == 8);
    CHECK(offsetof(nrt_xtc_model_in_t, bytes) == 16);
    CHECK(sizeof(nrt_xtc_model_out_t) == 24);
    CHECK(offsetof(nrt_xtc_model_out_t, name) == 0);
    CHECK(offsetof(nrt_xtc_model_out_t, data) == 8);
    CHECK(offsetof(nrt_xtc_model_out_t, bytes) == 16);

    CHECK(sizeof(nrt_xtc_model_call_t) == 80);
    CHECK(offsetof(nrt_xtc_model_call_t, size) == 0);
    CHECK(offsetof(nrt_xtc_model_call_t, version) == 8);
    CHECK(offsetof(nrt_xtc_model_call_t, n_in) == 12);
    CHECK(offsetof(nrt_xtc_model_call_t, in) == 16);
    CHECK(offsetof(nrt_xtc_model_call_t, n_out) == 24);
    CHECK(offsetof(nrt_xtc_model_call_t, rank) == 28);
    CHECK(offsetof(nrt_xtc_model_call_t, out) == 32);
    CHECK(offsetof(nrt_xtc_model_call_t, world) == 40);
    CHECK(offsetof(nrt_xtc_model_call_t, reserved) == 44);
    CHECK(offsetof(nrt_xtc_model_call_t, file) == 48);
    CHECK(offsetof(nrt_xtc_model_call_t, scratch) == 56);
    CHECK(offsetof(nrt_xtc_model_call_t, scratch_bytes) == 64);
    CHECK(offsetof(nrt_xtc_model_call_t, runtime) == 72);
}
