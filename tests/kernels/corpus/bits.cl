// SPDX-License-Identifier: Apache-2.0
__kernel void bits(__global const uint* a, __global const ulong* b, __global uint* u, __global ulong* l) {
    const size_t i = get_global_id(0);
    const uint x = a[i];
    const ulong y = b[i];
    u[4 * i] = rotate(x, (uint)y) ^ popcount(x);
    u[4 * i + 1] = mul_hi(x, (uint)(y >> 32)) + clz(x);
    u[4 * i + 2] = (uint)add_sat((int)x, (int)(uint)y) ^ hadd(x, (uint)y);
    u[4 * i + 3] = x << (uint)(y & 63) | (x >> 5);
    l[3 * i] = rotate(y, (ulong)x) + mul_hi(y, (ulong)x * y);
    l[3 * i + 1] = upsample(x, (uint)y) ^ abs_diff(y, (ulong)x);
    l[3 * i + 2] = (y << x) + (ulong)((long)y >> (x & 31)) + clz(y);
}
