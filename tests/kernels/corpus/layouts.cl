// SPDX-License-Identifier: Apache-2.0
// Struct layouts set by #pragma pack and attributes, read from bytes of the host; macros that must be kept.
#pragma pack(push, 1)
typedef struct {
    uchar tag;
    uint value;
    struct {
        ushort low;
        ulong high;
    } part[2];
    union {
        int i;
        uchar bytes[3];
    } both;
} tight;
#pragma pack(2)
typedef struct {
    uchar tag;
    uint value;
    tight inner;
    ulong last;
} pairs;
#pragma pack(push)
#pragma pack()
typedef struct {
    uchar tag;
    ulong value;
} plain;
#pragma pack(pop)
typedef struct {
    uchar tag;
    plain inner;
} holder;
#pragma pack(pop)
_Pragma("pack(push, 4)") typedef struct {
    uchar tag;
    ulong value;
} four;
_Pragma("pack(pop)") typedef struct {
    uchar tag;
    ulong value;
} after;
typedef struct __attribute((__packed__, unused)) {
    uchar tag;
    ushort wide __attribute__((aligned(4)));
    uint value;
} attributed;

// Compilers that only compile check the sizes too.
typedef char check_tight[sizeof(tight) == 29 ? 1 : -1];
typedef char check_pairs[sizeof(pairs) == 44 ? 1 : -1];
typedef char check_holder[sizeof(holder) == 18 ? 1 : -1];
typedef char check_four[sizeof(four) == 12 ? 1 : -1];
typedef char check_attributed[sizeof(attributed) == 12 ? 1 : -1];

#define WHICH 1
#pragma push_macro("WHICH")
#undef WHICH
#define WHICH 2
enum { inside = WHICH };
_Pragma("pop_macro(\"WHICH\")")

__kernel void sizes(__global uint* out) {
    out[0] = sizeof(tight);
    out[1] = sizeof(pairs);
    out[2] = sizeof(plain);
    out[3] = sizeof(holder);
    out[4] = sizeof(four);
    out[5] = sizeof(after);
    out[6] = sizeof(attributed);
    out[7] = inside * 10 + WHICH;
}

__kernel void unpack(__global const pairs* in, __global const attributed* more, __global ulong* out, tight by_value) {
    const uint i = get_global_id(0);
    __global ulong* o = out + 10 * i;
    const tight t = in[i].inner;
    o[0] = in[i].tag;
    o[1] = in[i].value;
    o[2] = t.tag + ((ulong)t.value << 8);
    o[3] = t.part[0].low;
    o[4] = t.part[0].high;
    o[5] = t.part[1].low + t.part[1].high;
    o[6] = (ulong)t.both.i;
    o[7] = in[i].last;
    o[8] = more[i].tag + ((ulong)more[i].wide << 8) + ((ulong)more[i].value << 24);
    o[9] = by_value.part[1].high ^ by_value.value;
}

// Members with the names of swizzles, next to vectors.
typedef struct {
    float s0;
    float s1;
} complex;
typedef struct {
    float x;
    complex lo;
    float sA;
} mixed;

__kernel void members(__global complex* a, __global const float2* b, __global mixed* m) {
    const uint i = get_global_id(0);
    const complex c = a[i];
    const float2 f = b[i];
    a[i].s0 = c.s0 * f.x - c.s1 * f.y;
    a[i].s1 = c.s0 * f.s1 + c.s1 * f.s0;
    m[i].x = f.x + m[i].sA;
    m[i].lo.s1 += f.y;
    m[i].lo.s0 = m[i].lo.s1 - c.s0;
    m[i].sA -= 1.0f;
}
