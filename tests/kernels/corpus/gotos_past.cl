// SPDX-License-Identifier: Apache-2.0
/* Jumps past barriers, which all work-items of a group take. */
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define OUT(k) out[((k) * (int)get_num_groups(0) + (int)get_group_id(0)) * n + l]
int next(__local int* s, int l, int n, int value) {
    s[l] = value;
    BARRIER;
    int got = s[(l + 1) % n];
    BARRIER;
    return got;
}
__kernel void past(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0), way = get_group_id(0);
    int a = 3 * l;
    if (way % 2 == 1)
        goto end;
    a += next(s, l, n, 2 * a);
end:
    OUT(0) = next(s, l, n, a);

    a = l;
    int turns = 0;
again:
    a = next(s, l, n, a) + 1;
    if (l % 2 == 0)
        goto even;
    a += 5;
even:
    a = next(s, l, n, a);
    if (++turns < way)
        goto again;
    OUT(1) = a;
}
