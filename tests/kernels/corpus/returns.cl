// SPDX-License-Identifier: Apache-2.0
// Whole groups return early. Later code must not run for them, and no loop must continue without them.

__kernel void left_loop(__global int* out, __local int* t, int n) {
    const int l = get_local_id(0), size = get_local_size(0);
    int i = 0;
    out[get_global_id(0)] = -1;
    if ((int)get_group_id(0) >= n) return;
    while (1) {
        t[l] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (++i > 3) break;
    }
    out[get_global_id(0)] = 10 * i + t[size - 1 - l];
}

__kernel void left_step(__global int* out, __local int* t, int n) {
    const int l = get_local_id(0), size = get_local_size(0), g = get_global_id(0);
    out[g] = -1;
    if (n == 0) return;
    int s = 0;
    for (int i = 0; i < 6; i += n) {
        t[l] = l + i;
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[size - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = s;
}

__kernel void left_division(__global int* out, __local int* t, int n) {
    const int l = get_local_id(0), size = get_local_size(0), g = get_global_id(0);
    out[g] = 7;
    if (n == 0) return;
    int q = 100 / n;
    t[l] = l * q;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (q > 3) barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i != 100 % n; i++) {
        out[g] += i;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[g] += t[size - 1 - l] + q;
}

// The pointers' targets are volatile, and the pointers stay across the barrier.
__kernel void kept_volatile(__global int* out, __local int* t, int n) {
    const int l = get_local_id(0), size = get_local_size(0);
    volatile __local int* p = t;
    p += l;
    *p = l * n;
    volatile __local const int* q = t + (size - 1 - l);
    volatile __global int* volatile to = (volatile __global int*)out + get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    *to = *p * 1000 + *q;
}
