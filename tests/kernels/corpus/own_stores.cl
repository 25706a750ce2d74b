// SPDX-License-Identifier: Apache-2.0
/* A work-item sees what it has stored itself, also where the index does not show that it is the same place: `one` is 1
   and `zero` is 0. And what it has read before a barrier stays what it was. The local size is 64. */
typedef struct { uint a, b; } pair;
kernel void own_stores(global pair* r, global uint* out, uint one, uint zero) {
    local uint2 s[64];
    local uint t[2 * 64];
    const uint l = (uint)get_local_id(0), g = (uint)get_global_id(0), j = l ^ zero;
    r[g].a = g * 3;
    r[g].b = r[g * one].a + 1;
    s[l].x = g;
    uint seen = s[j].x;
    s[l].y = seen + 1;
    t[2 * l] = g;
    t[2 * j] += 5;
    t[2 * l + 1] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4 * g] = s[l].y;
    out[4 * g + 1] = t[2 * l];
    global uint* mine = out + 4 * g + 2;
    *mine = g;
    *(out + 4 * g * one + 2) += 1;
    mine[1] = *mine * 2;
}
kernel void kept_reads(global uint* o, local uint* p) {
    const uint n = (uint)get_global_size(0), g = (uint)get_global_id(0), l = (uint)get_local_id(0);
    p[l] = g + 7;
    const uint c = (uint)*(o + g), d = (uint)*(p + l);
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    o[g] = 1;
    p[l] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    o[n + g] = c;
    o[2 * n + g] = d;
}
/* Stores of a work-item that may meet come one after the other: each has two places, and j is either. */
void put(global uint* p, uint i, uint value) { p[i] = value; }
kernel void later_stores(global uint* o, global const uint* in) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (in[i] & 1);
    global uint* p = o + 1;
    global uint* q = o;
    o[2 * i] = 1;
    q[j] = 5;
    p[2 * i] = 2;
}
kernel void later_stores_in_loop(global uint* o, global const uint* in) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (in[i] & 1);
    for (uint k = 0; k < 2; ++k) {
        o[j] = 9;
        o[2 * i + k] = k;
    }
}
kernel void later_stores_of_function(global uint* o, global const uint* in) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (in[i] & 1);
    put(o, 2 * i, 1);
    put(o, j, 5);
    put(o, 2 * i + 1, 2);
}
/* The same where the text does not show a store at first sight. */
struct view {
    global uint* p;
};
typedef global uint* there;
void put_const(global uint* const p, uint i, uint value) { p[i] = value; }
void put_view(struct view v, uint i, uint value) { v.p[i] = value; }
void put_there(there p, uint i, uint value) { p[i] = value; }
kernel void later_stores_by_const_pointer(global uint* o, global const uint* in) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (in[i] & 1);
    put_const(o, 2 * i, 1);
    put_const(o, j, 5);
    put_const(o, 2 * i + 1, 2);
}
kernel void later_stores_by_struct(global uint* o, global const uint* in) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (in[i] & 1);
    struct view v = {o};
    put_view(v, 2 * i, 1);
    put_view(v, j, 5);
    put_view(v, 2 * i + 1, 2);
}
kernel void later_stores_by_typedef(global uint* o, global const uint* in) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (in[i] & 1);
    put_there(o, 2 * i, 1);
    put_there(o, j, 5);
    put_there(o, 2 * i + 1, 2);
}
kernel void later_stores_by_index(global uint* o, global const uint* in) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (in[i] & 1);
    0 [o + 2 * i] = 1;
    0 [o + j] = 5;
    1 [o + 2 * i] = 2;
}
/* What is read behind a store is what was stored: `one` is 1, and of two places j is either. */
struct both {
    uint u, v;
};
global uint* place(global uint* p, uint i) { return p + i; }
kernel void seen_by_cast(global uint* t, global uint* o) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (i & 1);
    const uint x = t[2 * i];
    *(global uint*)(t + j) = 5;
    const uint y = t[2 * i + 1];
    o[2 * i] = x;
    o[2 * i + 1] = y;
}
kernel void seen_by_function(global uint* t, global uint* o) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (i & 1);
    const uint x = t[2 * i];
    *place(t, j) = 5;
    const uint y = t[2 * i + 1];
    o[2 * i] = x;
    o[2 * i + 1] = y;
}
kernel void seen_in_variable(global uint* t, global uint* o) {
    const uint i = (uint)get_global_id(0);
    struct both s = {t[2 * i], t[2 * i + 1]};
    uint* p = i & 1 ? &s.v : &s.u;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint x = s.u;
    *p = 5;
    const uint y = s.v;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[2 * i] = x;
    o[2 * i + 1] = y;
}
kernel void later_stores_in_turn(global uint* o, global const uint* in) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (in[i] & 1);
    for (uint k = 0; k < 3; ++k) {
        o[k == 1 ? j : 2 * i + k / 2] = k == 0 ? 1 : k == 1 ? 5 : 2;
    }
}
kernel void later_stores_by_local_pointer(global uint* o, global const uint* in) {
    global uint* local t[64];
    const uint i = (uint)get_global_id(0), l = (uint)get_local_id(0), d = in[i] & 1;
    t[l] = o + 2 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[2 * i] = 1;
    t[l][d] = 5;
    o[2 * i + 1] = 2;
}
kernel void later_stores_by_hidden_name(global uint* o, constant uint* in) {
    const uint i = (uint)get_global_id(0), j = 2 * i + (in[i] & 1);
    {
        global uint *q = o, *in = o;
        q[2 * i] = 1;
        in[j] = 5;
        q[2 * i + 1] = 2;
    }
}
