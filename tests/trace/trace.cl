// SPDX-License-Identifier: Apache-2.0
__kernel void advance(__global uint* data, uint n) {
    uint i = get_global_id(0);
    if (i < n) {
        data[i] += 1;
    }
}

__kernel void spin(__global uint* data, uint rounds) {
    uint x = data[0] + get_global_id(0);
    for (uint r = 0; r < rounds; ++r) {
        x = (x ^ (x >> 7)) * 1664525u + 1013904223u;
    }
    data[get_global_id(0)] = x;
}
