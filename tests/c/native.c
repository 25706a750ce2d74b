/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor's handles of Ferry's objects, and Ferry's objects over those handles. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { bytes = 4099 };

/* One for each function; all of them are given something of another backend, or of none. */
static void refused(ferry_device* device, ferry_backend backend, ferry_code code, const char* words) {
    ferry_queue *queue = NULL, *other_queue = NULL;
    ferry_buffer *buffer = NULL, *other_buffer = NULL;
    ferry_event* event = NULL;
    ferry_device* found = device;
    uint64_t number = 0;
    void* pointer = NULL;
    ferry_native_memory memory;
    OK(ferry_queue_create(device, NULL, &queue));
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &buffer));
    OK(ferry_queue_record(queue, &event));
    FAILS(code, words, ferry_device_get_native(device, backend, &number));
    FAILS(code, words, ferry_device_get_native_context(device, backend, &pointer));
    FAILS(code, words, ferry_queue_get_native(queue, backend, &pointer));
    FAILS(code, words, ferry_queue_borrow_native(device, backend, &number, NULL, &other_queue));
    FAILS(code, words, ferry_event_get_native(event, backend, &pointer));
    FAILS(code, words, ferry_queue_wait_native(queue, backend, &number));
    FAILS(code, words, ferry_buffer_get_native(buffer, backend, &memory));
    FAILS(code, words, ferry_buffer_borrow_native(device, backend, 4096, bytes, &other_buffer));
    FAILS(code, words, ferry_buffer_adopt_native(device, backend, 4096, bytes, &other_buffer));
    CHECK(other_queue == NULL && other_buffer == NULL);
    if (code == FERRY_UNSUPPORTED) {
        FAILS(code, words, ferry_device_find_native(backend, 0, &found));
        CHECK(found == NULL);
    }
    ferry_event_release(event);
    ferry_buffer_release(buffer);
    ferry_queue_release(queue);
}

static void both_ways(ferry_device* device, ferry_backend backend, ferry_kernel* invert) {
    uint8_t* data = allocate(bytes);
    uint8_t* result = allocate(bytes);
    uint32_t random = 12;
    for (size_t i = 0; i < bytes; ++i) {
        data[i] = (uint8_t)next_random(&random);
    }
    uint64_t number = 0;
    void *context = NULL, *stream = NULL, *marker = NULL, *function = NULL;
    ferry_device* found = NULL;
    ferry_native_memory memory;
    OK(ferry_device_get_native(device, backend, &number));
    OK(ferry_device_find_native(backend, number, &found));
    CHECK(found == device);
    FAILS(FERRY_UNAVAILABLE, "4095", ferry_device_find_native(backend, 4095, &found));
    CHECK(found == NULL);
    OK(ferry_device_get_native_context(device, backend, &context));
    CHECK(context != NULL || backend == FERRY_BACKEND_HIP);
    OK(ferry_kernel_get_native(invert, backend, &function));
    CHECK(function != NULL);

    /* A queue over the handle of another one: commands of both are in the order of the calls. */
    ferry_queue *own = NULL, *over = NULL, *third = NULL;
    ferry_buffer *up = NULL, *down = NULL, *over_up = NULL;
    const ferry_queue_options options = {0, FERRY_WAIT_AUTOMATIC};
    OK(ferry_queue_create(device, NULL, &own));
    OK(ferry_queue_create(device, NULL, &third));
    OK(ferry_queue_get_native(own, backend, &stream));
    CHECK(stream != NULL);
    OK(ferry_queue_borrow_native(device, backend, stream, &options, &over));
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &up));
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &down));
    OK(ferry_buffer_get_native(up, backend, &memory));
    const int is_cl_mem = memory.handle != NULL;
    CHECK(is_cl_mem == (backend == FERRY_BACKEND_OPENCL) && (is_cl_mem || memory.address != 0));
    const uint64_t place = is_cl_mem ? (uint64_t)(uintptr_t)memory.handle : memory.address;
    const size_t begin = is_cl_mem ? memory.offset : 0; /* a cl_mem is taken from its beginning */
    OK(ferry_buffer_borrow_native(device, backend, place, begin + bytes, &over_up));

    const ferry_grid grid = cover(device, bytes);
    for (int round = 0; round < 5; ++round) {
        data[round] ^= 0x55;
        memset(result, 0xEE, bytes);
        const ferry_argument arguments[] = {ferry_range(over_up, begin, bytes), ferry_whole(down),
                                            ferry_u32(bytes)};
        OK(ferry_queue_upload(own, data, up, 0, bytes));
        OK(ferry_queue_launch(over, invert, &grid, arguments, 3));
        ferry_event* event = NULL;
        OK(ferry_queue_record(own, &event));
        OK(ferry_event_get_native(event, backend, &marker));
        CHECK(marker != NULL);
        OK(ferry_queue_wait_native(third, backend, marker));
        OK(ferry_queue_download(third, down, 0, result, bytes));
        OK(ferry_queue_finish(third));
        ferry_event_release(event);
        for (size_t i = 0; i < bytes; ++i) {
            CHECK((result[i] ^ data[i]) == 0xFF);
        }
    }
    ferry_queue* no_queue = own;
    FAILS(FERRY_INVALID_ARGUMENT, "null", ferry_queue_borrow_native(device, backend, NULL, NULL, &no_queue));
    CHECK(no_queue == NULL);
    FAILS(FERRY_INVALID_ARGUMENT, "null", ferry_queue_wait_native(third, backend, NULL));
    ferry_buffer* none = NULL;
    FAILS(FERRY_INVALID_ARGUMENT, "null", ferry_buffer_borrow_native(device, backend, 0, 1, &none));
    FAILS(FERRY_INVALID_ARGUMENT, "0 elements", ferry_buffer_adopt_native(device, backend, place, 0, &none));
    ferry_buffer_release(over_up);
    ferry_buffer_release(up);
    ferry_buffer_release(down);
    ferry_queue_release(third);
    ferry_queue_release(over);
    ferry_queue_release(own);
    free(data);
    free(result);
}

int main(int argc, char** argv) {
    ferry_device* device = test_device();
    ferry_device_info info;
    OK(ferry_device_get_info(device, &info));
    ferry_program* program = sample_program(device, argc > 1 ? argv[1] : NULL, "01_transfer/transfer.cl");
    ferry_kernel* invert = kernel_of(program, "invert");
    void* pointer = NULL;
    FAILS(FERRY_INVALID_ARGUMENT, "'kernel' of ferry_kernel_get_native()",
          ferry_kernel_get_native(NULL, FERRY_BACKEND_CUDA, &pointer));
    FAILS(FERRY_INVALID_ARGUMENT, "'native'", ferry_kernel_get_native(invert, FERRY_BACKEND_CUDA, NULL));
    FAILS(FERRY_UNSUPPORTED, "FERRY_BACKEND_HOST",
          ferry_kernel_get_native(invert, FERRY_BACKEND_HOST, &pointer));
    refused(device, FERRY_BACKEND_HOST, FERRY_UNSUPPORTED, "'backend'|FERRY_BACKEND_HOST");
    refused(device, FERRY_BACKEND_VULKAN, FERRY_UNSUPPORTED, "'backend'|FERRY_BACKEND_VULKAN");
    refused(device, 5, FERRY_INVALID_ARGUMENT, "'backend'|is 5|0 to 4");
    for (ferry_backend other = FERRY_BACKEND_CUDA; other <= FERRY_BACKEND_OPENCL; ++other) {
        if (other != info.backend) {
            refused(device, other, FERRY_INVALID_ARGUMENT, info.id);
        }
    }
    if (info.backend != FERRY_BACKEND_HOST) {
        both_ways(device, info.backend, invert);
    }
    ferry_kernel_release(invert);
    ferry_program_release(program);
    expect_nothing_left(device);
    return 0;
}
