// SPDX-License-Identifier: Apache-2.0
__kernel void increment(__global uint* data, uint n) {
    const uint i = get_global_id(0);
    if (i < n) {
        data[i] += 1;
    }
}
