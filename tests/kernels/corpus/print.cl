// SPDX-License-Identifier: Apache-2.0
__kernel void print(__global const int* in, __global int* out) {
    const size_t i = get_global_id(0);
    out[i] = in[i] + 1;
    if (i == 0) {
        printf("The kernel prints %d, %5.2f, %s and %c%%\n", in[i], 1.5f, "a text", 'x');
        printf("vectors %v4hld and %v2hlf\n", (int4)(1, -2, 3, in[1]), (float2)(0.5f, 2.0f));
    }
}
