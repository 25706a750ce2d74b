// SPDX-License-Identifier: Apache-2.0
/* Calls with barriers in heads, behind commas and in lists of values. */
#include "neighbour.h"
#define OUT(k) out[(k) * n + l]
typedef struct { int a, b; } pair;
int total(__local int* s, int l, int n, int value) {
    s[l] = value;
    BARRIER;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += s[i];
    BARRIER;
    return sum;
}
int walk(__local int* s, int l, int n, int steps) {
    int count = 0;
    while (total(s, l, n, count) < steps * n) {
        count++;
        if (count == 2)
            continue;
        count += next(s, l, n, 1);
    }
    return count;
}
__kernel void branches(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    int a = l;
    if (total(s, l, n, 1) < 0)
        a = -1;
    else if (total(s, l, n, l) == n * (n - 1) / 2) {
        a += 100;
        BARRIER;
    } else
        a = -2;
    OUT(0) = a;
    if (n < 0)
        a = 5;
    else if (n == 0)
        a = 6;
    else if (total(s, l, n, 1) != n)
        a = 7;
    else if (a = l, next(s, l, n, 2) == 2)
        a += 1000;
    else
        a = 9;
    OUT(1) = a;
    if (n > 0)
        if (next(s, l, n, 3) == 4)
            a = 8;
        else
            switch (next(s, l, n, 5)) {
            case 5:
                a = 10 + l;
                break;
            default:
                a = 11;
            }
    OUT(2) = a;
}
__kernel void nested(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    int a = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; next(s, l, n, j) < 3; j++)
            if (next(s, l, n, i) == 1)
                a += j;
            else if (total(s, l, n, j) == 2 * n)
                do
                    a += 100;
                while (next(s, l, n, a) < 150);
            else
                a += 1000;
    OUT(0) = a;
    OUT(1) = walk(s, l, n, 7);
}
__kernel void whiles(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    int a = 0, sum = 0;
    while (a < 100 && total(s, l, n, a) < 5 * n) {
        a++;
        if (a == 3)
            continue;
        sum += 10 * a;
        if (a == 4) {
            BARRIER;
            sum++;
        }
    }
    OUT(0) = sum * 100 + a;
    a = sum = 0;
    do {
        if (++a == 2)
            continue;
        sum += a;
        if (a == 7)
            break;
    } while (next(s, l, n, a) < 5);
    OUT(1) = sum * 100 + a;
    while (BARRIER, s[l] = a, BARRIER, s[(l + 1) % n] < 9)
        a++;
    OUT(2) = a;
}
__kernel void fors(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    int a = 0;
    for (int i = next(s, l, n, l), j = total(s, l, n, 1); i >= 0 && j > n - 3; j--)
        a += i + 1000 * j;
    OUT(0) = a;
    for (int i = 0, j = total(s, l, n, i + 1); total(s, l, n, i) < 4 * n; i += next(s, l, n, 1)) {
        if (i == 2)
            continue;
        a += i * j;
    }
    OUT(1) = a;
    for (a = 0; a < 3; a++, BARRIER)
        s[l] = a;
    OUT(2) = a + s[(l + 1) % n];
    BARRIER;
    int i;
    for (i = 2, BARRIER, s[l] = i; i < 5 && total(s, l, n, i) < 4 * n; BARRIER, i++)
        OUT(3) = i;
    for (;;) {
        if (next(s, l, n, i) > 6)
            return;
        OUT(4) = i++;
    }
}
__kernel void lists(__global int* out, __local int* s) {
    const int l = get_local_id(0), n = get_local_size(0);
    int v[3] = {1, next(s, l, n, l + 1), total(s, l, n, 1)};
    pair p = {next(s, l, n, 3 * l), 4}, q = {.b = total(s, l, n, 3)};
    const pair r = (pair){next(s, l, n, l), 5};
    pair w[2] = {{1, 2}, {next(s, l, n, 2), next(s, l, n, l)}};
    OUT(0) = v[0] + v[1] * 10 + v[2] * 1000;
    OUT(1) = p.a + p.b * 100 + q.a + q.b * 1000;
    OUT(2) = r.a + r.b * 100 + w[1].b * 1000 + w[1].a * 100000;
    int x = 3, y = max(next(s, l, n, x), 2), z;
    x = 5, z = max(total(s, l, n, x), 0);
    if (x = 9, next(s, l, n, l + x) == 9 + (l + 1) % n)
        z += 10000;
    if (x == 0)
        z = 0;
    else
        x++, z += next(s, l, n, x);
    OUT(3) = x + 10 * y + 100 * z;
}
