// SPDX-License-Identifier: Apache-2.0
__kernel void invert(__global const uchar* in, __global uchar* out, uint count) {
    size_t i = get_global_id(0);
    if (i < count) {
        out[i] = ~in[i];
    }
}
