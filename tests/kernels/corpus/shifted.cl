// SPDX-License-Identifier: Apache-2.0
// Compound shifts by counts unknown to the compiler: their values, also in components.
__kernel void shifted(__global const uint4* in, __global const uint* counts, __global uint4* out, uint n) {
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    const uint by = counts[i];
    uint4 v = in[i];
    const uint2 first = v.yx <<= by;
    const uint2 second = v.hi >>= by;
    volatile uint4 w = in[i];
    w >>= by;
    w.x <<= by;
    uchar c = (uchar)in[i].w;
    int wide = in[i].z;
    const int byte = c <<= by;
    const uint again = (wide >>= by) ^ (wide == -1 ? 0 : wide);
    out[4 * i] = v;
    out[4 * i + 1] = (uint4)(first, second);
    out[4 * i + 2] = w;
    out[4 * i + 3] = (uint4)((uint)byte, c, (uint)wide, again);
}
