// SPDX-License-Identifier: Apache-2.0
typedef struct { int a; int b[3]; struct { int c; } in; } record;
int total(record r) { return r.a + r.b[0] * 2 + r.b[1] * 3 + r.b[2] * 5 + r.in.c * 7; }
int collatz(uint n) {
    int steps = 0;
again:
    if (n <= 1)
        goto done;
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
    goto again;
done:
    return steps;
}
int classify(int n) {
    int r = 0;
    switch (n & 7) {
    case 0:
        r += 1; /* falls through */
    case 1:
        r += 10;
        break;
    case 2:
    case 3: {
        int inner = 5;
        r -= inner;
        break;
    }
    default:
        r = 100;
    case 6:
        r++;
    }
    return r;
}
__kernel void control(__global const int* in, __global int* out, uint n) {
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    const int v = in[i];
    int k = 0, count = 0;
    do {
        if (k == 3)
            continue;
        if (k > (v & 15))
            break;
        for (int j = k, l = 0; j < 10 && l != 7; j += 2, ++l)
            count += j ^ l;
    } while (++k < 12);
    record r = {.b = {1, v, 3}, .a = v & 7, .in = {.c = 2}};
    record zero = {0};
    int table[] = {[2] = 5, [0] = 1};
    out[8 * i] = collatz((uint)(v & 1023) + 1);
    out[8 * i + 1] = classify(v);
    out[8 * i + 2] = count;
    out[8 * i + 3] = total(r);
    out[8 * i + 4] = total((record){v & 3, {4, 5, 6}, {7}});
    out[8 * i + 5] = total(zero) + table[0] + table[1] * 9 + table[2];
    int2 pair = {v, 3};
    int* p = &table[2];
    *p++ += 1;
    out[8 * i + 6] = pair.x * pair.y + table[2] + (int)(p - table);
    out[8 * i + 7] = (v > 0 && v / (v | 1) >= 0) ? (v & 1 ? 1 : 2) : v == 0 ? 3 : 4;
}
