/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What libferry_hip_cpu*.so exports for tests beside HIP's functions, and libferry_opencl_12.so the first of
 * it beside OpenCL's; a test looks the names up with dlsym. The environment variables FERRY_DOUBLE_... are in
 * README.md. All functions may be called from any thread.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Live objects of the process. An object that was destroyed while commands still use it is not live. */
struct ferry_double_live_objects {
    unsigned long long allocations, bytes; /* of every kind of memory */
    unsigned long long streams, events, modules;
    unsigned long long programs; /* of the run-time compiler */
    unsigned long long graphs;   /* and executable ones */
    unsigned long long
        overruns; /* device memory that was found written before or after an allocation, in all */
    unsigned long long
        wild; /* copies, fills and frees refused because the addresses are not of one allocation */
};

/* Replaces the faults that are set and starts their counts again; null or "" clears them. False if `spec` is
 * not understood (then nothing changes). Grammar in README.md. */
typedef int ferry_double_inject_function(const char* spec);

/* Calls of a function since the library was opened or the counts were reset by a null `symbol`; -1 if this
 * library has no such function. */
typedef long long ferry_double_calls_function(const char* symbol);

/* An argument of the last successful call of a hint, which has no visible effect, by its index: of a stream
 * with a priority 0: the priority; of a prefetch 0: bytes, 1: device; of advice 0: bytes, 1: advice, 2:
 * device; of an occupancy query 0: group size, 1: local bytes. */
typedef long long ferry_double_argument_function(const char* symbol, int index);

typedef struct ferry_double_live_objects ferry_double_live_function(void);

/* Whether there is memory at an address. Unlike a call that is given the address it counts as nothing wild.
 */
typedef int ferry_double_lives_function(const void* address);

/* The names of the table's functions that this library has, from index 0; null after the last. */
typedef const char* ferry_double_symbol_function(int index);

#ifdef __cplusplus
}
#endif
