// SPDX-License-Identifier: Apache-2.0
typedef struct { ulong state; } xorshift_t;
static ulong next(xorshift_t* g) {
    g->state ^= g->state >> 12;
    g->state ^= g->state << 25;
    g->state ^= g->state >> 27;
    return g->state * 0x2545f4914f6cdd1dUL;
}
static uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        const uint2 high = mul_hi((uint2)(0xd2511f53u, 0xcd9e8d57u), counter.xz);
        const uint2 low = (uint2)(0xd2511f53u, 0xcd9e8d57u) * counter.xz;
        counter = (uint4)(high.y ^ counter.y ^ key.x, low.y, high.x ^ counter.w ^ key.y, low.x);
        key += (uint2)(0x9e3779b9u, 0xbb67ae85u);
    }
    return counter;
}
kernel void generators(global ulong* xorshifts, global uint4* philoxes, ulong seed, uint2 key, int rounds) {
    const size_t i = get_global_id(0);
    xorshift_t g = {seed + i + 1};
    ulong sum = 0;
    for (int r = 0; r < rounds; ++r)
        sum += next(&g);
    xorshifts[i] = sum;
    philoxes[i] = philox((uint4)((uint)i, 0, 0, (uint)rounds), key);
}
