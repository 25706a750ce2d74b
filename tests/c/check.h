/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <ferry/ferry.h>

/* Ends the program with the place and the words unless the condition holds. */
void check(int condition, const char* words, const char* file, int line);
void check_ok(ferry_code code, const char* call, const char* file, int line);
/* The call failed with this code, and with a message that has all the words in it: separated by '|'. */
void check_fails(ferry_code code, ferry_code expected, const char* words, const char* call, const char* file,
                 int line);

#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)
#define OK(call) check_ok(call, #call, __FILE__, __LINE__)
#define FAILS(expected, words, call) check_fails(call, expected, words, #call, __FILE__, __LINE__)

/* The device that the test is for: FERRY_EXPECT_DEVICE is a part of its id, name or platform. */
ferry_device* test_device(void);
/* The kernels of a file in the folder of the samples, argv[1] of every test. */
ferry_program* sample_program(ferry_device* device, const char* samples, const char* file);
ferry_kernel* kernel_of(ferry_program* program, const char* name);
/* Groups of at most 256 that cover `items`. */
ferry_grid cover(ferry_device* device, size_t items);
void* allocate(size_t bytes);
/* Numbers that are always the same. */
uint32_t next_random(uint32_t* state);
/* Nothing of Ferry's memory on the device is in use. */
void expect_nothing_left(ferry_device* device);
