/* SPDX-License-Identifier: Apache-2.0 */
/* Every code, from a call that gives it. With a second argument, the code that the stand-in library was told
   to provoke: command_failed, device_lost or internal. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

static ferry_code provoked(ferry_device* device, const char* samples, ferry_queue* queue,
                           ferry_buffer* buffer) {
    ferry_program* program = sample_program(device, samples, "01_transfer/transfer.cl");
    ferry_kernel* invert = kernel_of(program, "invert");
    const ferry_grid grid = ferry_grid_covering(64, 64);
    const ferry_argument arguments[] = {ferry_range(buffer, 0, 64), ferry_range(buffer, 64, 64),
                                        ferry_u32(64)};
    const char byte = 1;
    ferry_code code = ferry_queue_fill(queue, buffer, 0, FERRY_TO_END, &byte, 1);
    if (code == FERRY_OK) {
        code = ferry_queue_launch(queue, invert, &grid, arguments, 3);
    }
    if (code == FERRY_OK) {
        code = ferry_queue_finish(queue);
    }
    ferry_kernel_release(invert);
    ferry_program_release(program);
    return code;
}

static void from_the_device(ferry_device* device, const char* samples, const char* name) {
    ferry_queue* queue = NULL;
    ferry_buffer* buffer = NULL;
    OK(ferry_queue_create(device, NULL, &queue));
    OK(ferry_buffer_create(device, 4096, FERRY_MEMORY_DEVICE, &buffer));
    ferry_share* share = NULL;
    char* memory = allocate(4096);
    OK(ferry_share_create(device, memory, 4096, FERRY_DEVICE_UPDATES, NULL, &share));
    CHECK(strcmp(ferry_code_name(provoked(device, samples, queue, buffer)), name) == 0);
    const ferry_error* error = ferry_last_error_details();
    CHECK(strcmp(ferry_code_name(error->code), name) == 0);
    CHECK(error->vendor_backend == FERRY_BACKEND_HIP && error->vendor_code >= 701);
    CHECK(strstr(error->vendor_call, "hip") == error->vendor_call);
    CHECK(strstr(error->vendor_name, "hipError") == error->vendor_name);
    if (error->code != FERRY_INTERNAL) { /* it came late, and says from where */
        CHECK(strstr(error->message, "'invert'") != NULL);
        CHECK(strstr(error->message, "enqueued by ferry_queue_launch()") != NULL);
    }
    if (error->code == FERRY_COMMAND_FAILED) { /* the queue goes on */
        OK(ferry_queue_finish(queue));
    }
    if (error->code == FERRY_DEVICE_LOST) { /* a share ends all the same */
        ferry_share_info info;
        CHECK(ferry_share_end(share) == FERRY_DEVICE_LOST);
        FAILS(FERRY_INVALID_STATE, "ended", ferry_share_get_info(share, &info));
    }
    ferry_share_release(share);
    free(memory);
    ferry_buffer_release(buffer);
    ferry_queue_release(queue);
}

int main(int argc, char** argv) {
    CHECK(strcmp(ferry_code_name(FERRY_OK), "ok") == 0);
    CHECK(strcmp(ferry_code_name(12), "?") == 0 && strcmp(ferry_code_name(-1), "?") == 0);
    CHECK(strcmp(ferry_code_name(FERRY_INTERNAL), "internal") == 0);
    ferry_device* device = test_device();
    if (argc > 2) {
        from_the_device(device, argv[1], argv[2]);
        return 0;
    }
    ferry_device* none = device;
    ferry_buffer* buffer = NULL;
    ferry_queue* queue = NULL;
    ferry_program* program = NULL;
    ferry_kernel* kernel = NULL;
    ferry_mapping* mapping = NULL;
    void* data = NULL;
    FAILS(FERRY_INVALID_ARGUMENT, "empty", ferry_device_find("", &none));
    CHECK(none == NULL);
    FAILS(FERRY_UNAVAILABLE, "no such device anywhere", ferry_device_find("no such device anywhere", &none));
    FAILS(FERRY_OUT_OF_MEMORY, "bytes", ferry_buffer_create(device, (size_t)1 << 60, 0, &buffer));
    CHECK(buffer == NULL);
    OK(ferry_buffer_create(device, 100, FERRY_MEMORY_DEVICE, &buffer));
    OK(ferry_queue_create(device, NULL, &queue));
    FAILS(FERRY_OUT_OF_RANGE, "100 bytes", ferry_queue_fill(queue, buffer, 101, 0, "x", 1));

    OK(ferry_buffer_map(buffer, queue, FERRY_MAP_WRITE, 0, FERRY_TO_END, &mapping, &data));
    FAILS(FERRY_INVALID_STATE, "mapped", ferry_queue_fill(queue, buffer, 0, 100, "x", 1));
    ferry_mapping_release(mapping);

    const ferry_source code_object = {"no code", 7, NULL, "gfx001", FERRY_LANGUAGE_CODE_OBJECT};
    FAILS(FERRY_UNSUPPORTED, "code object", ferry_program_create(device, &code_object, 1, NULL, &program));
    FAILS(FERRY_NOT_FOUND, "/nowhere/kernel.cl",
          ferry_program_create_from_file(device, 0, "/nowhere/kernel.cl", NULL, &program));
    FAILS(FERRY_BUILD_FAILED, "undeclared",
          ferry_program_create_from_text(device, "__kernel void f(__global int* x) { x[0] = undeclared; }\n",
                                         NULL, &program));
    CHECK(strstr(ferry_last_error_details()->log, "undeclared") != NULL);
    CHECK(program == NULL);
    program = sample_program(device, argv[1], "01_transfer/transfer.cl");
    FAILS(FERRY_NOT_FOUND, "invetr|invert", ferry_kernel_create(program, "invetr", &kernel));
    CHECK(kernel == NULL);

    /* A call that succeeds leaves the last error. */
    OK(ferry_queue_finish(queue));
    CHECK(strstr(ferry_last_error(), "invetr") != NULL);
    ferry_program_release(program);
    ferry_buffer_release(buffer);
    ferry_queue_release(queue);
    expect_nothing_left(device);
    return 0;
}
