// SPDX-License-Identifier: Apache-2.0
/* Functions with barriers: what they mean is theirs, whatever names their callers have. The local size is 16. */
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define OUT(k) out[(k) * 16 + l]
__constant int N = 5;
enum { E0, E1 = 4, six = 6 };
struct S { int a; };
typedef int T;
int half_of(int x) { return x / 2; }
int f(__local int* s, int l) {
    s[l] = l * N;
    BARRIER;
    int r = s[(l + 1) & 15] + N;
    BARRIER;
    return r;
}
int e(__local int* s, int l) {
    s[l] = l + E1;
    BARRIER;
    int r = s[(l + 1) & 15] * E1;
    BARRIER;
    return r;
}
int t(__local int* s, int l) {
    T wide = l * 300;
    BARRIER;
    s[l] = wide + (int)sizeof(struct S);
    BARRIER;
    int r = s[(l + 1) & 15];
    BARRIER;
    return r;
}
int called(__local int* s, int l) {
    s[l] = max(l, 7);
    BARRIER;
    int r = half_of(s[(l + 1) & 15]);
    BARRIER;
    return r;
}
int members(__local int* s, int l) {
    struct { int l, k[2]; } z = {l, {1, 2}};
    s[l] = z.l;
    BARRIER;
    int r = s[(l + 1) & 15];
    BARRIER;
    return r + z.l + z.k[1];
}
int outer(__local int* s, int k) {
    int y = members(s, k);
    k = y;
    return k;
}
int labelled(__local int* s, int l) {
begin:
    l++;
    s[l & 15] = l;
    BARRIER;
    int n = 0;
again:
    n += s[l & 15] > 3 ? l : 1;
    if (n < 3) goto again;
    BARRIER;
    return n;
}
int chained(__local int* s, int N) {
    int got = f(s, N & 15);
    return got + N;
}
kernel void put_in(global int* out, int k) {
    __local int s[16];
    const int l = (int)get_local_id(0);
    {
        int a, N, c;
        N = 7;
        a = f(s, l);
        OUT(0) = a + N;
    }
    {
        int(N) = 9;
        int a = f(s, l);
        OUT(1) = a + N;
    }
    {
        int N __attribute__((aligned(8))) = 9;
        int a = f(s, l);
        OUT(2) = a + N;
    }
    {
        struct { int x; } N = {3};
        int a = f(s, l);
        OUT(3) = a + N.x;
    }
    {
        int a, E1, b;
        E1 = 3;
        a = e(s, l);
        OUT(4) = a + E1;
    }
    {
        enum { E2 = 1, E1, E3 };
        int a = e(s, l);
        OUT(5) = a + 10 * E1 + 100 * E3;
    }
    {
        struct S { int a[9]; };
        typedef char T;
        int a = t(s, l);
        OUT(6) = a + (int)sizeof(struct S) + (int)sizeof(T);
    }
    {
        int a, max, half_of;
        max = 3;
        half_of = 4;
        a = called(s, l);
        OUT(7) = a + 10 * max + half_of;
    }
    OUT(8) = outer(s, l);
    int a = labelled(s, l);
    a = labelled(s, a & 15);
    OUT(9) = a;
    a = chained(s, l);
    OUT(10) = a + k;
    BARRIER, a++;
    if (a > 0) BARRIER, a++;
    (BARRIER);
    if (a > 0) ((BARRIER, a += 0));
    OUT(11) = a;
    {
        int sp[] = {[5] = 1, 2, [six - 2] = 3};
        int* p = sp;
        BARRIER;
        OUT(12) = (int)(sizeof(sp) / sizeof(sp[0])) + p[4] + 10 * p[5] + 100 * p[6];
    }
}
kernel void kept_restrict(global int* restrict out, global int* const restrict counts) {
    __local int s[16];
    const int l = (int)get_local_id(0);
    s[l] = l;
    BARRIER;
    atomic_add(&counts[s[15 - l] & 3], 1);
    BARRIER;
    out[l] = s[15 - l];
    BARRIER;
    out++;
    out[15] = 7;
}
