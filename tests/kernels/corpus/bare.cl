// SPDX-License-Identifier: Apache-2.0
/* Shifts that are all of a statement behind a head, and designators by name. */
enum { one = 1, three = 3 };
__constant int table[three + 2] = {[one] = 5, [three] = 7, [sizeof(int)] = 9};
kernel void bare_shifts(global const int* in, global int* out) {
    const int i = (int)get_global_id(0);
    const int v = in[i], n = v & 63;
    global int* to = out + 8 * i;
    int x = v;
    if (v & 1) x <<= n;
    to[0] = x;
    x = v;
    while (x & 1) x >>= (n | 1);
    to[1] = x;
    x = 1;
    for (int k = 0; k < 3; k++) x <<= n & 7;
    to[2] = x;
    x = v;
    int* p = &x;
    if (n > 3)
        *p >>= n;
    else
        *(uint*)p >>= n + 1;
    to[3] = x;
    x = v;
    do x >>= n | 1; while (x & 1);
    to[4] = x;
    x = v;
    switch (n & 1) {
    case 0: x <<= n; break;
    default: x >>= n;
    }
    to[5] = x;
    x = 3;
    if (n)
    label: x <<= n;
    to[6] = x;
    to[7] = table[0] + table[1] + 10 * table[2] + 100 * table[3] + 1000 * table[4];
}
kernel void bare_vector_shifts(global const int4* in, global int4* out, int n) {
    int4 v = in[get_global_id(0)], w = v;
    if (n & 1) v <<= n;
    while (w.x & 1) w >>= (int4)(n | 1);
    if (n) w.yz <<= (int2)(n, 33);
    out[2 * get_global_id(0)] = v;
    out[2 * get_global_id(0) + 1] = w;
}
typedef struct { int hi, y; } spot;
kernel void written_halves(global int4* out) {
    int4 v = (int4)(1, 2, 3, 4);
    int4* p = &v;
    spot s = {5, 6};
    v.hi.y = 9;
    p->lo.y = 8;
    (*p).hi.x += s.hi;
    v.lo.x++;
    s.y <<= 33;
    s.hi += v.hi.y;
    out[0] = v;
    out[1] = (int4)(s.hi, s.y, v.hi.x, p->lo.y);
}
