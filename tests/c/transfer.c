/* SPDX-License-Identifier: Apache-2.0 */
/* Sample 01: bytes up to a device, through a kernel, and down again. */
#include "check.h"

#include <stdlib.h>

int main(int argc, char** argv) {
    enum { count = 100003 };
    ferry_device* device = test_device();
    ferry_program* program = sample_program(device, argc > 1 ? argv[1] : NULL, "01_transfer/transfer.cl");
    ferry_kernel* invert = kernel_of(program, "invert");
    ferry_queue* queue = NULL;
    ferry_buffer *in = NULL, *out = NULL;
    OK(ferry_queue_create(device, NULL, &queue));
    OK(ferry_buffer_create(device, count, FERRY_MEMORY_DEVICE, &in));
    OK(ferry_buffer_create(device, count, FERRY_MEMORY_DEVICE, &out));

    uint8_t* data = allocate(count);
    uint8_t* result = allocate(count);
    uint32_t random = 1;
    for (size_t i = 0; i < count; ++i) {
        data[i] = (uint8_t)next_random(&random);
    }
    const ferry_grid grid = cover(device, count);
    const ferry_argument arguments[] = {ferry_whole(in), ferry_whole(out), ferry_u32(count)};
    OK(ferry_queue_upload(queue, data, in, 0, count));
    OK(ferry_queue_launch(queue, invert, &grid, arguments, 3));
    OK(ferry_queue_download(queue, out, 0, result, count));
    OK(ferry_queue_finish(queue));
    for (size_t i = 0; i < count; ++i) {
        CHECK((result[i] ^ data[i]) == 0xFF);
    }

    /* Of ranges: what is beside them stays. */
    const uint16_t pattern = 0xBEEF;
    const ferry_argument part[] = {ferry_range(in, 1024, 256), ferry_range(out, 512, 256), ferry_u32(256)};
    const ferry_grid small = cover(device, 256);
    OK(ferry_queue_fill(queue, out, 0, 2048, &pattern, sizeof pattern));
    OK(ferry_queue_launch(queue, invert, &small, part, 3));
    OK(ferry_queue_copy(queue, out, 512, in, 0, 256));
    OK(ferry_queue_download(queue, out, 0, result, FERRY_TO_END));
    OK(ferry_queue_download(queue, in, 0, result + 4096, 256));
    OK(ferry_queue_finish(queue));
    for (size_t i = 0; i < 2048; ++i) {
        const int inside = i >= 512 && i < 768;
        CHECK(result[i] == (inside ? 0xFF ^ data[1024 + i - 512] : i % 2 == 0 ? 0xEF : 0xBE));
    }
    for (size_t i = 0; i < 256; ++i) {
        CHECK((result[4096 + i] ^ data[1024 + i]) == 0xFF);
    }

    size_t size = 0;
    OK(ferry_buffer_get_size(in, &size));
    CHECK(size == count);
    ferry_buffer_release(in);
    ferry_buffer_release(out);
    ferry_queue_release(queue);
    ferry_kernel_release(invert);
    ferry_program_release(program);
    expect_nothing_left(device);
    free(data);
    free(result);
    return 0;
}
