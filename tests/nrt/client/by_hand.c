/* SPDX-License-Identifier: ISC */
/*
 * A client that has no header and links nothing: it opens the library by its name and believes its own
 * prototypes. Doubles four floats with a package whose input is x and whose output is y.
 *
 *     by_hand PACKAGE
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef int32_t status_t;

static void* library;

static void* find(const char* name) {
    void* symbol = dlsym(library, name);
    if (symbol == NULL) fprintf(stderr, "%s\n", dlerror());
    return symbol;
}

/* A function pointer from dlsym's void *, which C itself does not allow. */
#define FIND(pointer, name) (*(void**)&(pointer) = find(name))

int main(int argc, char** argv) {
    static char package[1 << 20];
    status_t (*init)(int framework, const char*, const char*);
    void (*close_runtime)(void);
    status_t (*load)(const void*, size_t, int32_t vnc, int32_t vnc_count, void**);
    status_t (*unload)(void*);
    status_t (*allocate)(int placement, int vnc, size_t, const char*, void**);
    void (*free_tensor)(void**);
    status_t (*write_tensor)(void*, const void*, size_t, size_t);
    status_t (*read_tensor)(const void*, void*, size_t, size_t);
    status_t (*make_set)(void**);
    void (*destroy_set)(void**);
    status_t (*add)(void*, const char*, void*);
    status_t (*execute)(void*, const void*, void*);
    status_t (*repeat)(void*, const void*, void*, int);
    void *model = NULL, *x = NULL, *y = NULL, *in = NULL, *out = NULL;
    const float numbers[4] = {1, -2, 0.5f, 40};
    float doubled[4] = {0};

    FILE* file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) return 2;
    const size_t size = fread(package, 1, sizeof package, file);
    fclose(file);
    library = dlopen("libnrt.so.1", RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    if (!FIND(init, "nrt_init") || !FIND(close_runtime, "nrt_close") || !FIND(load, "nrt_load") ||
        !FIND(unload, "nrt_unload") || !FIND(allocate, "nrt_tensor_allocate") ||
        !FIND(free_tensor, "nrt_tensor_free") || !FIND(write_tensor, "nrt_tensor_write") ||
        !FIND(read_tensor, "nrt_tensor_read") || !FIND(make_set, "nrt_allocate_tensor_set") ||
        !FIND(destroy_set, "nrt_destroy_tensor_set") || !FIND(add, "nrt_add_tensor_to_tensor_set") ||
        !FIND(execute, "nrt_execute") || !FIND(repeat, "nrt_execute_repeat"))
        return 1;

    if (init(1, NULL, NULL) != 0) return 1;
    status_t worst = load(package, size, 0, 1, &model);
    worst |= allocate(0, 0, sizeof numbers, "x", &x) | allocate(0, 0, sizeof doubled, "y", &y);
    worst |= make_set(&in) | make_set(&out);
    worst |= add(in, "x", x) | add(out, "y", y);
    worst |= write_tensor(x, numbers, 0, sizeof numbers);
    worst |= execute(model, in, out);
    worst |= repeat(model, in, out, 10);
    worst |= read_tensor(y, doubled, 0, sizeof doubled);
    destroy_set(&in);
    destroy_set(&out);
    free_tensor(&x);
    free_tensor(&y);
    worst |= unload(model);
    close_runtime();
    dlclose(library);
    if (worst != 0) return 1;
    printf("%g %g %g %g\n", doubled[0], doubled[1], doubled[2], doubled[3]);
    return 0;
}
