// SPDX-License-Identifier: Apache-2.0
// data[i] += more[i] + add, for i < n. Has four arguments, and the sum shows how often it ran.
__kernel void bump(__global uint* data, __global const uint* more, uint add, uint n) {
    uint i = get_global_id(0);
    if (i < n) {
        data[i] += more[i] + add;
    }
}

// The run time is proportional to `rounds`, so that commands enqueued after it wait.
__kernel void hold(__global uint* out, uint rounds) {
    uint x = get_global_id(0) + out[0];
    for (uint r = 0; r < rounds; ++r) {
        x = (x ^ (x >> 7)) * 1664525u + 1013904223u;
    }
    out[0] = x;
}

// The operations of BabelStream. A work-item handles one float4, and the grid size is exact.
#define SCALAR 3.0f

__kernel void stream_copy(__global const float4* a, __global float4* c) {
    size_t i = get_global_id(0);
    c[i] = a[i];
}

__kernel void stream_mul(__global float4* b, __global const float4* c) {
    size_t i = get_global_id(0);
    b[i] = SCALAR * c[i];
}

__kernel void stream_add(__global const float4* a, __global const float4* b, __global float4* c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

__kernel void stream_triad(__global float4* a, __global const float4* b, __global const float4* c) {
    size_t i = get_global_id(0);
    a[i] = b[i] + SCALAR * c[i];
}

// One sum for each group of 256. Work-items stride over the arrays of n float4 each.
__kernel void stream_dot(__global const float4* a, __global const float4* b, __global float* sums, uint n) {
    __local float part[256];
    uint l = get_local_id(0);
    float4 sum = (float4)(0.0f);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        sum += a[i] * b[i];
    }
    part[l] = sum.x + sum.y + sum.z + sum.w;
    for (uint half_size = 128; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_size) {
            part[l] += part[l + half_size];
        }
    }
    if (l == 0) {
        sums[get_group_id(0)] = part[0];
    }
}

// Adds touch_of_device(i) to each word of memory that the host also changes. Four words for each work-item.
__kernel void touch(__global uint4* words) {
    size_t i = get_global_id(0);
    words[i] += (uint)i + 7u;
}
