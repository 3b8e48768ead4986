/* SPDX-License-Identifier: ISC */
/*
 * What an inference program does from beginning to end: load a model, make a tensor for each of its inputs
 * and outputs, fill the inputs from standard input, run, write the outputs to standard output, take it all
 * down.
 *
 *     sample PACKAGE [RUNS] <inputs >outputs
 */
#include "nrt/nrt.h"

#include <stdio.h>
#include <stdlib.h>

static void check(NRT_STATUS status, const char* what) {
    if (status == NRT_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, nrt_get_status_as_str(status));
    exit(1);
}

static void* need(void* memory, const char* what) {
    if (memory != NULL) return memory;
    fprintf(stderr, "%s: no memory\n", what);
    exit(1);
}

static void* read_file(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    const long end = ftell(file);
    rewind(file);
    void* bytes = need(malloc((size_t)end), path);
    *size = fread(bytes, 1, (size_t)end, file);
    fclose(file);
    return bytes;
}

/* A tensor for each of the infos of one side, in a set under its name. */
static nrt_tensor_set_t* make_set(const nrt_tensor_info_array_t* infos, nrt_tensor_usage_t usage) {
    nrt_tensor_set_t* set = NULL;
    check(nrt_allocate_tensor_set(&set), "nrt_allocate_tensor_set");
    for (uint64_t i = 0; i < infos->tensor_count; ++i) {
        const nrt_tensor_info_t* info = &infos->tensor_array[i];
        nrt_tensor_t* tensor = NULL;
        if (info->usage != usage) continue;
        check(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, info->size, info->name, &tensor),
              info->name);
        check(nrt_add_tensor_to_tensor_set(set, info->name, tensor), info->name);
    }
    return set;
}

enum action { FILL, PRINT, RELEASE };

static void for_each(const nrt_tensor_info_array_t* infos, nrt_tensor_set_t* set, nrt_tensor_usage_t usage,
                     enum action action) {
    for (uint64_t i = 0; i < infos->tensor_count; ++i) {
        const nrt_tensor_info_t* info = &infos->tensor_array[i];
        nrt_tensor_t* tensor = NULL;
        if (info->usage != usage) continue;
        check(nrt_get_tensor_from_tensor_set(set, info->name, &tensor), info->name);
        if (action == RELEASE) {
            nrt_tensor_free(&tensor);
            continue;
        }
        void* buffer = need(calloc(1, info->size), info->name);
        if (action == FILL) {
            if (fread(buffer, 1, info->size, stdin) != info->size) fprintf(stderr, "%s: short\n", info->name);
            check(nrt_tensor_write(tensor, buffer, 0, info->size), info->name);
        } else {
            check(nrt_tensor_read(tensor, buffer, 0, info->size), info->name);
            fwrite(buffer, 1, info->size, stdout);
        }
        free(buffer);
    }
}

int main(int argc, char** argv) {
    nrt_model_t* model = NULL;
    nrt_tensor_info_array_t* infos = NULL;
    size_t size = 0;

    if (argc < 2) return 2;
    check(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
    void* package = read_file(argv[1], &size);
    check(nrt_load(package, size, -1, -1, &model), "nrt_load");
    free(package); /* what the model needs of it, it has */
    check(nrt_get_model_tensor_info(model, &infos), "nrt_get_model_tensor_info");

    nrt_tensor_set_t* inputs = make_set(infos, NRT_TENSOR_USAGE_INPUT);
    nrt_tensor_set_t* outputs = make_set(infos, NRT_TENSOR_USAGE_OUTPUT);
    for_each(infos, inputs, NRT_TENSOR_USAGE_INPUT, FILL);
    for (int runs = argc > 2 ? atoi(argv[2]) : 1; runs > 0; --runs)
        check(nrt_execute(model, inputs, outputs), "nrt_execute");
    for_each(infos, outputs, NRT_TENSOR_USAGE_OUTPUT, PRINT);

    for_each(infos, inputs, NRT_TENSOR_USAGE_INPUT, RELEASE);
    for_each(infos, outputs, NRT_TENSOR_USAGE_OUTPUT, RELEASE);
    nrt_destroy_tensor_set(&inputs);
    nrt_destroy_tensor_set(&outputs);
    check(nrt_free_model_tensor_info(infos), "nrt_free_model_tensor_info");
    check(nrt_unload(model), "nrt_unload");
    nrt_close();
    return 0;
}
