/* SPDX-License-Identifier: ISC */
/* An outside client in C that needs nothing newer than NRT_2.0.0: allocate, write, slice, read back. */
#include "nrt/nrt.h"

#include <stdio.h>
#include <string.h>

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        NRT_STATUS status = (call);                                                                          \
        if (status != NRT_SUCCESS) {                                                                         \
            fprintf(stderr, "%s: %s\n", #call, nrt_get_status_as_str(status));                               \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

int main(void) {
    const char text[] = "carried to the device and back";
    char back[sizeof text] = "";
    nrt_tensor_t* tensor = NULL;
    nrt_tensor_t* slice = NULL;
    nrt_tensor_set_t* set = NULL;
    nrt_version_t version;

    TRY(nrt_get_version(&version, sizeof version));
    TRY(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""));
    TRY(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 4096, "t", &tensor));
    TRY(nrt_tensor_allocate_slice(tensor, 1000, sizeof text, "s", &slice));
    TRY(nrt_allocate_tensor_set(&set));
    TRY(nrt_add_tensor_to_tensor_set(set, "input", slice));
    TRY(nrt_tensor_write(slice, text, 0, sizeof text));
    TRY(nrt_tensor_read(tensor, back, 1000, sizeof back));
    nrt_destroy_tensor_set(&set);
    nrt_tensor_free(&slice);
    nrt_tensor_free(&tensor);
    nrt_close();
    if (strcmp(text, back) != 0) return 2;
    printf("%s: %s\n", version.rt_detail, back);
    return 0;
}
