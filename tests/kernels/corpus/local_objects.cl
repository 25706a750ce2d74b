// SPDX-License-Identifier: Apache-2.0
/* What __local means for each of several names that one declaration declares. The local size is 16. */
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define OUT(k) out[(k) * 16 + l]
typedef local int local_int;
typedef local int local_row[16];
int last(local_int* p, int l) { return p[15 - l]; }
kernel void local_objects(global int* out) {
    const int l = (int)get_local_id(0);
    local int a[16], *p;
    local int *q, b[16];
    local int c[16], (*row)[16];
    local int count, *counter;
    local int (d)[16];
    local int* local shared, e[16];
    local int* own[2], both[2][8];
    local int (* local whole)[16];
    local_int f[16], *mine;
    local_row g;
    p = a + l;
    *p = l;
    b[l] = 2 * l;
    c[l] = 3 * l;
    d[l] = 4 * l;
    e[l] = 5 * l;
    f[l] = 6 * l;
    g[l] = 7 * l;
    both[l & 1][l >> 1] = 8 * l;
    if (l == 0) {
        count = 0;
        shared = e;
        whole = &c;
    }
    BARRIER;
    p = a + (15 - l);
    q = b;
    row = &c;
    counter = &count;
    mine = f + l;
    own[0] = both[0];
    own[1] = both[1];
    atomic_add(counter, l);
    BARRIER;
    OUT(0) = *p;
    OUT(1) = q[15 - l];
    OUT(2) = (*row)[15 - l] + *mine;
    OUT(3) = count;
    OUT(4) = d[15 - l];
    OUT(5) = shared[15 - l];
    OUT(6) = (*whole)[15 - l];
    OUT(7) = own[(15 - l) & 1][(15 - l) >> 1];
    OUT(8) = last(f, l) + g[15 - l];
}
