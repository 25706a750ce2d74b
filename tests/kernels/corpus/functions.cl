// SPDX-License-Identifier: Apache-2.0
__constant int bias = 3;
void fill(__local int* to, const int value) {
    to[get_local_id(0)] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
}
int total(__local int* a, uint size) {
    for (uint s = size / 2; s > 0; s >>= 1) {
        if (get_local_id(0) < s)
            a[get_local_id(0)] += a[get_local_id(0) + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const int sum = a[0];
    if (sum < 0)
        return -sum;
    int more = bias;
    return sum + more;
}
int both(__local int* a, int value, uint size) {
    fill(a, value);
    int sum = 2 * total(a, size) + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}
__kernel void functions(__global const int* in, __global int* out, __local int* scratch) {
    const uint size = get_local_size(0);
    const size_t i = get_global_id(0);
    int sum = in[i];
    if (size > 1)
        sum ^= both(scratch, sum, size);
    else
        sum = bias;
    fill(scratch, sum);
    const int4 v = (int4)(sum, in[i], sum + 1, -in[i]);
    int4 w = v > 0 ? v : -v;
    w.xz++;
    out[2 * i] = scratch[size - 1 - get_local_id(0)];
    out[2 * i + 1] = w.x + 2 * w.y + 3 * w.z + 4 * w.w;
}
