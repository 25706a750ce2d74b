/* SPDX-License-Identifier: Apache-2.0 */
/* Sample 02: a device works while the processor computes; page-locked memory, mappings and shares. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 20011, rounds = 64 };

static uint32_t scrambled(uint32_t x) {
    for (uint32_t r = 0; r < rounds; ++r) {
        x = x * 1664525U + 1013904223U;
        x ^= x >> 15;
    }
    return x;
}

static ferry_buffer* host_buffer(ferry_device* device, uint32_t** data) {
    ferry_device_info info;
    ferry_buffer* buffer = NULL;
    OK(ferry_device_get_info(device, &info));
    if (info.host_memory == 0) {
        *data = allocate(count * sizeof **data);
        return NULL;
    }
    OK(ferry_buffer_create(device, count * sizeof **data, FERRY_MEMORY_HOST, &buffer));
    void* address = NULL;
    OK(ferry_buffer_get_address(buffer, &address));
    *data = address;
    return buffer;
}

static void release_host(ferry_buffer* buffer, uint32_t* data) {
    if (buffer == NULL) {
        free(data);
    }
    ferry_buffer_release(buffer);
}

/* The same bytes through a mapping. */
static void through_mapping(ferry_queue* queue, ferry_buffer* memory, const uint32_t* expected) {
    ferry_mapping* mapping = NULL;
    void* data = NULL;
    OK(ferry_buffer_map(memory, queue, FERRY_MAP_READ_WRITE, sizeof *expected, FERRY_TO_END, &mapping,
                        &data));
    CHECK(memcmp(data, expected + 1, (count - 1) * sizeof *expected) == 0);
    memset(data, 0x5A, 4);
    OK(ferry_mapping_unmap(mapping));
    OK(ferry_mapping_unmap(mapping));
    ferry_mapping_release(mapping);
    uint32_t second = 0;
    OK(ferry_queue_download(queue, memory, sizeof second, &second, sizeof second));
    OK(ferry_queue_finish(queue));
    CHECK(second == 0x5A5A5A5AU);
}

/* The same kernel on the caller's own memory. */
static void through_share(ferry_device* device, ferry_queue* queue, ferry_kernel* scramble,
                          const uint32_t* values) {
    uint32_t* memory = allocate(count * sizeof *memory);
    memcpy(memory, values, count * sizeof *memory);
    ferry_share* share = NULL;
    const ferry_share_options options = {2.0, 0, 1, FERRY_PATTERN_SEQUENTIAL};
    OK(ferry_share_create(device, memory, count * sizeof *memory, FERRY_DEVICE_UPDATES, &options, &share));
    const ferry_argument arguments[] = {ferry_shared(share), ferry_u32(count), ferry_u32(rounds)};
    const ferry_grid grid = cover(device, count);
    OK(ferry_queue_launch(queue, scramble, &grid, arguments, 3));
    ferry_access* access = NULL;
    void* data = NULL;
    OK(ferry_share_begin(share, queue, FERRY_HOST_READS, 4, FERRY_TO_END, &access, &data));
    const uint32_t* seen = data;
    for (size_t i = 1; i < count; ++i) {
        CHECK(seen[i - 1] == scrambled(values[i]));
    }
    ferry_access_release(access);
    OK(ferry_share_begin(share, queue, FERRY_HOST_WRITES, 0, 4, &access, &data));
    memcpy(data, values, 4);
    ferry_access_release(access);

    char text[2000];
    char start[6] = "";
    size_t needed = 0;
    ferry_share_info info;
    OK(ferry_share_explain(share, NULL, 0, &needed));
    CHECK(needed > 10 && needed < sizeof text);
    OK(ferry_share_explain(share, text, sizeof text, NULL));
    CHECK(strlen(text) + 1 == needed);
    OK(ferry_share_explain(share, start, sizeof start, &needed));
    CHECK(strlen(start) == 5 && memcmp(start, text, 5) == 0);
    OK(ferry_share_get_info(share, &info));
    CHECK(info.placement >= FERRY_PLACEMENT_ALIAS && info.placement <= FERRY_PLACEMENT_STAGE);
    CHECK((info.placement >= FERRY_PLACEMENT_COPY) == (info.copies != 0 && info.bytes_up != 0));
    printf("%s\n", text);

    OK(ferry_share_end(share));
    CHECK(memory[0] == values[0] && memory[count - 1] == scrambled(values[count - 1]));
    FAILS(FERRY_INVALID_STATE, "ended", ferry_share_get_info(share, &info));
    ferry_share_release(share);
    free(memory);
}

int main(int argc, char** argv) {
    ferry_device* device = test_device();
    ferry_program* program = sample_program(device, argc > 1 ? argv[1] : NULL, "02_async/scramble.cl");
    ferry_kernel* scramble = kernel_of(program, "scramble");
    const ferry_queue_options options = {0, FERRY_WAIT_BLOCK};
    ferry_queue* queue = NULL;
    ferry_buffer* memory = NULL;
    OK(ferry_queue_create(device, &options, &queue));
    OK(ferry_buffer_create(device, count * sizeof(uint32_t), FERRY_MEMORY_DEVICE, &memory));
    uint32_t *up = NULL, *down = NULL;
    ferry_buffer* up_memory = host_buffer(device, &up);
    ferry_buffer* down_memory = host_buffer(device, &down);
    uint32_t random = 2;
    for (size_t i = 0; i < count; ++i) {
        up[i] = next_random(&random);
    }

    const ferry_argument arguments[] = {ferry_whole(memory), ferry_u32(count), ferry_u32(rounds)};
    const ferry_grid grid = cover(device, count);
    ferry_event* done = NULL;
    OK(ferry_queue_upload(queue, up, memory, 0, count * sizeof *up));
    OK(ferry_queue_launch(queue, scramble, &grid, arguments, 3));
    OK(ferry_queue_download(queue, memory, 0, down, count * sizeof *down));
    OK(ferry_queue_record(queue, &done));
    OK(ferry_queue_flush(queue));

    /* The processor's part, meanwhile. */
    uint32_t* expected = allocate(count * sizeof *expected);
    for (size_t i = 0; i < count; ++i) {
        expected[i] = scrambled(up[i]);
    }
    int32_t ready = 0;
    while (ready == 0) { /* polling alone makes progress */
        OK(ferry_event_is_ready(done, &ready));
    }
    OK(ferry_event_wait(done));
    CHECK(memcmp(down, expected, count * sizeof *down) == 0);
    int64_t time = 0;
    OK(ferry_event_elapsed(done, done, &time));
    CHECK(time == -1); /* the queue was made without timing */
    int32_t idle = 0;
    OK(ferry_queue_finish(queue));
    OK(ferry_queue_is_idle(queue, &idle));
    CHECK(idle == 1);

    through_mapping(queue, memory, expected);
    through_share(device, queue, scramble, up);

    ferry_event_release(done);
    ferry_buffer_release(memory);
    release_host(up_memory, up);
    release_host(down_memory, down);
    ferry_queue_release(queue);
    ferry_kernel_release(scramble);
    ferry_program_release(program);
    uint64_t given_back = 0;
    OK(ferry_device_trim(device, 0, &given_back));
    OK(ferry_device_trim(device, 0, NULL));
    expect_nothing_left(device);
    free(expected);
    return 0;
}
