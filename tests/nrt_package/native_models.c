/* SPDX-License-Identifier: ISC */
/* Entries for tests, as a user would write them. */
#include "nrt/nrt_xtc_model.h"

#include <sched.h>
#include <string.h>

#define ENTRY __attribute__((visibility("default")))

ENTRY int twice(const nrt_xtc_model_call_t* call) {
    const float* x = call->in[0].data;
    float* y = call->out[0].data;
    for (size_t i = 0; i < call->out[0].bytes / sizeof(float); ++i) y[i] = 2 * x[i];
    return 0;
}

/* A static variable: one for each load. */
ENTRY int count_calls(const nrt_xtc_model_call_t* call) {
    static float calls;
    calls += 1;
    memcpy(call->out[0].data, &calls, sizeof calls);
    return 0;
}

/* The status that the first input element asks for. */
ENTRY int return_input(const nrt_xtc_model_call_t* call) {
    int32_t status;
    memcpy(&status, call->in[0].data, sizeof status);
    return status;
}

/* x is where a count stands, and how many must have come before any goes on. */
ENTRY int meet(const nrt_xtc_model_call_t* call) {
    const uint64_t* x = call->in[0].data;
    int* here = (int*)(uintptr_t)x[0];
    __atomic_add_fetch(here, 1, __ATOMIC_SEQ_CST);
    while ((uint64_t)__atomic_load_n(here, __ATOMIC_SEQ_CST) < x[1]) sched_yield();
    return 0;
}

/* Describes the call in its output. */
ENTRY int describe(const nrt_xtc_model_call_t* call) {
    const void* weights = NULL;
    size_t n_weights = 0;
    const int found = call->file(call, "weights.bin", &weights, &n_weights);
    const int missing = call->file(call, "nothing.bin", NULL, NULL);
    int32_t facts[16] = {0};
    facts[0] = call->size == sizeof *call;
    facts[1] = call->version == NRT_XTC_MODEL_CALL_VERSION;
    facts[2] = (int32_t)call->n_in;
    facts[3] = (int32_t)call->n_out;
    facts[4] = strcmp(call->in[0].name, "x") == 0 && strcmp(call->out[0].name, "y") == 0;
    facts[5] = (int32_t)call->in[0].bytes;
    facts[6] = found == 0 && n_weights == 20 && memcmp(weights, "weights of the model", 20) == 0;
    facts[7] = missing;
    facts[8] = (int32_t)call->rank;
    facts[9] = (int32_t)call->world;
    facts[10] = call->scratch_bytes == NRT_XTC_MODEL_SCRATCH_BYTES && (uintptr_t)call->scratch % 64 == 0;
    facts[11] = ((unsigned char*)call->scratch)[call->scratch_bytes - 1]++; /* calls before this one */
    facts[12] = call->file(call, NULL, NULL, NULL);
    facts[13] = call->reserved == 0;
    memcpy(call->out[0].data, facts, sizeof facts);
    return 0;
}
