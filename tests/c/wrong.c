/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are wrong: each says what was given, where, and what it takes. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#define BAD FERRY_INVALID_ARGUMENT

typedef struct {
    ferry_device* device;
    ferry_queue* queue;
    ferry_buffer* buffer;
    ferry_program* program;
    ferry_kernel* kernel;
    ferry_event* event;
} things;

static int32_t number;
static size_t size;
static void* pointer;
static const char* text;

static void null_handles(const things* t) {
    ferry_device_info info;
    ferry_memory_info memory;
    ferry_share_info share;
    uint64_t value = 0;
    ferry_queue* queue = t->queue;
    ferry_buffer* buffer = t->buffer;
    ferry_kernel* kernel = t->kernel;
    ferry_event* event = t->event;
    ferry_access* access = (ferry_access*)&number;
    ferry_mapping* mapping = (ferry_mapping*)&number;
    int64_t time;
    FAILS(BAD, "'device' of ferry_device_get_info() is null|a ferry_device",
          ferry_device_get_info(NULL, &info));
    FAILS(BAD, "'device' of ferry_device_get_number()", ferry_device_get_number(NULL, "index", &value));
    FAILS(BAD, "'field' of ferry_device_get_number()", ferry_device_get_number(t->device, NULL, &value));
    FAILS(BAD, "'number' of ferry_device_get_number()", ferry_device_get_number(t->device, "index", NULL));
    FAILS(BAD, "is 'name'|compute_units, clock_mhz", ferry_device_get_number(t->device, "name", &value));
    FAILS(BAD, "'device' of ferry_device_get_memory()", ferry_device_get_memory(NULL, &memory));
    FAILS(BAD, "'device' of ferry_device_trim()", ferry_device_trim(NULL, 0, NULL));
    FAILS(BAD, "'device' of ferry_buffer_create()", ferry_buffer_create(NULL, 1, 0, &buffer));
    CHECK(buffer == NULL);
    FAILS(BAD, "'buffer' of ferry_buffer_get_size()|a ferry_buffer", ferry_buffer_get_size(NULL, &size));
    FAILS(BAD, "'buffer' of ferry_buffer_get_address()", ferry_buffer_get_address(NULL, &pointer));
    FAILS(BAD, "'buffer' of ferry_buffer_map()",
          ferry_buffer_map(NULL, t->queue, FERRY_MAP_READ, 0, 1, &mapping, &pointer));
    CHECK(mapping == NULL);
    FAILS(BAD, "'queue' of ferry_buffer_map()|a ferry_queue",
          ferry_buffer_map(t->buffer, NULL, FERRY_MAP_READ, 0, 1, &mapping, &pointer));
    FAILS(BAD, "'mapping' of ferry_mapping_unmap()|a ferry_mapping", ferry_mapping_unmap(NULL));
    FAILS(BAD, "'device' of ferry_queue_create()", ferry_queue_create(NULL, NULL, &queue));
    CHECK(queue == NULL);
    FAILS(BAD, "'device' of ferry_queue_create_with_priority()",
          ferry_queue_create_with_priority(NULL, NULL, FERRY_QUEUE_PRIORITY_HIGH, &queue));
    FAILS(BAD, "'priority' of ferry_queue_create_with_priority()",
          ferry_queue_create_with_priority(t->device, NULL, 3, &queue));
    CHECK(queue == NULL);
    OK(ferry_queue_create_with_priority(t->device, NULL, FERRY_QUEUE_PRIORITY_LOW, &queue));
    OK(ferry_queue_prefetch(queue, t->buffer, 0, 8, FERRY_PREFETCH_TO_HOST));
    OK(ferry_queue_advise(queue, t->buffer, 0, FERRY_TO_END, FERRY_ADVICE_NONE));
    ferry_queue_release(queue);
    queue = NULL;
    FAILS(BAD, "'to' of ferry_queue_prefetch()", ferry_queue_prefetch(t->queue, t->buffer, 0, 1, 2));
    FAILS(BAD, "'buffer' of ferry_queue_prefetch()", ferry_queue_prefetch(t->queue, NULL, 0, 1, 0));
    FAILS(BAD, "'advice' of ferry_queue_advise()", ferry_queue_advise(t->queue, t->buffer, 0, 1, 5));
    const size_t groups_of[3] = {1, 1, 1}, too_large[3] = {(size_t)1 << 30, 1, 1};
    int32_t groups = 7;
    OK(ferry_kernel_get_occupancy(t->kernel, groups_of, 0, &groups));
    CHECK(groups == -1 || groups >= 1);
    FAILS(BAD, "work-items", ferry_kernel_get_occupancy(t->kernel, too_large, 0, &groups));
    FAILS(BAD, "'local' of ferry_kernel_get_occupancy()",
          ferry_kernel_get_occupancy(t->kernel, NULL, 0, &groups));
    FAILS(BAD, "'groups' of ferry_kernel_get_occupancy()",
          ferry_kernel_get_occupancy(t->kernel, groups_of, 0, NULL));
    const ferry_grid shape = ferry_grid_covering(100, 10), endless = ferry_grid_covering(1, (size_t)1 << 30);
    const size_t tile = 64;
    OK(ferry_kernel_prepare(t->kernel, &shape, NULL, 0));
    FAILS(BAD, "work-items", ferry_kernel_prepare(t->kernel, &endless, NULL, 0));
    FAILS(BAD, "'kernel' of ferry_kernel_prepare()", ferry_kernel_prepare(NULL, &shape, NULL, 0));
    FAILS(BAD, "'grid' of ferry_kernel_prepare()", ferry_kernel_prepare(t->kernel, NULL, NULL, 0));
    FAILS(BAD, "'local_bytes' of ferry_kernel_prepare()", ferry_kernel_prepare(t->kernel, &shape, NULL, 1));
    FAILS(BAD, "0 local parameters", ferry_kernel_prepare(t->kernel, &shape, &tile, 1));
    FAILS(BAD, "'queue' of ferry_queue_upload()", ferry_queue_upload(NULL, &number, t->buffer, 0, 1));
    FAILS(BAD, "'buffer' of ferry_queue_upload()", ferry_queue_upload(t->queue, &number, NULL, 0, 1));
    FAILS(BAD, "'queue' of ferry_queue_download()", ferry_queue_download(NULL, t->buffer, 0, &number, 1));
    FAILS(BAD, "'buffer' of ferry_queue_download()", ferry_queue_download(t->queue, NULL, 0, &number, 1));
    FAILS(BAD, "'queue' of ferry_queue_copy()", ferry_queue_copy(NULL, t->buffer, 0, t->buffer, 8, 1));
    FAILS(BAD, "'source' of ferry_queue_copy()", ferry_queue_copy(t->queue, NULL, 0, t->buffer, 8, 1));
    FAILS(BAD, "'destination' of ferry_queue_copy()", ferry_queue_copy(t->queue, t->buffer, 0, NULL, 8, 1));
    FAILS(BAD, "'queue' of ferry_queue_fill()", ferry_queue_fill(NULL, t->buffer, 0, 1, &number, 1));
    FAILS(BAD, "'buffer' of ferry_queue_fill()", ferry_queue_fill(t->queue, NULL, 0, 1, &number, 1));
    FAILS(BAD, "'queue' of ferry_queue_mark()", ferry_queue_mark(NULL, "a"));
    FAILS(BAD, "'name' of ferry_queue_mark()", ferry_queue_mark(t->queue, NULL));
    FAILS(BAD, "mark is empty", ferry_queue_mark(t->queue, ""));
    FAILS(BAD, "'pattern' of ferry_queue_fill()", ferry_queue_fill(t->queue, t->buffer, 0, 1, NULL, 1));
    FAILS(BAD, "'queue' of ferry_queue_launch()", ferry_queue_launch(NULL, t->kernel, NULL, NULL, 0));
    FAILS(BAD, "'kernel' of ferry_queue_launch()|a ferry_kernel",
          ferry_queue_launch(t->queue, NULL, NULL, NULL, 0));
    FAILS(BAD, "'grid' of ferry_queue_launch()", ferry_queue_launch(t->queue, t->kernel, NULL, NULL, 0));
    FAILS(BAD, "'queue' of ferry_queue_record()", ferry_queue_record(NULL, &event));
    CHECK(event == NULL);
    FAILS(BAD, "'queue' of ferry_queue_wait()", ferry_queue_wait(NULL, t->event));
    FAILS(BAD, "'event' of ferry_queue_wait()|a ferry_event", ferry_queue_wait(t->queue, NULL));
    FAILS(BAD, "'queue' of ferry_queue_on_complete()", ferry_queue_on_complete(NULL, NULL, NULL));
    FAILS(BAD, "'callback' of ferry_queue_on_complete()", ferry_queue_on_complete(t->queue, NULL, NULL));
    FAILS(BAD, "'queue' of ferry_queue_finish()", ferry_queue_finish(NULL));
    FAILS(BAD, "'queue' of ferry_queue_flush()", ferry_queue_flush(NULL));
    FAILS(BAD, "'queue' of ferry_queue_is_idle()", ferry_queue_is_idle(NULL, &number));
    FAILS(BAD, "'event' of ferry_event_is_ready()", ferry_event_is_ready(NULL, &number));
    FAILS(BAD, "'event' of ferry_event_wait()", ferry_event_wait(NULL));
    FAILS(BAD, "'start' of ferry_event_elapsed()", ferry_event_elapsed(NULL, t->event, &time));
    FAILS(BAD, "'end' of ferry_event_elapsed()", ferry_event_elapsed(t->event, NULL, &time));
    FAILS(BAD, "'program' of ferry_program_explain()|a ferry_program", ferry_program_explain(NULL, &text));
    FAILS(BAD, "'program' of ferry_program_get_log()", ferry_program_get_log(NULL, &text));
    FAILS(BAD, "'program' of ferry_kernel_create()", ferry_kernel_create(NULL, "f", &kernel));
    CHECK(kernel == NULL);
    FAILS(BAD, "'share' of ferry_share_begin()|a ferry_share",
          ferry_share_begin(NULL, t->queue, FERRY_HOST_READS, 0, 1, &access, &pointer));
    CHECK(access == NULL);
    FAILS(BAD, "'share' of ferry_share_get_info()", ferry_share_get_info(NULL, &share));
    FAILS(BAD, "'share' of ferry_share_explain()", ferry_share_explain(NULL, NULL, 0, &size));
    FAILS(BAD, "'share' of ferry_share_end()", ferry_share_end(NULL));
    ferry_buffer_release(NULL);
    ferry_mapping_release(NULL);
    ferry_queue_release(NULL);
    ferry_event_release(NULL);
    ferry_program_release(NULL);
    ferry_kernel_release(NULL);
    ferry_share_release(NULL);
    ferry_access_release(NULL);
}

/* What a cast, or another language, can do. */
static void mixed_handles(const things* t) {
    void* buffer = t->buffer;
    void* queue = t->queue;
    void* event = t->event;
    FAILS(BAD, "'queue' of ferry_queue_finish()|a ferry_buffer|a ferry_queue", ferry_queue_finish(buffer));
    FAILS(BAD, "a ferry_queue|a ferry_event", ferry_event_wait(queue));
    FAILS(BAD, "a ferry_event|a ferry_buffer", ferry_buffer_get_size(event, &size));
    uint64_t nothing[4] = {1, 2, 3, 4};
    void* stranger = nothing;
    FAILS(BAD, "no handle of Ferry's|a ferry_device", ferry_device_trim(stranger, 0, NULL));
    ferry_queue_release(event); /* is let be */
    OK(ferry_event_wait(t->event));
}

static void null_results(const things* t) {
    FAILS(BAD, "'device' of ferry_device_default()", ferry_device_default(NULL));
    FAILS(BAD, "'count' of ferry_devices()", ferry_devices(NULL, 0, NULL));
    FAILS(BAD, "'devices' of ferry_devices()", ferry_devices(NULL, 1, &size));
    FAILS(BAD, "'info' of ferry_device_get_info()", ferry_device_get_info(t->device, NULL));
    FAILS(BAD, "'memory' of ferry_device_get_memory()", ferry_device_get_memory(t->device, NULL));
    FAILS(BAD, "'buffer' of ferry_buffer_create()", ferry_buffer_create(t->device, 1, 0, NULL));
    FAILS(BAD, "'bytes' of ferry_buffer_get_size()", ferry_buffer_get_size(t->buffer, NULL));
    FAILS(BAD, "'address' of ferry_buffer_get_address()", ferry_buffer_get_address(t->buffer, NULL));
    FAILS(BAD, "'queue' of ferry_queue_create()", ferry_queue_create(t->device, NULL, NULL));
    FAILS(BAD, "'event' of ferry_queue_record()", ferry_queue_record(t->queue, NULL));
    FAILS(BAD, "'idle' of ferry_queue_is_idle()", ferry_queue_is_idle(t->queue, NULL));
    FAILS(BAD, "'ready' of ferry_event_is_ready()", ferry_event_is_ready(t->event, NULL));
    FAILS(BAD, "'nanoseconds' of ferry_event_elapsed()", ferry_event_elapsed(t->event, t->event, NULL));
    FAILS(BAD, "'text' of ferry_program_explain()", ferry_program_explain(t->program, NULL));
    FAILS(BAD, "'kernel' of ferry_kernel_create()", ferry_kernel_create(t->program, "invert", NULL));
}

static void numbers(const things* t) {
    ferry_buffer* buffer = NULL;
    ferry_queue* queue = NULL;
    ferry_mapping* mapping = NULL;
    ferry_program* program = NULL;
    ferry_queue_options options = {1, 4};
    FAILS(BAD, "'kind' of ferry_buffer_create() is 3|0 to 2", ferry_buffer_create(t->device, 1, 3, &buffer));
    FAILS(BAD, "'kind' of ferry_buffer_create() is -1", ferry_buffer_create(t->device, 1, -1, &buffer));
    FAILS(BAD, "options->wait|is 4", ferry_queue_create(t->device, &options, &queue));
    FAILS(BAD, "'access'|is 9", ferry_buffer_map(t->buffer, t->queue, 9, 0, 1, &mapping, &pointer));
    FAILS(BAD, "'language'|is 8", ferry_program_create_from_file(t->device, 8, __FILE__, NULL, &program));
    const ferry_source endless = {"x", FERRY_TO_END, NULL, NULL, FERRY_LANGUAGE_SPIRV};
    const ferry_source nothing = {NULL, 1, NULL, NULL, FERRY_LANGUAGE_PTX};
    const char* const defines[] = {"A", NULL};
    const ferry_build_options holes = {defines, 2, NULL, 0, NULL, NULL, NULL, 0, 0, 0};
    const ferry_build_options counted = {NULL, 1, NULL, 0, NULL, NULL, NULL, 0, 0, 0};
    FAILS(BAD, "SPIR-V|FERRY_TO_END", ferry_program_create(t->device, &endless, 1, NULL, &program));
    FAILS(BAD, "'sources'|'data'", ferry_program_create(t->device, &nothing, 1, NULL, &program));
    FAILS(BAD, "'sources'", ferry_program_create(t->device, NULL, 1, NULL, &program));
    FAILS(BAD, "options->defines", ferry_program_create_from_text(t->device, "", &holes, &program));
    FAILS(BAD, "options->defines", ferry_program_create_from_text(t->device, "", &counted, &program));
    FAILS(BAD, "'opencl_c'", ferry_program_create_from_text(t->device, NULL, NULL, &program));
    const char* const hint = "#pragma vendor_hint 3\nkernel void k(global int* a) { a[0] = 1; }\n";
    const ferry_build_options vendors = {NULL, 0, NULL, 0, NULL, NULL, NULL, 0, 0, 1};
    FAILS(FERRY_BUILD_FAILED, "'vendor_hint 3' is not known",
          ferry_program_create_from_text(t->device, hint, NULL, &program));
    const ferry_code taken = ferry_program_create_from_text(t->device, hint, &vendors, &program);
    ferry_device_info info;
    OK(ferry_device_get_info(t->device, &info));
    if (info.backend == FERRY_BACKEND_OPENCL) {
        CHECK(taken == FERRY_OK);
    } else {
        CHECK(taken == FERRY_UNSUPPORTED && strstr(ferry_last_error(), "opencl_only") != NULL);
    }
    ferry_program_release(program);
    FAILS(FERRY_UNAVAILABLE, "/|directory",
          ferry_program_create_from_file(t->device, FERRY_LANGUAGE_OPENCL_C, "/", NULL, &program));
}

static void ranges(const things* t) {
    char byte = 0;
    FAILS(FERRY_OUT_OF_RANGE, "2 bytes|byte 4095|ferry_queue_upload()|4096 bytes",
          ferry_queue_upload(t->queue, &byte, t->buffer, 4095, 2));
    FAILS(FERRY_OUT_OF_RANGE, "byte 4097|4096 bytes",
          ferry_queue_download(t->queue, t->buffer, 4097, &byte, FERRY_TO_END));
    FAILS(FERRY_OUT_OF_RANGE, "byte 8|4096 bytes",
          ferry_queue_copy(t->queue, t->buffer, 8, t->buffer, 0, FERRY_TO_END - 1));
    FAILS(BAD, "overlaps|0 to 16|8 to 24", ferry_queue_copy(t->queue, t->buffer, 0, t->buffer, 8, 16));
    FAILS(BAD, "null pointer", ferry_queue_upload(t->queue, NULL, t->buffer, 0, 1));
    FAILS(BAD, "pattern|3 bytes|4096", ferry_queue_fill(t->queue, t->buffer, 0, FERRY_TO_END, "abc", 3));
    OK(ferry_queue_upload(t->queue, NULL, t->buffer, 4096, 0)); /* nothing at the end is a range too */
    OK(ferry_queue_finish(t->queue));
}

static void launches(const things* t) {
    const ferry_grid grid = ferry_grid_covering(64, 64);
    const ferry_grid none = ferry_grid_covering(64, 0);
    const ferry_argument b = ferry_whole(t->buffer), n = ferry_u32(64);
    ferry_argument a[3] = {b, b, n};
    a[0].kind = 6;
    FAILS(BAD, "Argument 0|kind 6", ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    a[0] = b;
    a[2].type = 12;
    FAILS(BAD, "Argument 2|type 12", ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    a[2].type = FERRY_TYPE_OTHER;
    FAILS(BAD, "Argument 2|scalar", ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    a[2] = ferry_bytes(NULL, 4);
    FAILS(BAD, "Argument 2|4 bytes|null pointer", ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    a[2] = ferry_bytes(&number, 0);
    FAILS(BAD, "Argument 2|0 bytes", ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    a[2] = n;
    a[1] = ferry_range(t->buffer, 4000, 97);
    FAILS(FERRY_OUT_OF_RANGE, "97 bytes|byte 4000|4096 bytes",
          ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    a[1] = ferry_shared(NULL);
    FAILS(BAD, "'arguments'|a ferry_share", ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    a[1] = b;
    FAILS(BAD, "'arguments'", ferry_queue_launch(t->queue, t->kernel, &grid, NULL, 3));
    FAILS(BAD, "'invert' takes 3 arguments, 2", ferry_queue_launch(t->queue, t->kernel, &grid, a, 2));
    ferry_argument many[129];
    for (size_t i = 0; i < 129; ++i) {
        many[i] = n;
    }
    FAILS(BAD, "129 arguments|ferry_queue_launch()|128",
          ferry_queue_launch(t->queue, t->kernel, &grid, many, 129));
    FAILS(BAD, "'invert' takes 3 arguments, 128", ferry_queue_launch(t->queue, t->kernel, &grid, many, 128));
    FAILS(BAD, "arguments|128", ferry_queue_launch(t->queue, t->kernel, &grid, a, SIZE_MAX));
    FAILS(BAD, "'invert'|0x1x1|at least 1", ferry_queue_launch(t->queue, t->kernel, &none, a, 3));
    a[2] = ferry_f64(1);
    FAILS(BAD, "Argument 2|double", ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    const uint32_t items = 64;
    a[2] = ferry_bytes(&items, sizeof items);
    OK(ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    OK(ferry_queue_finish(t->queue));
}

static void shares(const things* t) {
    uint32_t* memory = allocate(8192);
    memset(memory, 0xAA, 8192);
    ferry_share* share = NULL;
    ferry_share_options options = {1.0, 32, 1, 0};
    FAILS(BAD, "null", ferry_share_create(t->device, NULL, 4, FERRY_DEVICE_READS, NULL, &share));
    FAILS(BAD, "'access'|is 3", ferry_share_create(t->device, memory, 4, 3, NULL, &share));
    FAILS(BAD, "placements|32|31", ferry_share_create(t->device, memory, 4, 0, &options, &share));
    options.allowed = 0;
    options.passes = -1;
    FAILS(BAD, "-1|passes", ferry_share_create(t->device, memory, 4, 0, &options, &share));
    options.passes = 1;
    options.versions = 17;
    FAILS(BAD, "17|16", ferry_share_create(t->device, memory, 4, 0, &options, &share));
    options.versions = 1;
    options.pattern = 3;
    FAILS(BAD, "options->pattern|is 3", ferry_share_create(t->device, memory, 4, 0, &options, &share));
    CHECK(share == NULL);
    options.pattern = FERRY_PATTERN_RANDOM;
    options.allowed = 1U << FERRY_PLACEMENT_COPY | 1U << FERRY_PLACEMENT_STAGE;
    OK(ferry_share_create(t->device, memory, 8192, FERRY_DEVICE_UPDATES, &options, &share));
    ferry_access* access = NULL;
    FAILS(FERRY_OUT_OF_RANGE, "8 bytes|byte 8188|8192 bytes|share",
          ferry_share_begin(share, t->queue, FERRY_HOST_READS, 8188, 8, &access, &pointer));
    FAILS(BAD, "'access'|is 3", ferry_share_begin(share, t->queue, 3, 0, 8, &access, &pointer));
    FAILS(BAD, "'queue' of ferry_share_begin()", ferry_share_begin(share, NULL, 0, 0, 8, &access, &pointer));
    FAILS(BAD, "'text'", ferry_share_explain(share, NULL, 1, NULL));
    OK(ferry_share_begin(share, t->queue, FERRY_HOST_UPDATES, 0, FERRY_TO_END, &access, &pointer));
    const ferry_grid grid = ferry_grid_covering(64, 64);
    const ferry_argument a[] = {ferry_whole(t->buffer), ferry_shared(share), ferry_u32(64)};
    FAILS(FERRY_INVALID_STATE, "guard", ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    ferry_access_release(access);
    OK(ferry_queue_launch(t->queue, t->kernel, &grid, a, 3));
    ferry_share_release(share); /* ends it, with what the device did */
    CHECK(memory[0] == 0 && memory[15] == 0 && memory[16] == 0xAAAAAAAAU);
    OK(ferry_share_create(t->device, memory, 8192, FERRY_DEVICE_UPDATES, NULL, &share));
    OK(ferry_share_end(share));
    ferry_argument ended[] = {a[0], a[1], a[2]};
    ended[1] = ferry_shared(share);
    FAILS(FERRY_INVALID_STATE, "ended", ferry_queue_launch(t->queue, t->kernel, &grid, ended, 3));
    ended[1].bytes = 256; /* the same with a range of its own */
    FAILS(FERRY_INVALID_STATE, "ended", ferry_queue_launch(t->queue, t->kernel, &grid, ended, 3));
    ferry_share_release(share);
    free(memory);
}

int main(int argc, char** argv) {
    CHECK(strcmp(ferry_last_error(), "") == 0 && ferry_last_error_details()->code == FERRY_OK);
    things t = {NULL, NULL, NULL, NULL, NULL, NULL};
    t.device = test_device();
    t.program = sample_program(t.device, argc > 1 ? argv[1] : NULL, "01_transfer/transfer.cl");
    t.kernel = kernel_of(t.program, "invert");
    OK(ferry_queue_create(t.device, NULL, &t.queue));
    OK(ferry_buffer_create(t.device, 4096, FERRY_MEMORY_DEVICE, &t.buffer));
    const uint32_t zero = 0;
    OK(ferry_queue_fill(t.queue, t.buffer, 0, FERRY_TO_END, &zero, sizeof zero));
    OK(ferry_queue_record(t.queue, &t.event));
    null_handles(&t);
    mixed_handles(&t);
    null_results(&t);
    numbers(&t);
    ranges(&t);
    launches(&t);
    shares(&t);
    ferry_event_release(t.event);
    ferry_buffer_release(t.buffer);
    ferry_queue_release(t.queue);
    ferry_kernel_release(t.kernel);
    ferry_program_release(t.program);
    expect_nothing_left(t.device);
    return 0;
}
