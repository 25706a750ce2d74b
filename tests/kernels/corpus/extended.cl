// SPDX-License-Identifier: Apache-2.0
// Comparisons of numbers that were extended to 64 bits with constants, a bit for each.
#define BITS(x) \
    ((x) < 0) | ((x) < 5) << 1 | ((x) < -5) << 2 | ((x) > 0) << 3 | ((x) > 5) << 4 | ((x) > -6) << 5 | \
        ((x) <= 0) << 6 | ((x) >= 0) << 7 | ((x) == 5) << 8 | ((x) != -5) << 9 | \
        ((x) < 2147483648L) << 10 | ((x) > -2147483649L) << 11 | (convert_uchar_sat(x) == 0) << 12
__kernel void extended(__global const int* in, __global int* out) {
    const size_t i = get_global_id(0);
    const int n = in[i];
    const uint u = (uint)n;
    const short s = (short)n;
    const long from_int = n;
    const long from_uint = u;
    const long from_short = s;
    const long2 v = convert_long2((int2)(n));
    out[4 * i] = BITS(from_int);
    out[4 * i + 1] = BITS(from_uint);
    out[4 * i + 2] = BITS(from_short);
    out[4 * i + 3] = BITS(v.y);
}
