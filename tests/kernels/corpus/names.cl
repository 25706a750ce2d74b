// SPDX-License-Identifier: Apache-2.0
struct limits { int lo, hi, x, s0, xy, even; };
typedef struct { float x, y, z; int w; } atom;
int template(int class, int new) { return class * 3 + new; }
int (assert)(int a) { return a + 1; }
int (min3)(int a, int b, int c);
int (min3)(int a, int b, int c) { return min(min(a, b), c); }
__kernel void names(__global const int* in, __global int* out) {
    const size_t this = get_global_id(0);
    const int private_ = in[this], namespace = private_ ^ 5;
    int delete = template(private_, namespace), operator= 2, typename = 1, virtual = 3, friend = 4, using = 5;
    int try = 6, catch = 7, throw = 8, public = 9, protected = 10, explicit = 11, export = 12, mutable = 13;
    int and = 14, or = 15, xor = 16, not = 17, nullptr = 18, constexpr = 19, decltype = 20, noexcept = 21;
    int int2_ = 22, dot = 23, length = 24, mix = private_ + 25, step = 26, distance = 27;
    struct limits l = {private_, private_ + 1, 2, 3, 4, 5};
    l.lo += l.hi;
    l.s0 = l.x + l.xy;
    atom a = {1.0f, 2.0f, 3.0f, private_};
    a.w += (int)a.z;
    int4 v = (int4)(l.lo, l.hi, a.w, l.s0);
    v.lo = v.hi.yx;
    __global int* to = out + 8 * this;
    to[0] = delete + operator+ typename + virtual + friend + using;
    to[1] = try + catch + throw + public + protected + explicit + export + mutable;
    to[2] = and + or + xor + not + nullptr + constexpr + decltype + noexcept;
    to[3] = int2_ + dot + length + mix + step + distance;
    to[4] = l.lo * 2 + l.hi + l.even;
    to[5] = v.x + 3 * v.y;
    to[6] = v.s2 ^ v.s3;
    to[7] = assert(min3(private_, namespace, 1000));
}
