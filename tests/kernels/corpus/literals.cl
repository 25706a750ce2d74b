// SPDX-License-Identifier: Apache-2.0
/* Of a random kernel over which clang 14 and 15 crash: a vector literal that begins with a constant vector and goes on with
   a swizzle of something calculated. */
__kernel void literals(__global const ulong* in, __global ulong* out) {
    const ulong4 v = vload4(get_global_id(0), in);
    vstore4((ulong4)((ulong2)7UL, (v + v).yx), get_global_id(0), out);
}
