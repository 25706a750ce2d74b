/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes, batches of copies, and files as ends of copies. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rows = 37, slices = 3, pitch = 53, slice = 2011, all = slice * slices };

static void fill_random(uint8_t* data, size_t bytes, uint32_t seed) {
    for (size_t i = 0; i < bytes; ++i) {
        data[i] = (uint8_t)next_random(&seed);
    }
}

/* What a copy of a box does, byte by byte. */
static void copy_box(const uint8_t* from, const ferry_box* a, uint8_t* to, const ferry_box* b) {
    for (size_t z = 0; z < a->depth; ++z) {
        for (size_t y = 0; y < a->height; ++y) {
            memcpy(to + b->offset + z * b->slice_pitch + y * b->row_pitch,
                   from + a->offset + z * a->slice_pitch + y * a->row_pitch, a->width);
        }
    }
}

static void boxes(ferry_device* device, ferry_queue* queue) {
    uint8_t* data = allocate(all);
    uint8_t* model = allocate(all);
    uint8_t* result = allocate(all);
    ferry_buffer *first = NULL, *second = NULL;
    OK(ferry_buffer_create(device, all, FERRY_MEMORY_DEVICE, &first));
    OK(ferry_buffer_create(device, all, FERRY_MEMORY_DEVICE, &second));
    fill_random(data, all, 5);
    fill_random(model, all, 6);
    const ferry_box whole = {0, pitch, rows, slices, pitch, slice};
    const ferry_box left = {11, 29, 31, 2, pitch, slice};
    const ferry_box right = {slice + 20, 29, 31, 2, pitch, slice};
    const ferry_box packed = {3, 29, 31, 2, 0, 0};
    const ferry_box packed_too = {3, 29, 31, 2, 29, (size_t)29 * 31};

    OK(ferry_queue_upload(queue, model, first, 0, all));
    OK(ferry_queue_upload(queue, model, second, 0, all));
    OK(ferry_queue_finish(queue)); /* the model changes below */
    OK(ferry_queue_upload_box(queue, data, &left, first, &right));
    copy_box(data, &left, model, &right);
    OK(ferry_queue_copy_box(queue, first, &right, second, &left));
    OK(ferry_queue_download(queue, first, 0, result, all));
    OK(ferry_queue_finish(queue));
    CHECK(memcmp(result, model, all) == 0);
    memset(result, 0xA5, all);
    memset(model, 0xA5, all);
    OK(ferry_queue_download_box(queue, second, &left, result, &packed));
    OK(ferry_queue_finish(queue));
    copy_box(data, &left, model, &packed_too);
    CHECK(memcmp(result, model, all) == 0);

    ferry_box wrong = whole;
    wrong.height = rows - 1;
    FAILS(FERRY_INVALID_ARGUMENT, "", ferry_queue_upload_box(queue, data, &wrong, first, &whole));
    wrong = whole;
    wrong.offset = all - slice;
    FAILS(FERRY_OUT_OF_RANGE, "2011", ferry_queue_upload_box(queue, data, &whole, first, &wrong));
    wrong = whole;
    wrong.row_pitch = pitch - 1;
    FAILS(FERRY_INVALID_ARGUMENT, "52|53", ferry_queue_download_box(queue, first, &wrong, result, &whole));
    FAILS(FERRY_INVALID_ARGUMENT, "'source'|null", ferry_queue_upload_box(queue, NULL, &left, first, &left));
    FAILS(FERRY_INVALID_ARGUMENT, "'destination'|null",
          ferry_queue_download_box(queue, first, &left, NULL, &left));
    FAILS(FERRY_INVALID_ARGUMENT, "'from'|ferry_box",
          ferry_queue_copy_box(queue, first, NULL, second, &left));
    FAILS(FERRY_INVALID_ARGUMENT, "'to'|ferry_box", ferry_queue_copy_box(queue, first, &left, second, NULL));
    FAILS(FERRY_INVALID_ARGUMENT, "overlap", ferry_queue_copy_box(queue, first, &left, first, &left));
    const ferry_box empty = {all + 1, 0, 5, 5, 0, 0};
    FAILS(FERRY_OUT_OF_RANGE, "6034", ferry_queue_copy_box(queue, first, &empty, first, &left));
    const ferry_box nothing = {0, 0, 5, 5, 0, 0};
    OK(ferry_queue_download_box(queue, first, &nothing, NULL, &nothing));
    ferry_buffer_release(first);
    ferry_buffer_release(second);
    free(data);
    free(model);
    free(result);
}

static void batches(ferry_device* device, ferry_queue* queue) {
    enum { parts = 23, part = 61, bytes = parts * part };
    uint8_t* data = allocate(bytes);
    uint8_t* result = allocate(bytes);
    ferry_buffer *first = NULL, *second = NULL;
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &first));
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &second));
    fill_random(data, bytes, 7);
    const uint8_t poison = 0xDD;
    OK(ferry_queue_fill(queue, first, 0, FERRY_TO_END, &poison, 1));
    OK(ferry_queue_fill(queue, second, 0, FERRY_TO_END, &poison, 1));
    ferry_copy copies[parts];
    for (size_t i = 0; i < parts; ++i) { /* the parts in turned order, from the host to the first buffer */
        const ferry_copy up = {NULL, data, i * part, first, NULL, (parts - 1 - i) * part, part};
        copies[i] = up;
    }
    OK(ferry_queue_copy_batch(queue, copies, parts));
    for (size_t i = 0; i < parts; ++i) { /* and back, between buffers, but the last */
        const ferry_copy across = {first, NULL, i * part, second, NULL, (parts - 1 - i) * part, part};
        copies[i] = across;
    }
    OK(ferry_queue_copy_batch(queue, copies, parts - 1));
    for (size_t i = 0; i < parts; ++i) {
        const ferry_copy down = {second, NULL, i * part, NULL, result, i * part, part};
        copies[i] = down;
    }
    OK(ferry_queue_copy_batch(queue, copies, parts));
    OK(ferry_queue_copy_batch(queue, NULL, 0));
    OK(ferry_queue_finish(queue));
    CHECK(memcmp(result + part, data + part, bytes - part) == 0);
    for (size_t i = 0; i < part; ++i) {
        CHECK(result[i] == 0xDD);
    }
    const ferry_copy none = {NULL, data, 0, NULL, result, 0, part};
    FAILS(FERRY_INVALID_ARGUMENT, "Copy 0|neither end", ferry_queue_copy_batch(queue, &none, 1));
    const ferry_copy lacking = {NULL, NULL, 0, first, NULL, 0, part};
    FAILS(FERRY_INVALID_ARGUMENT, "'copies->source'|null", ferry_queue_copy_batch(queue, &lacking, 1));
    const ferry_copy outside = {first, NULL, bytes - part + 1, NULL, result, 0, part};
    FAILS(FERRY_OUT_OF_RANGE, "61 bytes|1343|1403 bytes", ferry_queue_copy_batch(queue, &outside, 1));
    const ferry_copy huge = {first, NULL, 0, NULL, result, 0, FERRY_TO_END};
    FAILS(FERRY_INVALID_ARGUMENT, "Copy 0|18446744073709551615", ferry_queue_copy_batch(queue, &huge, 1));
    copies[1] = copies[0];
    FAILS(FERRY_INVALID_ARGUMENT, "", ferry_queue_copy_batch(queue, copies, 2));
    FAILS(FERRY_INVALID_ARGUMENT, "'copies' of ferry_queue_copy_batch()",
          ferry_queue_copy_batch(queue, NULL, 1));
    ferry_buffer_release(first);
    ferry_buffer_release(second);
    free(data);
    free(result);
}

static void files(ferry_device* device, ferry_queue* queue) {
    enum { bytes = 70001 };
    uint8_t* data = allocate(bytes);
    uint8_t* result = allocate(bytes);
    char path[] = "ferry_c_copies_XXXXXX";
    ferry_buffer *first = NULL, *second = NULL;
    const int file = mkstemp(path);
    CHECK(file != -1 && close(file) == 0);
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &first));
    OK(ferry_buffer_create(device, bytes, FERRY_MEMORY_DEVICE, &second));
    fill_random(data, bytes, 8);
    OK(ferry_queue_upload(queue, data, first, 0, bytes));
    OK(ferry_queue_upload(queue, result, second, 0, bytes));
    OK(ferry_queue_write_file(queue, first, 1, FERRY_TO_END, path));
    OK(ferry_queue_finish(queue));
    OK(ferry_queue_read_file(queue, path, 99, second, 500, 4000));
    OK(ferry_queue_download(queue, second, 0, result, bytes));
    OK(ferry_queue_finish(queue));
    for (size_t i = 0; i < bytes; ++i) {
        CHECK(result[i] == (i >= 500 && i < 4500 ? data[i - 500 + 100] : 0));
    }
    FAILS(FERRY_OUT_OF_RANGE, "ferry_c_copies_", ferry_queue_read_file(queue, path, 1, second, 0, bytes));
    FAILS(FERRY_NOT_FOUND, "/nowhere/x", ferry_queue_read_file(queue, "/nowhere/x", 0, second, 0, 1));
    FAILS(FERRY_NOT_FOUND, "/nowhere/x", ferry_queue_write_file(queue, second, 0, 1, "/nowhere/x"));
    FAILS(FERRY_INVALID_ARGUMENT, "'path'", ferry_queue_read_file(queue, NULL, 0, second, 0, 1));
    FAILS(FERRY_INVALID_ARGUMENT, "'path'", ferry_queue_write_file(queue, second, 0, 1, NULL));
    CHECK(remove(path) == 0);
    ferry_buffer_release(first);
    ferry_buffer_release(second);
    free(data);
    free(result);
}

int main(void) {
    ferry_device* device = test_device();
    ferry_queue* queue = NULL;
    OK(ferry_queue_create(device, NULL, &queue));
    boxes(device, queue);
    batches(device, queue);
    files(device, queue);
    FAILS(FERRY_INVALID_ARGUMENT, "'queue' of ferry_queue_copy_batch()",
          ferry_queue_copy_batch(NULL, NULL, 0));
    ferry_queue_release(queue);
    expect_nothing_left(device);
    return 0;
}
