/* SPDX-License-Identifier: ISC */
/*
 * A byte-level transformer that computes one step over many sequences at once.
 *
 *     model_t *model;
 *     char why[160];
 *     if (model_open("weights.bin", &(model_options_t){.max_sequences = 8}, &model, why, sizeof why)) ...
 *     uint32_t sequence;
 *     model_seq_open(model, &sequence);
 *     model_row_t row = {sequence, (const uint8_t *)"In the ", 7, 1};
 *     model_step(model, &row, 1);
 *     const float *logits = model_logits(model, 0);
 *
 * The key-value cache of a sequence lives in a slot. A row gives one sequence's next tokens: one in decode, a
 * chunk of several in prefill. All rows of a step are stacked, so that each projection is one matrix product
 * for the whole step.
 *
 * As a model package. A step is also a function from named inputs to named outputs, of fixed shapes:
 *
 *     input   tokens     int32    [max_step_tokens]       a byte, 0 to 255
 *     input   positions  int32    [max_step_tokens]       its place in its sequence, counted from 0
 *     input   sequence   int32    [max_step_tokens]       the slot; -1 ends the list
 *     input   wanted     int32    [max_step_tokens]       not 0: logits after this token are wanted
 *     output  logits     float32  [max_sequences, 256]    one row for each wanted token, in their order
 *
 * model_step fills the inputs from rows and runs model_execute. A package's entry loads the weights with
 * model_open_memory and opens every sequence, once; then, for each call, it resets the sequences whose first
 * position is 0, copies its inputs into the buffers of model_inputs, calls model_execute and copies out of
 * model_outputs. package/ has it.
 *
 * Threads: a model belongs to one thread at a time; two models may run on two threads. Opening a model sets
 * OpenBLAS to one thread for the whole process. The pthread build of OpenBLAS starts its threads when it is
 * loaded, unless OPENBLAS_NUM_THREADS=1 is in the environment.
 *
 * Memory: everything is allocated when a model is opened; a step allocates nothing.
 */
#ifndef XTC_EXAMPLES_SERVE_MODEL_H
#define XTC_EXAMPLES_SERVE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MODEL_VOCABULARY 256u

typedef struct model model_t;

typedef enum model_status {
    MODEL_OK = 0,
    MODEL_INVALID,     /* an argument out of range; nothing changed */
    MODEL_IO,          /* the weights file cannot be read */
    MODEL_BAD_WEIGHTS, /* the weights are not what weights.hpp describes */
    MODEL_NO_MEMORY,
    MODEL_NO_SLOT,      /* all max_sequences slots are open */
    MODEL_CONTEXT_FULL, /* a sequence would grow past max_context; nothing changed */
    MODEL_STEP_FULL     /* more than max_step_tokens tokens in a step; nothing changed */
} model_status_t;

/* A sentence for people; never NULL. */
const char* model_status_text(model_status_t status);

/* 0 takes the default. */
typedef struct model_options {
    uint32_t max_sequences;   /* default 1 */
    uint32_t max_context;     /* default and limit: the context the weights were trained for */
    uint32_t max_step_tokens; /* default: the larger of max_sequences and 256 */
} model_options_t;

/* On failure *model is NULL and why, if not NULL, holds a sentence. The memory of model_open_memory may go
 * afterwards. */
model_status_t model_open(const char* path, const model_options_t* options, model_t** model, char* why,
                          size_t why_bytes);
model_status_t model_open_memory(const void* weights, size_t bytes, const model_options_t* options,
                                 model_t** model, char* why, size_t why_bytes);
void model_close(model_t* model);

typedef struct model_info {
    uint64_t parameters;
    uint64_t cache_bytes;
    uint32_t max_sequences, max_context, max_step_tokens; /* as they came to be */
    uint32_t width, layers, heads, hidden;
} model_info_t;

void model_get_info(const model_t* model, model_info_t* info);

/* A new sequence is empty. Reset empties an open one; close gives its slot back. */
model_status_t model_seq_open(model_t* model, uint32_t* sequence);
model_status_t model_seq_reset(model_t* model, uint32_t sequence);
model_status_t model_seq_close(model_t* model, uint32_t sequence);
/* How many tokens its cache holds; 0 for a sequence that is not open. */
uint32_t model_seq_length(const model_t* model, uint32_t sequence);

typedef struct model_row {
    uint32_t sequence;
    const uint8_t* tokens; /* read during the step only */
    uint32_t n_tokens;     /* at least 1 */
    uint32_t want_logits;  /* not 0: logits after the last of these tokens */
} model_row_t;

/* One step. A sequence may be in one row only. On failure nothing changed. */
model_status_t model_step(model_t* model, const model_row_t* rows, uint32_t n_rows);

/* Logits (256 floats) of a row of the last step that wanted them, else NULL. They are valid until the next
 * step. */
const float* model_logits(const model_t* model, uint32_t row);

typedef struct model_tensor {
    const char* name;
    const char* dtype; /* "int32" or "float32" */
    uint32_t rank;
    uint64_t shape[2];
    void* data;
    uint64_t bytes;
} model_tensor_t;

/* Valid as long as the model is open. */
const model_tensor_t* model_inputs(const model_t* model, uint32_t* count);
const model_tensor_t* model_outputs(const model_t* model, uint32_t* count);

/* One step over what the input buffers hold. Tokens of a sequence stand together, and go on where its cache
 * ends. */
model_status_t model_execute(model_t* model);

#ifdef __cplusplus
}
#endif

#endif
