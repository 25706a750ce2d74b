// SPDX-License-Identifier: Apache-2.0
/* Jumps that only some work-items take, before a barrier that all reach, and jumps past barriers that all take. */
#include "neighbour.h"
#define OUT(k) out[((k) * (int)get_num_groups(0) + (int)get_group_id(0)) * n + l]
__kernel void forward(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    int a = l;
    if (l % 2 == 1)
        goto meet;
    a += 10;
    a *= 3;
meet:
    OUT(0) = next(s, l, n, a);

    a = 3 * l;
    if (l % 3 == 0)
        goto one;
    a += 5;
    if (l % 3 == 1)
        goto two;
    a *= 2;
one:
    a += 100;
two:
    OUT(1) = next(s, l, n, a);

    a = l;
    if (l & 1) {
        a += 7;
        if (l & 2)
            goto out_of_if;
        a += 20;
    } else {
        a -= 3;
        if (l & 4) {
            goto out_of_if;
        }
    }
    a *= 3;
out_of_if:
    OUT(2) = next(s, l, n, a);
}
__kernel void out_of_loops(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    int a = 0;
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 4; k++) {
            a += i * k + 1;
            if (i * 4 + k == l % 23)
                goto found;
            if (k > i)
                break;
        }
        a += 50;
    }
    a = -a;
found:
    OUT(0) = next(s, l, n, a);

    a = l;
    for (int i = 0; i < 3; i++) {
        switch ((l + i) % 5) {
        case 0:
            a += 100;
            goto turned;
        case 1:
            if (l % 2 == 0)
                goto turned;
            a += 30;
        case 2:
            a += 2;
            break;
        case 3:
            if (l > 20)
                goto turned;
            a -= 5;
            break;
        default:
            if (l % 7 == 0)
                break;
            goto turned;
        }
        a *= 2;
    turned:
        a += next(s, l, n, i);
    }
    OUT(1) = next(s, l, n, a);

    a = l;
    for (int i = 0; i < 12; i++) {
        if ((l + i) % 3 == 0)
            goto skip;
        if ((l + i) % 4 == 0)
            continue;
        if ((l + i) % 11 == 0)
            break;
        a += 3;
    skip:
        a = 2 * a + i;
    }
    OUT(2) = next(s, l, n, a);
}
__kernel void back(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    int a = l % 9, turns = 0;
    if (l % 2 == 1)
        goto middle;
first:
    a += 1;
second:
    a += 10;
middle:
    a += 100;
    if (turns++ < l % 4)
        goto first;
    if (a % 3 == 0 && turns < 6)
        goto second;
    if (a % 5 == 0)
        goto last;
    a = -a;
last:
    OUT(0) = next(s, l, n, a);
}
__kernel void without_barriers(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    uint v = (uint)l * 2654435761u;
again:
    v = v * 69069u + 1;
    if (v & 0x100)
        goto again;
    v += 7;
    OUT(0) = (int)(v >> 1);

    v = (uint)l * 40503u;
back:
    v = v * 69069u + 1;
    if (v & 0x10000) {
        if (v & 0x20000) {
            goto out;
        } else {
            OUT(1) = -1;
            return;
        }
        if (v & 4)
            goto inner;
        v = 0;
    inner:;
    }
    if (v & 0x40000)
        goto back;
out:
    OUT(1) = (int)(v >> 1);
}
__kernel void left_inside(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    uint v = (uint)l * 2654435761u;
    do {
        v = v * 69069u + 1;
    } while (v & 0x100);
    v += 7;
    OUT(0) = (int)(v >> 1);

    v = (uint)l * 2654435761u;
    for (;;) {
        v = v * 69069u + 1;
        if (!(v & 0x100))
            break;
    }
    OUT(1) = (int)((v + 7) >> 1);

    v = (uint)l * 2654435761u;
    while ((v = v * 69069u + 1) & 0x100)
        ;
    OUT(2) = (int)((v + 7) >> 1);
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
