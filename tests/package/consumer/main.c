/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to the default device and back, and through a kernel where it has a compiler. */
#include <ferry/ferry.h>

#include <stdio.h>

static const char kernels[] = "__kernel void twice(__global int* x, int n) {\n"
                              "    int i = get_global_id(0);\n"
                              "    if (i < n) x[i] *= 2;\n"
                              "}\n";

#define TRY(call)                                    \
    if ((call) != FERRY_OK) {                        \
        fprintf(stderr, "%s\n", ferry_last_error()); \
        return 1;                                    \
    }

static int double_them(ferry_device* device, ferry_queue* queue, ferry_buffer* buffer) {
    ferry_program* program = NULL;
    ferry_kernel* twice = NULL;
    const ferry_grid grid = ferry_grid_covering(3, 64);
    const ferry_argument arguments[] = {ferry_whole(buffer), ferry_i32(3)};
    TRY(ferry_program_create_from_text(device, kernels, NULL, &program))
    TRY(ferry_kernel_create(program, "twice", &twice))
    TRY(ferry_queue_launch(queue, twice, &grid, arguments, 2))
    ferry_kernel_release(twice);
    ferry_program_release(program);
    return 0;
}

int main(void) {
    ferry_device* device = NULL;
    ferry_device_info info;
    ferry_queue* queue = NULL;
    ferry_buffer* buffer = NULL;
    const int32_t before[] = {1, -2, 3};
    int32_t after[] = {0, 0, 0};
    TRY(ferry_device_default(&device))
    TRY(ferry_device_get_info(device, &info))
    TRY(ferry_queue_create(device, NULL, &queue))
    TRY(ferry_buffer_create(device, sizeof before, FERRY_MEMORY_DEVICE, &buffer))
    TRY(ferry_queue_upload(queue, before, buffer, 0, sizeof before))
    if (info.compiles != 0 && double_them(device, queue, buffer) != 0) {
        return 1;
    }
    TRY(ferry_queue_download(queue, buffer, 0, after, sizeof after))
    TRY(ferry_queue_finish(queue))
    ferry_buffer_release(buffer);
    ferry_queue_release(queue);
    for (int i = 0; i < 3; ++i) {
        if (after[i] != before[i] * (info.compiles != 0 ? 2 : 1)) {
            printf("wrong: %d became %d\n", before[i], after[i]);
            return 1;
        }
    }
    printf("Ferry %s: right on %s %s a kernel\n", ferry_version(), info.id,
           info.compiles != 0 ? "through" : "without");
    return 0;
}
