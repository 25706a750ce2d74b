// SPDX-License-Identifier: Apache-2.0
/* Names that hide others, steps, and types written out where variables are declared, in kernels with barriers. */
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define OUT(k) out[(k) * (int)get_local_size(0) + l]
__constant int seven = 7;
typedef int number;
int first(__local int* s, int l, int value) {
    s[l] = value;
    BARRIER;
    int got = s[0];
    BARRIER;
    return got;
}
__kernel void split_names(__global int* out, __local int* s, int one) {
    const int l = (int)get_local_id(0);
    const int next = (l + 1) % (int)get_local_size(0);
    {
        int i = 0, b = i + l;
        for (; i < 3; i++) {
            BARRIER;
            OUT(0) = b;
        }
    }
    for (int i = 0, b = i + l; i < 3; i++) {
        BARRIER;
        OUT(1) = b;
    }
    for (int i = 0; i < 3; i++) {
        int b = 10 * i + l;
        BARRIER;
        s[l] = b;
        BARRIER;
        OUT(2) = s[next];
        BARRIER;
    }
    {
        int a = l * 2, b = a + 1;
        BARRIER;
        {
            int a = 100;
            BARRIER;
            OUT(3) = b + a;
        }
    }
    {
        int n = 5, b = n + l;
        BARRIER;
        {
            int n = 9;
            BARRIER;
            OUT(4) = b * 10 + n;
        }
        {
            int y = n + l;
            int n = 9;
            BARRIER;
            OUT(5) = y * 10 + n;
        }
    }
    {
        int y = seven + l;
        int seven = 9;
        BARRIER;
        OUT(6) = y * 10 + seven;
    }
    {
        int y = one + l, one = 9;
        BARRIER;
        OUT(7) = y * 10 + one;
    }
    {
        int x = l;
        x++;
        BARRIER;
        {
            int y = x, x = 3 * l;
            BARRIER;
            x++;
            BARRIER;
            OUT(8) = y * 100 + x;
        }
    }
    {
        int n = l;
        n++;
        BARRIER;
        {
            enum { n = 3 };
            BARRIER;
            OUT(9) = n;
        }
        OUT(9) += n * 10;
    }
    {
        int i = l;
        i++;
        BARRIER;
        for (int j = i, i = 0; i < 3; i++) {
            BARRIER;
            OUT(10) = j * 10 + i;
        }
    }
    {
        union { int a; float b; } u = {1}, w;
        BARRIER;
        w = u;
        w.a += l;
        BARRIER;
        OUT(11) = w.a;
    }
    {
        struct tagged { int a, b; } u = {1, l}, w[2];
        BARRIER;
        w[1] = u;
        BARRIER;
        struct tagged z = w[1];
        BARRIER;
        OUT(12) = z.a * 100 + z.b;
    }
    {
        enum colour { red = 2, green } c = green, d;
        BARRIER;
        d = l & one ? red : c;
        BARRIER;
        OUT(13) = c * 10 + d;
    }
    {
        struct { int a, b; } many[] = {{1, 2}, {3, l}, {one, 4}};
        int list[][2] = {{1, 2}, {l, 4}};
        BARRIER;
        many[0].a += one;
        BARRIER;
        OUT(14) = many[0].a * 10 + many[1].b + list[1][0] + (int)(sizeof(many) + sizeof(list)) * 1000;
    }
    {
        struct __attribute__((packed)) { char c; int i; } p = {1, l}, q;
        q = p;
        BARRIER;
        OUT(15) = (int)sizeof(p) * 100 + q.i;
    }
    {
        number a = l;
        BARRIER;
        {
            int number = a * 2;
            BARRIER;
            number += a;
            BARRIER;
            OUT(18) = number;
        }
        OUT(18) += a * 1000;
    }
    {
        int x = -1;
        BARRIER;
        {
            int (x) = l, (y[2]) = {l, 2}, z __attribute__((aligned(16))) = x;
            BARRIER;
            OUT(19) = x + 100 * y[0] + 10000 * z;
        }
    }
    BARRIER;
    if (first(s, l, l + one) > 0) {
        BARRIER;
        OUT(16) = 2 * l;
    } else {
        OUT(16) = -1;
    }
    BARRIER;
    switch (first(s, l, 4 - one)) {
    case 3: OUT(17) = l + 1; break;
    default: OUT(17) = -1;
    }
}
