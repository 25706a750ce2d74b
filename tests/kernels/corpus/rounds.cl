// SPDX-License-Identifier: Apache-2.0
/* A loop made of goto: all work-items of the group take it, and there are barriers behind its label. */
__kernel void rounds(__global int* data, __local int* kept, int last) {
    const int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
    int k = 0;
again:
    kept[l] = data[i] + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = kept[(l + 1) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (++k < last)
        goto again;
}
