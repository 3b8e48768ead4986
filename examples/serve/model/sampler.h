/* SPDX-License-Identifier: ISC */
/* Picks a token from logits. The same seed, options and logits give the same tokens. */
#ifndef XTC_EXAMPLES_SERVE_SAMPLER_H
#define XTC_EXAMPLES_SERVE_SAMPLER_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct model_sampler_options {
    uint64_t seed;
    float temperature; /* 0: greedy, the most likely token; the lowest of equals */
    float top_p;       /* keep the likeliest tokens that reach this share; 0 or 1: all */
    uint32_t top_k;    /* keep this many; 0: all */
} model_sampler_options_t;

/* The caller's memory; copying it copies the state. */
typedef struct model_sampler {
    uint64_t state;
    float temperature, top_p;
    uint32_t top_k;
} model_sampler_t;

/* MODEL_INVALID: a temperature below 0 or above 100, a top_p outside 0 to 1, or either no number. */
model_status_t model_sampler_init(model_sampler_t* sampler, const model_sampler_options_t* options);

/* logits: 256 floats. One draw for each call that is not greedy. */
uint8_t model_sample(model_sampler_t* sampler, const float* logits);

#ifdef __cplusplus
}
#endif

#endif
