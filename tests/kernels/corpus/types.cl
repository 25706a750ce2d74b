// SPDX-License-Identifier: Apache-2.0
typedef union { uint word; uchar bytes[4]; float number; ushort2 halves; } view;
enum color { red, green = 5, blue };
typedef struct { char c; int3 three; char d; } padded;
typedef struct __attribute__((packed)) { char c; int i; } packed;
__kernel void types(__global const uint* in, __global long* out) {
    const size_t i = get_global_id(0);
    __global long* to = out + 24 * i;
    view v;
    v.word = in[i];
    enum color c = (in[i] & 1) ? green : blue;
    const char negative = (char)0x80;
    const uchar big = 200, sum = big + big;
    to[0] = sizeof(long);
    to[1] = sizeof('a');
    to[2] = sizeof(size_t) == sizeof(void*);
    to[3] = sizeof(float3);
    to[4] = sizeof(padded);
    to[5] = sizeof(packed);
    to[6] = v.bytes[0] + 256 * v.bytes[3];
    to[7] = v.halves.y;
    to[8] = c;
    to[9] = negative;
    to[10] = sum;
    to[11] = big + big;
    to[12] = 'a' + '\n' + '\x41' + '\0';
    to[13] = 0x7fffffff + 1u;
    to[14] = 2147483648 - 1;
    to[15] = (long)(in[i] * in[i]) + (long)((ulong)in[i] * in[i] >> 32);
    to[16] = -1 < 1u;
    to[17] = (short)in[i] >> 3;
    to[18] = (uint)-1 / 2 + (int)(uchar)(in[i] >> 4);
    to[19] = 10 % 3 * -7 / 2 + -7 % 3;
    to[20] = 1.5 > 1 ? as_int(1.5f) : 0;
    to[21] = (int)-1.9f + (int)1.9f + (int)(bool)0.1f;
    to[22] = ~0UL >> (in[i] & 63);
    to[23] = 010 + 0xFFUL + (ulong)123456789012345;
}
