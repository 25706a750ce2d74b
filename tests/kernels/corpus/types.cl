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
/* c ? a : b of two narrow integers is an int, which shows where the type chooses a function. */
int own(char x) { return x; }
__kernel void chosen(__global const int* in, __global int* out) {
    const size_t i = get_global_id(0);
    const int v = in[i];
    const char c = (char)v, d = (char)(v >> 8);
    const uchar uc = (uchar)v, ud = (uchar)(v >> 8);
    const short s = (short)v, t = (short)(v >> 16);
    const ushort us = (ushort)v, ut = (ushort)(v >> 16);
    const bool left = (v >> 24) & 1;
    const float2 pair = (float2)(c, d);
    __global int* to = out + 16 * i;
    to[0] = popcount(left ? c : d);
    to[1] = clz(left ? uc : ud);
    to[2] = popcount(left ? s : t);
    to[3] = clz(left ? us : ut);
    to[4] = (int)rotate(left ? c : d, 4);
    to[5] = sizeof(left ? c : d) + 16 * sizeof(left ? us : ut) + 256 * sizeof(left ? (long)c : d);
    to[6] = popcount(left ? (v & 1 ? c : d) : d);
    to[7] = own(left ? c : d);
    to[8] = (int)mad_hi(left ? s : t, left ? t : s, left ? c : d);
    to[9] = abs_diff(left ? c : d, left ? d : c) > 127;
    to[10] = popcount(left ? c : v);
    to[11] = (int)fmax(left ? pair.x : pair.y, 0.0f);
    const char2 both = (char2)(left ? c : d, d);
    to[12] = both.x + 1000 * both.y;
    to[13] = hadd(left ? uc : ud, 255);
    to[14] = clz((uchar)(left ? uc : ud));
    if (left)
        to[15] = 1;
    else (left ? own(c) : (to[15] = clz(v & 1 ? us : ut)));
}
