// SPDX-License-Identifier: Apache-2.0
__kernel void power(__global uint* data, uint count, uint exponent) {
    size_t i = get_global_id(0);
    if (i < count) {
        uint base = data[i];
        uint x = 1;
        for (uint k = 0; k < exponent; ++k) {
            x *= base;
        }
        data[i] = x;
    }
}
