// SPDX-License-Identifier: Apache-2.0
// A work-item takes every `stride`th element, so that a fixed grid goes over any size. What it read goes into `out`.
__kernel void read_all(__global const uint* in, __global uint* out, ulong n) {
    const ulong stride = get_global_size(0);
    uint sum = 0;
    for (ulong i = get_global_id(0); i < n; i += stride) {
        sum += in[i];
    }
    out[get_global_id(0)] = sum;
}

__kernel void read_sparse(__global const uint* in, __global uint* out, ulong n) {
    const ulong stride = get_global_size(0) * 100;
    uint sum = 0;
    for (ulong i = get_global_id(0) * 100; i < n; i += stride) {
        sum += in[i];
    }
    out[get_global_id(0)] = sum;
}

// n is a power of two: an odd factor visits each element once.
__kernel void read_random(__global const uint* in, __global uint* out, ulong n) {
    const ulong stride = get_global_size(0);
    uint sum = 0;
    for (ulong i = get_global_id(0); i < n; i += stride) {
        sum += in[(i * 2654435761UL) & (n - 1)];
    }
    out[get_global_id(0)] = sum;
}

__kernel void update(__global uint* data, ulong n) {
    const ulong stride = get_global_size(0);
    for (ulong i = get_global_id(0); i < n; i += stride) {
        data[i] += 1;
    }
}

__kernel void write_all(__global uint* data, ulong n) {
    const ulong stride = get_global_size(0);
    for (ulong i = get_global_id(0); i < n; i += stride) {
        data[i] = (uint)i;
    }
}
