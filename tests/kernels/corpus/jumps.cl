// SPDX-License-Identifier: Apache-2.0
/* Jumps around barriers: switches, functions that return early, choices, and gotos between barriers. */
#include "neighbour.h"
#define OUT(k) out[((k) * (int)get_num_groups(0) + (int)get_group_id(0)) * n + l]
int early(__local int* s, int l, int n, int way) {
    if (way == 0)
        return -1;
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        sum += next(s, l, n, l + i);
        if (i == way)
            return sum;
        if (way == 4 && i == 3)
            break;
    }
    if (way > 7)
        return next(s, l, n, way);
    if (l % 2 != 0)
        return 1000 + sum;
    return 2000 + sum;
}
void store(__local int* s, int l, int way, int value) {
    if (way < 2)
        return;
    s[l] = value;
    BARRIER;
    if (l == 0)
        return;
    s[l] += 1;
}
int uneven(__local int* s, int l, int n) {
    s[l] = l;
    BARRIER;
    if (l % 3 == 0)
        return 7;
    for (int i = 0; i < 4; i++) {
        if (i == l % 3)
            return 10 * i + s[n - 1 - l];
    }
    return 5;
}
__kernel void switches(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0), way = get_group_id(0);
    int a = l;
    switch (way) {
    case 0:
        a += 100;
        break;
    case 1:
    case 2: {
        int b = next(s, l, n, a);
        a = 10 * b;
        if (way == 2)
            break;
        a++;
    }
    case 3:
        a += next(s, l, n, 3);
        for (int i = 0; i < 3; i++) {
            if (i == 1)
                continue;
            a += next(s, l, n, i);
            if (i == 2)
                break;
        }
        break;
    default:
        BARRIER;
        if (l % 2 == 0)
            break;
        a = -a;
    }
    OUT(0) = a;
    int c = 0;
    for (int i = 0; i < 6; i++) {
        switch (i + l - l) {
        case 0 ... 1:
            c += next(s, l, n, 1);
            continue;
        case 4:
            c += 10 * next(s, l, n, 1);
            break;
        default:
            c += 100;
        }
        c += 1000;
    }
    OUT(1) = c;
}
__kernel void functions_that_return(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0), way = get_group_id(0);
    OUT(0) = early(s, l, n, way);
    int sum = 0;
    for (int i = 1; i < 4; i++)
        sum += early(s, l, n, i) + early(s, l, n, 9);
    OUT(1) = sum;
    BARRIER;
    s[l] = 0;
    BARRIER;
    store(s, l, way, l + 5);
    BARRIER;
    OUT(2) = s[(l + 1) % n];
    BARRIER;
    OUT(3) = uneven(s, l, n);
}
__kernel void choices(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0), way = get_group_id(0);
    int a = way > 1 ? next(s, l, n, l) : -l;
    int b = way > 2 && next(s, l, n, way) == way;
    int c = (way == 0 || next(s, l, n, 2 * way) < 5) + 10 * (way != 1 ? b : next(s, l, n, l + 1));
    OUT(0) = a;
    OUT(1) = b;
    OUT(2) = c;
    int d = 0;
    while (d < way && next(s, l, n, d) < 3)
        d++;
    way & 1 ? store(s, l, 2, way) : (void)(d += 50);
    BARRIER;
    OUT(3) = way & 1 ? s[(l + 1) % n] + d : d;
}
__kernel void gotos(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0), way = get_group_id(0);
    int a = 0;
again:
    a += l % 4 + 1;
    if (a < 9)
        goto again;
    if (l % 2 == 0)
        goto end;
    a = -a;
end:
    BARRIER;
    for (int i = 0; i < 2; i++) {
        int found = 0;
        for (int k = 0; k < 5; k++)
            if (k == l % 5)
                goto out_of_loop;
        found = 1;
    out_of_loop:
        a += next(s, l, n, i + found);
    }
    if (way > 2) {
        OUT(0) = a;
        return;
    }
    OUT(0) = next(s, l, n, a);
}
