// SPDX-License-Identifier: Apache-2.0
#define make_int4 (int4)
#define PAIR(type, a, b) (type)(a, b)
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define WIDTH 4
#define VECTOR CONCAT(int, WIDTH)
#define STRING(x) #x
#define EACH(name, op) \
    int name(int a, int b) { \
        /* a comment, and a line \
           that goes on */ \
        return a op b; \
    }
#define SWAP(T, a, b) do { T t_ = (a); (a) = (b); (b) = t_; } while (0)
#define MANY(first, a, b, c) first + sum3(a, b, c)
#define EMPTY
#if defined(__OPENCL_VERSION__) && __OPENCL_VERSION__ >= 120 && !defined(NOTHING) && (1 ? 2 : 0) == 2
#define CHOSEN 7
#elif 1
#define CHOSEN 8
#endif
EACH(plus, +)
EACH(minus, -)
typedef __global int* out_ptr;
typedef __global const int* in_ptr;
int sum3(int a, int b, int c) { return a + 2 * b + 3 * c; }
void put(out_ptr to, int at, int value) { to[at] = value; }
__kernel void macros(__global const int* in, __global int* out) {
    in_ptr from = in + 4 * get_global_id(0);
    out_ptr to = out + 16 * get_global_id(0);
    int4 v = make_int4(from[0], from[1], from[2], from[3]);
    VECTOR w = (VECTOR)(PAIR(int2, from[3], from[2]), PAIR(int2, from[1], from[0]));
    vstore4(v - w, 0, to);
    put(to, 4, plus(v.x, v.y));
    put(to, 5, minus EMPTY (v.x, v.y));
    put(to, 6, MANY(v.x, v.y, v.z, v.w));
    put(to, 7, CHOSEN);
    SWAP(int, v.x, v.w);
    vstore4(v, 2, to);
    put(to, 12, (int)sizeof(STRING(a b "c" \n)));
    put(to, 13, (int)sizeof(CONCAT(lo, ng)));
    int a = 1, b = (a++, a * 10);
    put(to, 14, b);
    put(to, 15, CONCAT(0x, ff) + __LINE__ - __LINE__);
}

// The macros that identify the compiler and device: the value of each, or 0 if it is not defined.
__kernel void features(__global int* out) {
    for (int i = 0; i < 12; ++i)
        out[i] = 0;
#ifdef FERRY_CUDA
    out[0] = FERRY_CUDA;
#endif
#ifdef FERRY_HIP
    out[1] = FERRY_HIP;
#endif
#ifdef FERRY_OPENCL
    out[2] = FERRY_OPENCL;
#endif
#ifdef FERRY_HOST
    out[3] = FERRY_HOST;
#endif
    out[4] = FERRY_VERSION;
#ifdef FERRY_HAS_FP64
    out[5] = FERRY_HAS_FP64;
    double third = 1;
    third /= 3;
    out[6] = (float)third != third;
#endif
#if FERRY_HAS_ATOMIC_ADD_FLOAT
    out[7] = FERRY_HAS_ATOMIC_ADD_FLOAT;
#endif
#if FERRY_HAS_SUBGROUPS
    out[8] = (int)get_sub_group_size();
#endif
    out[9] = __OPENCL_C_VERSION__;
    out[10] = CL_VERSION_1_2;
    out[11] = __ENDIAN_LITTLE__;
}
