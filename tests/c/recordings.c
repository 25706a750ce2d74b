/* SPDX-License-Identifier: Apache-2.0 */
/* Commands recorded once and replayed with other arguments. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { count = 1003, bytes = count * sizeof(uint32_t) };

typedef struct {
    ferry_device* device;
    ferry_kernel* power;
    ferry_buffer *first, *second;
    uint32_t *data, *result;
    ferry_step up, launch, fill;
    ferry_code end; /* what the function returns */
    ferry_recorder* kept;
} scene;

static ferry_grid grid_of(const scene* s) {
    return cover(s->device, count);
}

/* Up, a power, down; on a line of its own a fill of the second buffer, which a copy waits for. */
static ferry_code record(ferry_recorder* recorder, void* user) {
    scene* s = user;
    const ferry_grid grid = grid_of(s);
    const ferry_argument arguments[] = {ferry_whole(s->first), ferry_u32(count), ferry_u32(2)};
    const uint32_t seven = 7;
    ferry_recorder* line = NULL;
    ferry_step step;
    s->kept = recorder;
    OK(ferry_recorder_branch(recorder, &line));
    OK(ferry_recorder_upload(recorder, s->data, s->first, 0, bytes, &s->up));
    OK(ferry_recorder_launch(recorder, s->power, &grid, arguments, 3, &s->launch));
    OK(ferry_recorder_fill(line, s->second, 0, FERRY_TO_END, &seven, sizeof seven, &s->fill));
    CHECK(s->up.index == 0 && s->launch.index == 1 && s->fill.index == 2);
    OK(ferry_recorder_wait_step(recorder, &s->fill));
    OK(ferry_recorder_wait_line(recorder, line));
    OK(ferry_recorder_copy(recorder, s->second, 0, s->first, 0, sizeof seven, NULL));
    OK(ferry_recorder_download(recorder, s->first, 0, s->result, bytes, &step));
    CHECK(step.index == 4);

    FAILS(FERRY_INVALID_ARGUMENT, "'source' of ferry_recorder_upload()",
          ferry_recorder_upload(recorder, NULL, s->first, 0, bytes, NULL));
    FAILS(FERRY_INVALID_ARGUMENT, "'destination' of ferry_recorder_download()",
          ferry_recorder_download(recorder, s->first, 0, NULL, bytes, NULL));
    FAILS(FERRY_INVALID_ARGUMENT, "'pattern' of ferry_recorder_fill()",
          ferry_recorder_fill(recorder, s->first, 0, bytes, NULL, 4, NULL));
    FAILS(FERRY_INVALID_ARGUMENT, "'grid' of ferry_recorder_launch()",
          ferry_recorder_launch(recorder, s->power, NULL, arguments, 3, NULL));
    FAILS(FERRY_INVALID_ARGUMENT, "2|3",
          ferry_recorder_launch(recorder, s->power, &grid, arguments, 2, NULL));
    FAILS(FERRY_OUT_OF_RANGE, "byte 4012",
          ferry_recorder_copy(recorder, s->first, bytes, s->second, 0, 4, NULL));
    FAILS(FERRY_INVALID_ARGUMENT, "'line'|a ferry_recorder",
          ferry_recorder_wait_line(recorder, (ferry_recorder*)user));
    step.index = 5;
    FAILS(FERRY_INVALID_ARGUMENT, "Step 5|5 commands", ferry_recorder_wait_step(recorder, &step));
    step.recording = NULL;
    FAILS(FERRY_INVALID_ARGUMENT, "step", ferry_recorder_wait_step(recorder, &step));
    FAILS(FERRY_INVALID_ARGUMENT, "'step'", ferry_recorder_wait_step(recorder, NULL));
    return s->end;
}

static ferry_code fails(ferry_recorder* recorder, void* user) {
    scene* s = user;
    return ferry_recorder_copy(recorder, s->first, 0, s->second, 4, bytes, NULL);
}

static ferry_code shares(ferry_recorder* recorder, void* user) {
    scene* s = user;
    ferry_share* share = NULL;
    const ferry_grid grid = grid_of(s);
    OK(ferry_share_create(s->device, s->data, bytes, FERRY_DEVICE_UPDATES, NULL, &share));
    const ferry_argument arguments[] = {ferry_shared(share), ferry_u32(count), ferry_u32(2)};
    const ferry_code code = ferry_recorder_launch(recorder, s->power, &grid, arguments, 3, NULL);
    ferry_share_release(share);
    return code;
}

static uint32_t powered(uint32_t base, uint32_t exponent) {
    uint32_t x = 1;
    for (uint32_t k = 0; k < exponent; ++k) {
        x *= base;
    }
    return x;
}

static void replay(scene* s, ferry_queue* queue, ferry_recording* recording, uint32_t exponent,
                   size_t items) {
    for (int round = 0; round < 3; ++round) {
        for (size_t i = 0; i < count; ++i) {
            s->data[i] += 3;
        }
        memset(s->result, 0xEE, bytes);
        OK(ferry_queue_replay(queue, recording));
        OK(ferry_queue_finish(queue));
        CHECK(s->result[0] == 7);
        for (size_t i = 1; i < count; ++i) {
            CHECK(s->result[i] == (i < items ? powered(s->data[i], exponent) : s->data[i]));
        }
    }
}

static void change(scene* s, ferry_queue* queue, ferry_recording* recording) {
    const ferry_argument five = ferry_u32(5), float5 = ferry_f32(5), wide = ferry_u64(5);
    const ferry_argument whole = ferry_whole(s->first);
    replay(s, queue, recording, 2, count);
    OK(ferry_recording_set(recording, &s->launch, 2, &five));
    replay(s, queue, recording, 5, count);
    const ferry_argument items = ferry_u32(100);
    const ferry_grid less = cover(s->device, 100);
    OK(ferry_recording_set(recording, &s->launch, 1, &items));
    OK(ferry_recording_set_grid(recording, &s->launch, &less));
    replay(s, queue, recording, 5, 100);

    FAILS(FERRY_INVALID_ARGUMENT, "", ferry_recording_set(recording, &s->launch, 2, &float5));
    FAILS(FERRY_INVALID_ARGUMENT, "8 bytes", ferry_recording_set(recording, &s->launch, 2, &wide));
    FAILS(FERRY_INVALID_ARGUMENT, "Argument 2", ferry_recording_set(recording, &s->launch, 2, &whole));
    FAILS(FERRY_INVALID_ARGUMENT, "Argument 3|3 arguments",
          ferry_recording_set(recording, &s->launch, 3, &five));
    FAILS(FERRY_INVALID_ARGUMENT, "", ferry_recording_set(recording, &s->up, 0, &five));
    FAILS(FERRY_INVALID_ARGUMENT, "'argument'", ferry_recording_set(recording, &s->launch, 0, NULL));
    FAILS(FERRY_INVALID_ARGUMENT, "'step'", ferry_recording_set(recording, NULL, 0, &five));
    FAILS(FERRY_INVALID_ARGUMENT, "'step'", ferry_recording_set_grid(recording, NULL, &less));
    FAILS(FERRY_INVALID_ARGUMENT, "'grid'", ferry_recording_set_grid(recording, &s->launch, NULL));
    const ferry_grid none = {{0, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    FAILS(FERRY_INVALID_ARGUMENT, "0", ferry_recording_set_grid(recording, &s->launch, &none));
    ferry_step far = s->launch;
    far.index = 99; /* C lets anybody write a number there */
    FAILS(FERRY_INVALID_ARGUMENT, "Step 99|5 commands", ferry_recording_set(recording, &far, 2, &five));
    FAILS(FERRY_INVALID_ARGUMENT, "Step 99|5 commands", ferry_recording_set_grid(recording, &far, &less));
    replay(s, queue, recording, 5, 100);

    size_t size = 0, needed = 0;
    char text[1000];
    OK(ferry_recording_get_size(recording, &size));
    CHECK(size == 5);
    OK(ferry_recording_explain(recording, text, sizeof text, &needed));
    CHECK(needed == strlen(text) + 1 && strstr(text, "5 commands") != NULL);
    OK(ferry_recording_explain(recording, text, 4, NULL));
    CHECK(strlen(text) == 3);
    FAILS(FERRY_INVALID_ARGUMENT, "'text'", ferry_recording_explain(recording, NULL, 4, NULL));
    FAILS(FERRY_INVALID_STATE, "complete", ferry_recorder_upload(s->kept, s->data, s->first, 0, bytes, NULL));
}

int main(int argc, char** argv) {
    scene s = {0};
    ferry_queue* queue = NULL;
    ferry_recording *recording = NULL, *none = NULL;
    uint32_t random = 11;
    size_t count_seen = 0;
    s.device = test_device();
    ferry_program* program = sample_program(s.device, argc > 1 ? argv[1] : NULL, "04_queues/power.cl");
    s.power = kernel_of(program, "power");
    s.data = allocate(bytes);
    s.result = allocate(bytes);
    for (size_t i = 0; i < count; ++i) {
        s.data[i] = next_random(&random);
    }
    OK(ferry_queue_create(s.device, NULL, &queue));
    OK(ferry_buffer_create(s.device, bytes, FERRY_MEMORY_DEVICE, &s.first));
    OK(ferry_buffer_create(s.device, bytes, FERRY_MEMORY_DEVICE, &s.second));
    OK(ferry_recording_create(s.device, record, &s, &recording));
    change(&s, queue, recording);

    none = recording;
    FAILS(FERRY_OUT_OF_RANGE, "4012 bytes|byte 4|ferry_recorder_copy()",
          ferry_recording_create(s.device, fails, &s, &none));
    CHECK(none == NULL);
    FAILS(FERRY_UNSUPPORTED, "share|ferry_recorder_launch()",
          ferry_recording_create(s.device, shares, &s, &none));
    s.end = FERRY_DEVICE_LOST;
    FAILS(FERRY_DEVICE_LOST, "'record'|returned 10|device_lost",
          ferry_recording_create(s.device, record, &s, &none));
    s.end = 99;
    FAILS(FERRY_INVALID_ARGUMENT, "'record'|returned 99|0 to 11",
          ferry_recording_create(s.device, record, &s, &none));
    s.end = FERRY_OK;
    FAILS(FERRY_INVALID_ARGUMENT, "'record'|function", ferry_recording_create(s.device, NULL, &s, &none));
    FAILS(FERRY_INVALID_ARGUMENT, "'device'", ferry_recording_create(NULL, record, &s, &none));
    FAILS(FERRY_INVALID_ARGUMENT, "'recording'", ferry_recording_create(s.device, record, &s, NULL));
    FAILS(FERRY_INVALID_ARGUMENT, "'recording'|ferry_recording", ferry_queue_replay(queue, NULL));
    FAILS(FERRY_INVALID_ARGUMENT, "'queue'", ferry_queue_replay(NULL, recording));
    FAILS(FERRY_INVALID_ARGUMENT, "'recording'", ferry_recording_get_size(NULL, &count_seen));
    FAILS(FERRY_INVALID_ARGUMENT, "'commands'", ferry_recording_get_size(recording, NULL));

    OK(ferry_queue_replay(queue, recording)); /* the recording keeps what it uses, and the replay that */
    ferry_recording_release(recording);
    ferry_recording_release(NULL);
    OK(ferry_queue_finish(queue));
    ferry_queue_release(queue);
    ferry_buffer_release(s.first);
    ferry_buffer_release(s.second);
    ferry_kernel_release(s.power);
    ferry_program_release(program);
    expect_nothing_left(s.device);
    free(s.data);
    free(s.result);
    return 0;
}
