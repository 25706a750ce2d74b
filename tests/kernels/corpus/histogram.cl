// SPDX-License-Identifier: Apache-2.0
#define BINS 37
inline void add_float(volatile __global float* to, float value) {
    union { uint bits; float number; } old, sum;
    do {
        old.number = *to;
        sum.number = old.number + value;
    } while (atomic_cmpxchg((volatile __global uint*)to, old.bits, sum.bits) != old.bits);
}
__kernel void histogram(__global const uint* in, volatile __global uint* counts, volatile __global float* weights,
                        uint n) {
    __local uint mine[BINS];
    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
        mine[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        atomic_inc(&mine[in[i] % BINS]);
        add_float(&weights[in[i] % BINS], (float)(in[i] % 8u));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
        if (mine[i] != 0)
            atomic_add(&counts[i], mine[i]);
}
