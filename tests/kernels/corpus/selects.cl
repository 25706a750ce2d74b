// SPDX-License-Identifier: Apache-2.0
/* Of a random kernel that one driver got wrong, `select(v, w, max((T)(v ^ v), w))`, and what it is made of. The
   scalar select takes w where the condition is not zero, so each line is w > 0 ? w : v but for the second and third. */
#define SELECTS(T) \
    __kernel void selects_##T(__global const T* in, __global T* out) { \
        const size_t i = get_global_id(0); \
        const T v = in[2 * i], w = in[2 * i + 1]; \
        __global T* o = out + 8 * i; \
        o[0] = select(v, w, max((T)(v ^ v), w)); \
        o[1] = max((T)(v ^ v), w); \
        o[2] = select(v, w, w); \
        o[3] = select(v, w, max((T)0, w)); \
        o[4] = max((T)(v ^ v), w) != 0 ? w : v; \
        o[5] = select(v, w, (T)(w > 0 ? w : 0)); \
        o[6] = select(v, w, (T)(w > 0)); \
        o[7] = select(v, w, clamp(w, (T)0, (T)100)); \
    }
SELECTS(char)
SELECTS(short)
SELECTS(int)
SELECTS(long)
