// SPDX-License-Identifier: Apache-2.0
/* A choice of two narrow integers is an int, whatever brackets are around it: MIN(a, b) of uchars has 32 bits. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
kernel void promoted(global const int* in, global int* out) {
    const int i = (int)get_global_id(0);
    const uchar x = (uchar)in[2 * i], y = (uchar)in[2 * i + 1];
    const char c = (char)in[2 * i], d = (char)in[2 * i + 1];
    const short s = (short)in[2 * i];
    global int* to = out + 16 * i;
    to[0] = clz(MIN(x, y));
    to[1] = popcount(MIN(c, d));
    to[2] = rotate(MIN(x, y), 4);
    to[3] = add_sat(MIN(x, y), MIN(x, y));
    to[4] = mul_hi(MIN(c, d), MIN(s, c));
    to[5] = (int)(sizeof(MIN(x, y)) + 10 * sizeof((x < y)) + 100 * sizeof((MIN(c, s))) + 1000 * sizeof(x));
    to[6] = clz((i, MIN(x, y)));
    to[7] = (int)as_uint(MIN(c, d));
    to[8] = clz((uchar)(x < y ? x : y));
    to[9] = clz((uchar)MIN(x, y));
    to[10] = clz(i & 1 ? MIN(x, y) : y);
    to[11] = abs(MIN(c, d)) == abs(d) ? 1 : 2;
    to[12] = clz(MIN(MIN(x, y), y));
    to[13] = clz((x < y)) + clz(MIN(x, y) + 1);
    to[14] = (int)max(MIN(x, y), i);
    to[15] = clz(x);
}
