// SPDX-License-Identifier: Apache-2.0
/* C converts pointers without a cast: from void, between signed and unsigned, without const. */
void copy_bytes(void* to, const void* from, int n) {
    char* t = to;
    const char* f = from;
    while (n-- > 0)
        *t++ = *f++;
}
int weighted(uint* values, int n) {
    uint sum = 0;
    for (int k = 0; k < n; ++k)
        sum += (k + 1) * values[k];
    return (int)sum;
}
__kernel void converted(__global const int* in, __global int* out, int n) {
    const int i = get_global_id(0);
    __global int* from = in;
    __global uint* to = out + 2 * i;
    const int own = from[i];
    int copy;
    copy_bytes(&copy, &own, sizeof(copy));
    int three[3];
    for (int k = 0; k < 3; ++k)
        three[k] = from[(i + k) % n];
    to[0] = copy;
    to[1] = weighted(three, 3);
}
