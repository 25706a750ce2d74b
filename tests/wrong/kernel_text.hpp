// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wrong {

/// The kernels of the wrong programs, and of programs that are only just right.
inline constexpr const char* text = R"(
__kernel void slow(__global const uint* in, __global uint* out) {
    uint v = in[get_global_id(0)];
    for (uint r = 0; r < 200000; ++r) v = (v ^ (v >> 7)) * 1664525u + 1013904223u;
    out[get_global_id(0)] = v;
}
__kernel void add(__global uint* data, uint value) { data[get_global_id(0)] += value; }
__kernel void next(__global const uint* in, __global uint* out) {
    uint i = get_global_id(0);
    out[i] = in[i] + in[i + 64];
}
__kernel void beyond(__global uint* out) { out[get_global_id(0) + 64] = 1; }
__kernel void casts(__global const uint* in) { ((__global uint*)in)[get_global_id(0)] = 1; }
__kernel void no_barrier(__global uint* data, __local uint* part) {
    uint l = get_local_id(0), n = get_local_size(0);
    part[l] = data[get_global_id(0)];
    data[get_global_id(0)] = part[n - 1 - l];
}
__kernel void no_second_barrier(__global uint* data) {
    __local uint part[100];
    uint l = get_local_id(0);
    part[l] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < 100; step *= 2) part[l] += part[(l + step) % 100];
    data[get_global_id(0)] = part[l];
}
__kernel void unwritten_part(__global uint* data) {
    __local uint part[100];
    uint l = get_local_id(0);
    if (l != 17) part[l] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = part[l];
}
__kernel void in_place(__global uint* data) {
    uint i = get_global_id(0);
    data[i] = data[(i + 100) % get_global_size(0)] + i;
}
__kernel void divides(__global uint* data, int zero) {
    int i = get_global_id(0);
    data[i] = i != 7 ? 1 : i / zero;
}
__kernel void divides_the_least(__global uint* data, int least) {
    int i = get_global_id(0);
    data[i] = least % (i - 13);
}
__kernel void local_beyond(__global uint* data, __local uint* part) {
    part[get_local_id(0) + 1] = data[get_global_id(0)];
}
)";

} // namespace wrong
