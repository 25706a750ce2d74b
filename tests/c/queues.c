/* SPDX-License-Identifier: Apache-2.0 */
/* Sample 04: several queues at once, kept busy by their completion callbacks. Lanes take blocks by turns, so
   nothing has to be shared between threads but what the queues order. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { lane_count = 3, block = 512, blocks = 13, count = block * blocks - 100, exponent = 100 };

typedef struct {
    ferry_queue* queue;
    ferry_buffer* memory;
    ferry_kernel* kernel;
    uint32_t* data;
    ferry_grid grid;
    size_t next;
    int done;
    ferry_code failed;
} lane;

static void enqueue(lane* l);

static void completed(ferry_code code, const char* message, void* user) {
    lane* l = user;
    if (code != FERRY_OK || message[0] != '\0') {
        fprintf(stderr, "%s\n", message);
        l->failed = code != FERRY_OK ? code : FERRY_INTERNAL;
        return;
    }
    ++l->done;
    l->next += lane_count;
    enqueue(l);
}

static void enqueue(lane* l) {
    if (l->next >= blocks) {
        return;
    }
    uint32_t* data = l->data + l->next * block;
    const size_t left = count - l->next * block;
    const size_t items = left < block ? left : block;
    const ferry_argument arguments[] = {ferry_whole(l->memory), ferry_u32((uint32_t)items),
                                        ferry_u32(exponent)};
    OK(ferry_queue_upload(l->queue, data, l->memory, 0, items * sizeof *data));
    OK(ferry_queue_launch(l->queue, l->kernel, &l->grid, arguments, 3));
    OK(ferry_queue_download(l->queue, l->memory, 0, data, items * sizeof *data));
    OK(ferry_queue_on_complete(l->queue, completed, l));
}

static uint32_t powered(uint32_t base) {
    uint32_t x = 1;
    for (int k = 0; k < exponent; ++k) {
        x *= base;
    }
    return x;
}

/* The portable text and beside it one for CUDA and HIP: the device takes what it likes best. */
static ferry_program* variants(ferry_device* device) {
    static const char portable[] = "__kernel void power(__global uint* data, uint count, uint exponent) {\n"
                                   "    size_t i = get_global_id(0);\n"
                                   "    if (i < count) {\n"
                                   "        uint base = data[i], x = ONE;\n"
                                   "        for (uint k = 0; k < exponent; ++k) x *= base;\n"
                                   "        data[i] = x;\n"
                                   "    }\n"
                                   "}\n";
    static const char vendors[] = "extern \"C\" __global__ void power(unsigned* data, unsigned count,\n"
                                  "                                  unsigned exponent) {\n"
                                  "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                  "    if (i < count) {\n"
                                  "        unsigned base = data[i], x = ONE;\n"
                                  "        for (unsigned k = 0; k < exponent; ++k) x *= base;\n"
                                  "        data[i] = x;\n"
                                  "    }\n"
                                  "}\n";
    const ferry_source sources[] = {
        {portable, FERRY_TO_END, "power.cl", NULL, FERRY_LANGUAGE_OPENCL_C},
        {vendors, sizeof vendors - 1, NULL, NULL, FERRY_LANGUAGE_CUDA},
        {vendors, sizeof vendors - 1, NULL, NULL, FERRY_LANGUAGE_HIP},
    };
    const char* const defines[] = {"ONE=1"};
    const ferry_build_options options = {defines, 1, NULL, 0, NULL, NULL, NULL, 0, 0, 0};
    ferry_program* program = NULL;
    const char* text = NULL;
    OK(ferry_program_create(device, sources, 3, &options, &program));
    OK(ferry_program_explain(program, &text));
    CHECK(strlen(text) > 3);
    printf("%s\n", text);
    OK(ferry_program_get_log(program, &text));
    CHECK(text != NULL);
    return program;
}

int main(void) {
    ferry_device* device = test_device();
    ferry_program* program = variants(device);
    uint32_t* data = allocate(count * sizeof *data);
    uint32_t* expected = allocate(count * sizeof *expected);
    uint32_t random = 4;
    for (size_t i = 0; i < count; ++i) {
        data[i] = next_random(&random);
        expected[i] = powered(data[i]);
    }
    lane lanes[lane_count];
    for (size_t i = 0; i < lane_count; ++i) {
        lane* l = &lanes[i];
        memset(l, 0, sizeof *l);
        l->data = data;
        l->next = i;
        l->kernel = kernel_of(program, "power");
        l->grid = ferry_grid_covering(block, 64);
        OK(ferry_buffer_create(device, block * sizeof *data, FERRY_MEMORY_DEVICE, &l->memory));
        OK(ferry_queue_create(device, NULL, &l->queue));
    }
    for (size_t i = 0; i < lane_count; ++i) {
        enqueue(&lanes[i]);
    }
    int done = 0;
    for (size_t i = 0; i < lane_count; ++i) {
        lane* l = &lanes[i];
        for (size_t b = i; b < blocks; b += lane_count) { /* each finish() lets one callback more return */
            OK(ferry_queue_finish(l->queue));
        }
        CHECK(l->failed == FERRY_OK);
        done += l->done;
        ferry_queue_release(l->queue);
        ferry_buffer_release(l->memory);
        ferry_kernel_release(l->kernel);
    }
    OK(ferry_device_finish(device));
    CHECK(done == blocks);
    CHECK(memcmp(data, expected, count * sizeof *data) == 0);
    ferry_program_release(program);
    expect_nothing_left(device);
    free(data);
    free(expected);
    return 0;
}
