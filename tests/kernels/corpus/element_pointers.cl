// SPDX-License-Identifier: Apache-2.0
/* Pointers to a vector and to an array become pointers to their elements without a cast. */
int last(const int* values, int n) { return values[n - 1]; }
__kernel void elements_of(__global const int4* in, __global int* out) {
    const int i = get_global_id(0);
    __global int* to = out + 4 * i;
    int4 v = in[i];
    int* lanes = &v;
    to[0] = lanes[i & 3];
    lanes[(i + 1) & 3] = 7;
    to[1] = v.x + 3 * v.y + 5 * v.z + 9 * v.w;
    int three[3];
    for (int k = 0; k < 3; ++k)
        three[k] = v.w + k;
    to[2] = last(&three, 3);
    to[3] = last(&v, 2);
}
