// SPDX-License-Identifier: Apache-2.0
/* What stands between the cases. The local size is 16. */
#define FLAG true
#if FLAG
#define TAKEN 1
#else
#define TAKEN 2
#endif
#define UNUSED(x, y) (void)(x, y)
typedef uchar narrow;
typedef int aligned_int __attribute__((aligned(16)));
int at(int x) { return x + (int)get_global_id(0); }
void count(int* x) { *x += 1; }
/* It ends with a call of a void function. */
void turn(local int* t, int l, int* x) {
    t[l] = l * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    *x = t[15 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    count(x);
}
kernel void corners(global const int* in __attribute__((unused)), global int* out) {
    local int t[16];
    const int l = (int)get_local_id(0), i = (int)get_global_id(0), n = in[i] & 7;
    global int* to = out + 16 * i;
    UNUSED(l, n);
    to[0] = TAKEN;
    to[1] = at(in[i] > 0 ? 1 : 2) + at(1 << n);
    to[2] = (int)(get_global_id(in[i] > 0 ? 0 : 1) + get_local_size(n > 3 ? 0 : 2));
    to[3] = (int)((1UL << (32 + n)) >> 30) + (int)max((ulong)n, 5UL);
    /* A type hidden where a variable of it is used. */
    narrow d = (narrow)(l * 20);
    t[l] = d;
    {
        typedef int narrow;
        narrow z = d;
        barrier(CLK_LOCAL_MEM_FENCE);
        z += d;
        t[l] += z;
        barrier(CLK_LOCAL_MEM_FENCE);
        to[4] = z + d * 1000 + t[15 - l];
    }
    /* Types aligned to more than their size, and sizes of what lives across a barrier. */
    int wide[6] __attribute__((aligned(16))) = {l, 2, 3, 4, 5, 6};
    aligned_int a = l + 1;
    int few[3] = {l, 2, 3};
    int many[sizeof(few) / sizeof(few[0]) * 2] = {i, l};
    local int row[sizeof(wide) / sizeof(int)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 v = *(int4*)wide;
    to[5] = v.x + v.w * 100;
    to[6] = a + (int)(sizeof(many) + sizeof(row) * 100);
    to[7] = many[1] + few[0];
    wide[1] = few[2] = a = 9;
    barrier(CLK_LOCAL_MEM_FENCE);
    to[8] = wide[1] + few[2] + a;
    /* A branch that no work-item can take. */
    t[l] = in[i] & 255;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8) {
        t[l] += t[l + 8];
        if (16 > 64) barrier(CLK_LOCAL_MEM_FENCE);
        if (16 > 64)
            barrier(CLK_LOCAL_MEM_FENCE);
        else
            t[l] += 1000;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    to[9] = t[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = 0;
    turn(t, l, &x);
    to[10] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
}
