// SPDX-License-Identifier: Apache-2.0
// Makes the next generation of every value.
__kernel void advance(__global const uint* from, __global uint* to, uint count) {
    size_t i = get_global_id(0);
    if (i < count) {
        uint x = from[i];
        for (int r = 0; r < 32; ++r) {
            x = x * 1664525u + 1013904223u;
        }
        to[i] = x;
    }
}

// Folds a generation into the running digest.
__kernel void digest(__global const uint* values, __global uint* digests, uint count) {
    size_t i = get_global_id(0);
    if (i < count) {
        digests[i] = (digests[i] << 5 | digests[i] >> 27) ^ values[i];
    }
}
