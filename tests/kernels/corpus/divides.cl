// SPDX-License-Identifier: Apache-2.0
// Integer division in every syntactic place that C allows.
#define LANES 12
#define PER(n) (96 / (n))

enum { third = PER(3) / 2, rest = 17 % (PER(32) + 1), big = (LANES * 3) / (LANES / 4) };
__constant int table[PER(24) / 2] = {100 / PER(96 / 7), -100 % PER(8)};
__constant int scale = 1000 / (PER(8) - 2);

typedef struct { int x; short s; uchar c; } plain;
typedef struct __attribute__((packed)) { char c; int x; short s; } packed;

int divide(int a, int b) { return a / b; }
int classify(int n) {
    switch (n) {
    case 64 / (LANES - 8): return 1;
    case -7 % (LANES / 4): return 2;
    default: return 3;
    }
}

__kernel void forms(__global const int* a, __global const int* b, __global int* out) {
    size_t g = get_global_id(0);
    const int x = a[g], y = b[g];
    const uint ux = x, uy = y;
    __global int* o = out + g * 24;
    volatile int kept = x;
    const int* p = &y;
    int local_array[96 / (LANES - 4)];
    local_array[sizeof(local_array) / sizeof(local_array[0]) - 1] = x;
    plain s = {x, (short)x, (uchar)x};
    packed k[2] = {{1, x, (short)x}, {2, x, (short)(x + 1)}};
    int i = 1;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = (int)(ux / uy);
    o[3] = (int)(ux % uy);
    o[4] = x * 3 / y % 7 + 100 / -y - -x / *p;
    o[5] = (int)((long)x * 5 / y) + (int)(x / (long)y);
    o[6] = x / (y) + x / (int)y - x % +y;
    o[7] = kept /= y;
    o[8] = s.x /= y + 1 > 0 ? y : y - 1;
    s.s %= y;
    s.c /= (uchar)(y | 1);
    o[9] = s.s + s.c;
    k[i].x /= y;
    k[i].s %= y;
    k[0].x <<= y & 7;
    o[10] = k[1].x + k[1].s + k[0].x;
    o[11] = divide(x, y) + divide(y, third) + third + rest + big;
    o[12] = table[0] + table[1] + scale + (int)(sizeof(table) / sizeof(int));
    o[13] = classify(16) * 100 + classify(-1) * 10 + classify(0);
    o[14] = local_array[11];
    o[15] = (int)(1000.0f / (float)y) + (int)(8.0f / 2) + (int)((float)x / 4.0f);
    o[16] = x / y / (y + 3 != 0 ? 2 : 3), o[17] = (x > y) / (y * y > 0);
    int quotient = x;
    for (int n = 3; n /= 2;) {
        quotient /= n, quotient %= y;
    }
    o[18] = quotient;
    o[19] = (char)x / (char)(y | 1) + (short)x % (short)(y | 1);
    o[20] = x >> 4 / 2 << 1 % 3;
    o[21] = y > 0 ? x / y : x % y;
    o[22] = (x & 255) / (uint)(y & 15 | 1) << 2;
    o[23] = 1 << x / y % 5 & 15;
}

__kernel void vectors(__global const int* a, __global const int* b, __global int* out) {
    size_t g = get_global_id(0);
    const int4 x = vload4(g, a), y = vload4(g, b);
    int4 v = x;
    vstore4(x / y, 6 * g, out);
    vstore4(x % y, 6 * g + 1, out);
    vstore4(x / y.x + 100 / y, 6 * g + 2, out);
    v /= y;
    v.xz %= y.yw;
    v.y /= y.z;
    vstore4(v, 6 * g + 3, out);
    uchar4 c = convert_uchar4(x & 255);
    int3 t = x.xyz / y.zyx;
    vstore4(convert_int4(c / (uchar)7) + (int4)(t, 5), 6 * g + 4, out);
    float4 f = convert_float4(x) / 4.0f;
    f /= (float4)(2.0f);
    vstore4(convert_int4(f), 6 * g + 5, out);
}

// OpenCL C does not define these results. The last element of each work-item shows that it went on.
#define UNDEFINED(T)                                                                                           \
    __kernel void undefined_##T(__global const T* a, __global const T* b, __global T* out) {                   \
        size_t g = get_global_id(0);                                                                           \
        T x = a[g], y = b[g];                                                                                  \
        T##2 v = (T##2)(x, y);                                                                                 \
        T w = x, r = x;                                                                                        \
        w /= y;                                                                                                \
        r %= y;                                                                                                \
        v /= (T##2)(y);                                                                                        \
        v %= y;                                                                                                \
        out[g * 2] = (T)((x / y) ^ (x % y) ^ w ^ r ^ v.x ^ v.y ^ ((T##2)(x) % (T##2)(y)).y);                   \
        out[g * 2 + 1] = (T)(a[g] + b[g]);                                                                     \
    }
UNDEFINED(char)
UNDEFINED(uchar)
UNDEFINED(short)
UNDEFINED(ushort)
UNDEFINED(int)
UNDEFINED(uint)
UNDEFINED(long)
UNDEFINED(ulong)

// The quotient and remainder of each pair, as scalars and in vectors.
#define EDGES(T)                                                                                               \
    __kernel void edges_##T(__global const T* a, __global const T* b, __global T* out) {                       \
        size_t g = get_global_id(0);                                                                           \
        T##2 v = (T##2)(1, a[g]);                                                                              \
        T##4 w = (T##4)(a[g]);                                                                                 \
        v /= (T##2)(1, b[g]);                                                                                  \
        out[g * 4] = (T)(a[g] / b[g]);                                                                         \
        out[g * 4 + 1] = (T)(a[g] % b[g]);                                                                     \
        out[g * 4 + 2] = v.y;                                                                                  \
        out[g * 4 + 3] = (w % b[g]).z;                                                                         \
    }
EDGES(char)
EDGES(uchar)
EDGES(short)
EDGES(ushort)
EDGES(int)
EDGES(uint)
EDGES(long)
EDGES(ulong)

__kernel void constants(__global int* out, int n, int zero) {
    size_t g = get_global_id(0);
    int4 v = (int4)(n);
    uchar4 narrow = (uchar4)(200);
    out[g] = n / 0 + n % 0 + n / zero + (v / zero).x + (v % 0).y + (narrow / (uchar)256).x + 5 / zero;
    int m = n;
    m /= 0;
    m %= zero;
    out[g] = (int)g + (m & 0);
}
