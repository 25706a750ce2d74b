/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char* file, int line, const char* what, const char* call, const char* message) {
    fprintf(stderr, "%s:%d: %s: %s %s\n", file, line, what, call, message);
    exit(1);
}

void check(int condition, const char* words, const char* file, int line) {
    if (!condition) {
        fail(file, line, "does not hold", words, "");
    }
}

void check_ok(ferry_code code, const char* call, const char* file, int line) {
    if (code != FERRY_OK) {
        fail(file, line, ferry_code_name(code), call, ferry_last_error());
    }
}

void check_fails(ferry_code code, ferry_code expected, const char* words, const char* call, const char* file,
                 int line) {
    const ferry_error* error = ferry_last_error_details();
    if (code != expected || error->code != code || strcmp(error->message, ferry_last_error()) != 0) {
        fail(file, line, ferry_code_name(code), call, ferry_last_error());
    }
    while (*words != '\0') {
        const size_t length = strcspn(words, "|");
        char word[200];
        check(length < sizeof word, words, file, line);
        memcpy(word, words, length);
        word[length] = '\0';
        if (strstr(error->message, word) == NULL) {
            fail(file, line, "lacks a word of the message", word, error->message);
        }
        words += length + (words[length] == '|');
    }
}

ferry_device* test_device(void) {
    const char* expected = getenv("FERRY_EXPECT_DEVICE");
    ferry_device* device = NULL;
    ferry_device_info info;
    OK(ferry_device_default(&device));
    OK(ferry_device_get_info(device, &info));
    uint64_t number = 1234567;
    OK(ferry_device_get_number(device, "max_group_size", &number));
    CHECK(number == info.max_group_size && number != 0);
    OK(ferry_device_get_number(device, "fp64", &number));
    CHECK(number == (uint64_t)info.fp64);
    printf("%s: %s\n", info.id, info.name);
    if (expected != NULL && strstr(info.id, expected) == NULL && strstr(info.name, expected) == NULL &&
        strstr(info.platform, expected) == NULL) {
        fail(__FILE__, __LINE__, "the device is not the expected one", expected, info.name);
    }
    return device;
}

ferry_program* sample_program(ferry_device* device, const char* samples, const char* file) {
    char path[1000];
    ferry_program* program = NULL;
    CHECK(samples != NULL && snprintf(path, sizeof path, "%s/%s", samples, file) < (int)sizeof path);
    OK(ferry_program_create_from_file(device, FERRY_LANGUAGE_OPENCL_C, path, NULL, &program));
    return program;
}

ferry_kernel* kernel_of(ferry_program* program, const char* name) {
    ferry_kernel* kernel = NULL;
    OK(ferry_kernel_create(program, name, &kernel));
    return kernel;
}

ferry_grid cover(ferry_device* device, size_t items) {
    CHECK(device != NULL);
    return ferry_grid_of_items(items, 1, 1);
}

void* allocate(size_t bytes) {
    void* memory = calloc(bytes, 1);
    CHECK(memory != NULL);
    return memory;
}

uint32_t next_random(uint32_t* state) {
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

void expect_nothing_left(ferry_device* device) {
    ferry_memory_info memory;
    OK(ferry_device_get_memory(device, &memory));
    if (memory.used_here != 0) {
        fprintf(stderr, "%llu bytes are left on the device\n", (unsigned long long)memory.used_here);
        exit(1);
    }
}
