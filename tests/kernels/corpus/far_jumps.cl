// SPDX-License-Identifier: Apache-2.0
/* Gotos that lead past barriers, and labels in branches that are never taken. */
#include "neighbour.h"
#define OUT(k) out[((k) * (int)get_num_groups(0) + (int)get_group_id(0)) * n + l]
int looped(__local int* s, int l, int n, int turns) {
    int sum = 0;
again:
    sum += next(s, l, n, l + turns);
    if (turns > 5)
        goto out;
    if (--turns > 0)
        goto again;
    sum += 1000;
out:
    return sum;
}
__kernel void far_gotos(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0), way = get_group_id(0);
    int a = looped(s, l, n, way) + 3 * looped(s, l, n, 2), turn = 0, last;
outer:
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            a += next(s, l, n, k);
            if (k == way)
                goto done;
        }
        if (i == 1 && turn < 2) {
            turn++;
            goto outer;
        }
    }
    a += 7000;
done:
    OUT(0) = a;
    int b = l;
first: /* Two labels of one statement. */
begin:
    if (turn > 3)
        goto second;
    last = turn++;
    b += next(s, l, n, last);
    if (l % 2 == 0)
        goto first;
    b += 100;
    goto begin;
second:
    OUT(1) = b + last;
}
/* A parameter that is assigned between a goto and its label. */
int assigned(__local int* s, int l, int n, int value) {
    if (l % 2 != 0)
        goto end;
    value = 5;
end:
    return next(s, l, n, value);
}
__kernel void dead_branches(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0), way = get_group_id(0);
    int a = 0;
    switch (way % 3) {
    case 0:
        a += 1;
        if (0) {
        case 1:
            a += 10;
        }
        while (0) {
        case 2:
            a += 100;
        }
    }
    if (l % 4 == 3)
        goto in;
    if (0) {
    in:
        a += 1000;
    }
    OUT(0) = next(s, l, n, a);
    OUT(1) = assigned(s, l, n, 9);
}
__kernel void near_and_far(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0), way = get_group_id(0);
    int x = 0, turn = 0, a = 0;
again:
    x++;
    if (l == 0 && x < 3)
        goto again;
    a = a * 3 + next(s, l, n, l + x);
    if (turn++ < way)
        goto again;
    OUT(0) = a;

    x = 0;
    a = 0;
repeat:
    x++;
    if (way == 1)
        goto out;
    if (l == 0 && x < 3)
        goto repeat;
    a = next(s, l, n, l + x);
out:
    OUT(1) = a + x;
}
