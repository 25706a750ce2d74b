// SPDX-License-Identifier: Apache-2.0
__kernel void scramble(__global uint* data, uint count, uint rounds) {
    size_t i = get_global_id(0);
    if (i < count) {
        uint x = data[i];
        for (uint r = 0; r < rounds; ++r) {
            x = x * 1664525u + 1013904223u;
            x ^= x >> 15;
        }
        data[i] = x;
    }
}
