// SPDX-License-Identifier: Apache-2.0
__kernel void twice_plus_one(__global const uint* in, __global uint* out, uint n) {
    const uint i = get_global_id(0);
    if (i < n) {
        out[i] = 2 * in[i] + 1;
    }
}
