// SPDX-License-Identifier: Apache-2.0
/* Kernels that call kernels, array parameters, a typedef of a pointer with restrict, and __has_builtin. */
#if defined(cl_khr_no_such_extension)
#define LARGER(a, b) (a)
#elif __has_builtin(__builtin_no_such_function)
#define LARGER(a, b) (b)
#else
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#endif
typedef __global int* restrict row;
__kernel void advance(row data, int by) { data[get_global_id(0)] += by; }
__kernel void advance_twice(row data, int by) {
    advance(data, by);
    advance(data, 10 * LARGER(by, 3));
}
__kernel void turned(__global int out[], __global const int in[], __local int kept[]) {
    const int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
    kept[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = kept[n - 1 - l];
}
