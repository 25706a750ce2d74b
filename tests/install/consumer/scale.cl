// SPDX-License-Identifier: Apache-2.0
__kernel void scale(__global float* x, float factor, uint n) {
    uint i = get_global_id(0);
    if (i < n) {
        x[i] *= factor;
    }
}
