// SPDX-License-Identifier: Apache-2.0
/* Pointers to a work-item's own variables, which outlive a barrier, and declarations that change what they declared. */
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define OUT(k) out[(k) * (int)get_local_size(0) + l]
typedef int four[4];
typedef struct { int count; int table[4]; } counts;
typedef struct { int n; __private int* to; } holder;
struct node { int value; struct node* next; };
__private int* same(__private int* p) {
    return p;
}
void set(__private int* p, int value) {
    *p = value;
}
__kernel void kept_pointers(__global int* out, __local int* s, int one) {
    const int l = (int)get_local_id(0);
    const int next = (l + 1) % (int)get_local_size(0);
    {
        int a = l;
        int* b = &a;
        BARRIER;
        OUT(0) = *b;
    }
    {
        int a[4] = {l, l + 1, l + 2, l + 3};
        int* p = a + 1;
        BARRIER;
        OUT(1) = p[0] * 10 + p[1];
    }
    {
        int sums[2] = {0, 1};
        int* p = sums;
        for (int t = 0; t < 2; t++) {
            s[l] = l + t;
            BARRIER;
            p[t] += s[next];
            BARRIER;
        }
        OUT(2) = p[0] + p[1] * 100;
    }
    {
        int a = 1;
        int* q = &a;
        int** r = &q;
        BARRIER;
        **r = l;
        BARRIER;
        OUT(3) = a;
    }
    {
        int4 v = (int4)(l, l + 1, l + 2, l + 3);
        int* p = (int*)&v;
        BARRIER;
        OUT(4) = p[2];
    }
    {
        int x = l, y = -l;
        int* p = l & one ? &x : &y;
        BARRIER;
        OUT(5) = *p;
    }
    {
        holder h;
        int n = 3 * l;
        h.to = &n;
        BARRIER;
        *h.to += one;
        BARRIER;
        OUT(6) = n;
    }
    {
        int a = l + 5;
        int* p = same(&a);
        BARRIER;
        *p += 1;
        BARRIER;
        OUT(7) = a;
    }
    {
        four t;
        for (int k = 0; k < 4; k++)
            t[k] = l * k;
        int* p = t;
        BARRIER;
        OUT(8) = p[3];
    }
    {
        int m[2][3] = {{l, 1, 2}, {3, l + 4, 5}};
        int* row = m[1];
        BARRIER;
        OUT(9) = row[1];
    }
    {
        counts c[2];
        c[1].table[2] = l - 7;
        int* p = (c[1].table);
        BARRIER;
        OUT(10) = p[2];
    }
    if (one > 0) {
        int a = l;
        int* p = &(a);
        BARRIER;
        *p *= 2;
        BARRIER;
        OUT(11) = a;
    }
    {
        float whole = 0, part = modf(l * 0.75f, &whole);
        BARRIER;
        OUT(12) = (int)(whole * 1000 + part * 100);
    }
    {
        int a = 1, b = a++ + l;
        BARRIER;
        OUT(13) = a * 100 + b;
    }
    {
        int a = one, b = (a += l, 0);
        BARRIER;
        OUT(14) = a + b;
    }
    {
        int a = 1, *b = &a;
        BARRIER;
        *b = l;
        BARRIER;
        OUT(15) = a;
    }
    {
        int a = 1, b = (set(&a, l), 3);
        BARRIER;
        OUT(16) = a * 10 + b;
    }
    {
        struct node n = {l, &n};
        BARRIER;
        OUT(17) = n.next->value;
    }
    {
        for (int a = l, *p = &a; *p < 100; *p += 50 + one) {
            s[l] = a;
            BARRIER;
            OUT(18) = s[next];
            BARRIER;
        }
    }
    {
        int mask = 6, low = l & mask, sum = (l)&mask;
        BARRIER;
        OUT(19) = low * 10 + sum + (int)(sizeof(four) / sizeof(int));
    }
}
