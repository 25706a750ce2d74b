// SPDX-License-Identifier: Apache-2.0
__kernel void look(__global const int* bits, __global int* out) {
    const char c = bits[0];
    out[0] = isnan(as_float(bits[1])) + 2 * (c < 0);
}
