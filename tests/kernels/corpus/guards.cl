// SPDX-License-Identifier: Apache-2.0
/* Kernels that send work-items away before they begin. The host tests the first and the last of a row where it can
   see that those between are like them, and here are forms for which that holds, and many for which it does not. */
#define MARK(x, y) out[(y) * stride + (x)] = (y) * 1000 + (x) + 1
#define GUARD(name) __kernel void name(__global uint* out, uint stride, uint a, uint b)

GUARD(less) {
    uint x = get_global_id(0);
    if (x < a) MARK(x, get_global_id(1));
}
GUARD(leaves) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= (int)a || y >= (int)b) return;
    MARK(x, y);
}
GUARD(inside) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x > 0 && y > 0 && x + 1 < (int)a && (y < (int)b - 1)) {
        MARK(x, y);
    }
}
GUARD(between) {
    size_t x = get_global_id(0);
    if (!(x < a) && x < b) MARK(x, get_global_id(1));
}
GUARD(outside) {
    uint x = get_global_id(0);
    if (x < a || x > b) MARK(x, get_global_id(1));
}
GUARD(leaves_inside) {
    uint x = get_global_id(0);
    if (x >= a && x <= b) return;
    MARK(x, get_global_id(1));
}
GUARD(all_but_one) {
    uint x = get_global_id(0);
    if (x != a) MARK(x, get_global_id(1));
}
GUARD(leaves_one) {
    uint x = get_global_id(0);
    if (x == a) return;
    MARK(x, get_global_id(1));
}
GUARD(only_one) {
    if (get_global_id(0) == a) MARK(get_global_id(0), get_global_id(1));
}
GUARD(even) {
    uint x = get_global_id(0), even = x % 2;
    if (even < 1) MARK(x, get_global_id(1));
}
GUARD(wraps) {
    uint x = get_global_id(0);
    uint before = x - 3;
    if (before < a) MARK(x, get_global_id(1));
}
GUARD(narrow) {
    uchar x = get_global_id(0) * 32;
    if (x < a) MARK(get_global_id(0), get_global_id(1));
}
GUARD(bits) {
    uint x = get_global_id(0);
    if (x < a & (x & 1) == 0) MARK(x, get_global_id(1));
}
GUARD(chosen) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (y < b ? x < a : x >= a) MARK(x, y);
}
GUARD(diagonal) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x <= y && y - x < (int)a) MARK(x, y);
}
GUARD(mixed) {
    uint x = get_global_id(0), y = get_global_id(1);
    if ((y < a || y > b) && x < b) MARK(x, y);
}
GUARD(other_dimension) {
    uint d = 0;
    uint x = get_global_id(d), i = get_global_id(0);
    if (x * 7 % 5 < 3 && i < b) MARK(x, get_global_id(1));
}

/* Groups side by side may be run as one only where nothing shows it. */
uint group_of(void) { return get_group_id(0); }
__kernel void groups(__global uint* out, uint a) {
    uint i = get_global_id(0);
    if (i < a) out[i] = group_of() * 100 + get_local_id(0);
}
__kernel void sizes(__global uint* out, uint a) {
    uint i = get_global_id(0);
    if (i < a) out[i] = get_local_size(0) * 10000 + get_num_groups(0) * 100 + get_global_size(0) - i;
}
__kernel void scratch(__global uint* out, uint a, __local uint* one) {
    uint i = get_global_id(0);
    one[i % 2] = i;
    if (i < a) out[i] = one[i % 2] + i;
}
