/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that begin at an offset: at once, recorded, and refused. */
#include "check.h"

#include <stdlib.h>

enum { width = 67, height = 5, count = width * height };

static const uint32_t poison = 0xEEEEEEEE;

static const char text[] =
    "__kernel void ids(__global uint* out, uint width, uint size) {\n"
    "    const uint x = get_global_id(0), y = get_global_id(1), at = y * width + x;\n"
    "    if (at < size) {\n"
    "        out[at] = get_global_offset(0) * 1000 + get_global_offset(1) + get_local_id(0);\n"
    "    }\n"
    "}\n";

typedef struct {
    ferry_kernel* ids;
    ferry_buffer* out;
    ferry_grid grid;
    uint32_t result[count];
    ferry_step launch;
} scene;

/* The grid covers a box of items at its offset, and each has written what it was asked to. */
static void expect(const scene* s, const ferry_grid* grid) {
    for (size_t y = 0; y < height; ++y) {
        for (size_t x = 0; x < width; ++x) {
            const size_t dx = x - grid->offset[0], dy = y - grid->offset[1];
            const int inside = x >= grid->offset[0] && y >= grid->offset[1] && dy < grid->groups[1] &&
                               dx < grid->groups[0] * grid->local[0];
            const uint32_t wanted =
                (uint32_t)(grid->offset[0] * 1000 + grid->offset[1] + dx % grid->local[0]);
            CHECK(s->result[y * width + x] == (inside ? wanted : poison));
        }
    }
}

static ferry_code record(ferry_recorder* recorder, void* user) {
    scene* s = user;
    const ferry_argument arguments[] = {ferry_whole(s->out), ferry_u32(width), ferry_u32(count)};
    OK(ferry_recorder_fill(recorder, s->out, 0, FERRY_TO_END, &poison, sizeof poison, NULL));
    OK(ferry_recorder_launch(recorder, s->ids, &s->grid, arguments, 3, &s->launch));
    OK(ferry_recorder_download(recorder, s->out, 0, s->result, sizeof s->result, NULL));
    return FERRY_OK;
}

int main(void) {
    static scene s;
    const ferry_build_options options = {NULL, 0, NULL, 0, NULL, NULL, NULL, 1, 0, 0};
    ferry_device* device = test_device();
    ferry_program *program = NULL, *plain = NULL;
    ferry_kernel* fixed = NULL;
    ferry_queue* queue = NULL;
    ferry_recording* recording = NULL;
    OK(ferry_queue_create(device, NULL, &queue));
    OK(ferry_buffer_create(device, sizeof s.result, FERRY_MEMORY_DEVICE, &s.out));
    OK(ferry_program_create_from_text(device, text, &options, &program));
    s.ids = kernel_of(program, "ids");
    const ferry_argument arguments[] = {ferry_whole(s.out), ferry_u32(width), ferry_u32(count)};
    const ferry_grid grids[] = {{{3, 2, 1}, {7, 1, 1}, {13, 1, 0}},
                                {{1, 1, 1}, {1, 1, 1}, {width - 1, height - 1, 0}},
                                {{4, 4, 1}, {8, 1, 1}, {0, 0, 0}}};
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; ++i) {
        OK(ferry_queue_fill(queue, s.out, 0, FERRY_TO_END, &poison, sizeof poison));
        OK(ferry_queue_launch(queue, s.ids, &grids[i], arguments, 3));
        OK(ferry_queue_download(queue, s.out, 0, s.result, sizeof s.result));
        OK(ferry_queue_finish(queue));
        expect(&s, &grids[i]);
    }

    s.grid = grids[0];
    OK(ferry_recording_create(device, record, &s, &recording));
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; ++i) {
        OK(ferry_recording_set_grid(recording, &s.launch, &grids[i]));
        OK(ferry_queue_replay(queue, recording));
        OK(ferry_queue_finish(queue));
        expect(&s, &grids[i]);
    }

    OK(ferry_program_create_from_text(device, text, NULL, &plain));
    fixed = kernel_of(plain, "ids");
    FAILS(FERRY_INVALID_ARGUMENT, "offset", ferry_queue_launch(queue, fixed, &grids[0], arguments, 3));
    OK(ferry_queue_launch(queue, fixed, &grids[2], arguments, 3));
    OK(ferry_queue_finish(queue));

    ferry_recording_release(recording);
    ferry_kernel_release(fixed);
    ferry_kernel_release(s.ids);
    ferry_program_release(plain);
    ferry_program_release(program);
    ferry_buffer_release(s.out);
    ferry_queue_release(queue);
    expect_nothing_left(device);
    return 0;
}
