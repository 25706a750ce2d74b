/* SPDX-License-Identifier: Apache-2.0 */
/* Sample 03: two queues whose work depends on each other's, ordered by events, with times. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

enum { generations = 8, count = 10007 };

static uint32_t advanced(uint32_t x) {
    for (int r = 0; r < 32; ++r) {
        x = x * 1664525U + 1013904223U;
    }
    return x;
}

static void check_digests(const uint32_t* data, const uint32_t* digests) {
    for (size_t i = 0; i < count; ++i) {
        uint32_t value = data[i], digest = 0;
        for (int g = 0; g < generations; ++g) {
            value = advanced(value);
            digest = (digest << 5 | digest >> 27) ^ value;
        }
        CHECK(digests[i] == digest);
    }
}

int main(int argc, char** argv) {
    ferry_device* device = test_device();
    ferry_device_info info;
    OK(ferry_device_get_info(device, &info));
    ferry_program* program = sample_program(device, argc > 1 ? argv[1] : NULL, "03_events/stages.cl");
    ferry_kernel* advance = kernel_of(program, "advance");
    ferry_kernel* digest = kernel_of(program, "digest");
    ferry_program_release(program); /* its kernels live on */

    const size_t bytes = count * sizeof(uint32_t);
    uint32_t* data = allocate(bytes);
    uint32_t* result = allocate(bytes);
    uint32_t random = 3;
    for (size_t i = 0; i < count; ++i) {
        data[i] = next_random(&random);
    }
    ferry_queue *maker = NULL, *digester = NULL;
    ferry_buffer *values[2] = {NULL, NULL}, *digests = NULL;
    OK(ferry_queue_create(device, NULL, &maker));
    OK(ferry_queue_create(device, NULL, &digester));
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &values[0]));
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &values[1]));
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &digests));

    ferry_event *begun[generations], *made[generations], *digested[generations];
    const uint32_t zero = 0;
    const ferry_grid grid = cover(device, count);
    OK(ferry_queue_upload(maker, data, values[0], 0, bytes));
    OK(ferry_queue_fill(digester, digests, 0, FERRY_TO_END, &zero, sizeof zero));
    for (int g = 0; g < generations; ++g) {
        ferry_buffer* from = values[g % 2];
        ferry_buffer* to = values[(g + 1) % 2];
        if (g >= 2) {
            OK(ferry_queue_wait(maker, digested[g - 2])); /* the digester has read what `to` held */
        }
        const ferry_argument making[] = {ferry_whole(from), ferry_whole(to), ferry_u32(count)};
        const ferry_argument folding[] = {ferry_whole(to), ferry_whole(digests), ferry_u32(count)};
        OK(ferry_queue_record(maker, &begun[g]));
        OK(ferry_queue_launch(maker, advance, &grid, making, 3));
        OK(ferry_queue_record(maker, &made[g]));
        OK(ferry_queue_wait(digester, made[g]));
        OK(ferry_queue_launch(digester, digest, &grid, folding, 3));
        OK(ferry_queue_record(digester, &digested[g]));
    }
    OK(ferry_queue_download(digester, digests, 0, result, bytes));
    OK(ferry_queue_finish(digester));
    OK(ferry_queue_finish(maker));
    check_digests(data, result);

    int64_t whole = 0;
    OK(ferry_event_elapsed(begun[0], digested[generations - 1], &whole));
    for (int g = 0; g < generations; ++g) {
        int64_t time = -2;
        OK(ferry_event_elapsed(begun[g], made[g], &time));
        CHECK(info.timing != 0 ? time >= 0 && time <= whole : time == -1);
        ferry_event_release(begun[g]);
        ferry_event_release(made[g]);
        ferry_event_release(digested[g]);
    }
    printf("%lld ns\n", (long long)whole);

    ferry_buffer_release(values[0]);
    ferry_buffer_release(values[1]);
    ferry_buffer_release(digests);
    ferry_kernel_release(advance);
    ferry_kernel_release(digest);
    ferry_queue_release(maker);
    ferry_queue_release(digester);
    expect_nothing_left(device);
    free(data);
    free(result);
    return 0;
}
