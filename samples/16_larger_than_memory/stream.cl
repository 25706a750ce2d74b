// SPDX-License-Identifier: Apache-2.0
__kernel void scramble(__global uint* data, uint n, uint first, uint rounds) {
    const uint i = get_global_id(0);
    if (i < n) {
        uint x = data[i] + first + i;
        for (uint r = 0; r < rounds; ++r) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        data[i] = x;
    }
}
