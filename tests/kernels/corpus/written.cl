// SPDX-License-Identifier: Apache-2.0
/* What is written to behind parentheses, and swizzles of swizzles. */
#define ADD(x, y) ((x) += (y))
#define SWAP(T, a, b) do { T t_ = (a); (a) = (b); (b) = t_; } while (0)
typedef struct { int count; int table[4]; } counts;
typedef struct { float4 lo; float2 at; } box;
void fill(int* table, int value) {
    for (int k = 0; k < 4; ++k) {
        table[k] = value + k;
    }
}
__kernel void halves(__global const float* in, __global float* out) {
    const size_t i = get_global_id(0);
    __global float* to = out + 32 * i;
    float8 v = vload8(2 * i, in);
    float8 w = vload8(2 * i + 1, in);
    float3 t = v.s123;
    float4 u = w.odd;
    v.lo.x = w.s7;
    v.hi.even = w.lo.hi;
    v.lo.zw += w.s10;
    v.odd.lo.y -= 4.0f;
    v.s7654.lo.x *= 3.0f;
    ++v.even.s2;
    w.hi.lo = w.hi.hi = v.even.odd;
    (w.lo.lo) = v.s70;
    (w.s32) *= v.hi.hi;
    ((w.s4)) = v.s5;
    SWAP(float, w.lo.x, w.hi.w);
    SWAP(float2, v.lo.even, w.odd.hi);
    t.hi.x += 2.0f;
    (t.lo) -= 1.5f;
    u.xyz.lo = u.yzw.even.yx;
    --(u.zyx.lo.y);
    float2 p = u.lo;
    p.hi = (p.lo += 1.0f);
    vstore8(v, 0, to);
    vstore8(w, 1, to);
    vstore3(t, 0, to + 16);
    vstore4(u, 0, to + 20);
    vstore2(p, 0, to + 24);
    box b;
    b.lo = u;
    b.at = p;
    __private box* q = &b;
    q->lo.xw = p;
    b.lo.y = 7.0f;
    (q->at.yx) = b.lo.hi;
    u.lo.yx = b.at;
    u.hi.x = 9.0f;
    vstore4(b.lo, 0, to + 26);
    to[19] = b.at.x - b.at.y;
    (u.hi).x += 2.0f;
    ((b.lo).yx) = (u.lo).yx;
    ++((w.hi)).s1;
    if (to[19] < 100.0f) ((u.lo)).y -= (w.hi).s1;
    (float4)(u);
    for ((float2)(p); p.x < 100.0f; p.x += 1000.0f) (float2)(p.x), p.y += 1.0f;
    vstore2(u.lo + u.hi + (b.lo).xy + p, 15, to);
}
__kernel void kept(__global int* out, counts all, __local int* other, int one) {
    const int lid = (int)get_local_id(0);
    __global int* to = out + 8 * get_global_id(0);
    int sum = one;
    int steps = (int)get_local_size(0);
    int base = 5, top = 8;
    counts mine = all;
    counts kept = all;
    ADD(sum, lid);
    (steps)++;
    ((steps)) -= lid;
    mine.table[lid & 3] = lid;
    (kept).table[1] += lid;
    if (lid & 1) SWAP(int, base, top);
    other[lid] = sum + steps;
    barrier(CLK_LOCAL_MEM_FENCE);
    to[0] = sum;
    to[1] = steps;
    to[2] = mine.table[0] + 10 * mine.table[1];
    to[3] = mine.table[2] + 10 * mine.table[3];
    to[4] = kept.table[1];
    to[5] = base;
    to[6] = top;
    to[7] = other[(lid + 1) % get_local_size(0)];
}
__kernel void given(__global int* out, counts all, counts one) {
    const int lid = (int)get_local_id(0);
    __global int* to = out + 5 * get_global_id(0);
    fill(all.table, lid);
    one.table[lid & 3] = 1000;
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore4(vload4(0, all.table), 0, to);
    to[4] = one.table[0] + one.table[1] + one.table[2] + one.table[3];
}
