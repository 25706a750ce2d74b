// SPDX-License-Identifier: Apache-2.0
// The constants of FIPS 180-4.
__constant uint round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTR(x, n) rotate((uint)(x), (uint)(32 - (n)))

// The number of leading zero bits in the digest of (head, nonce), a message of 32 bytes; at most 64.
uint zero_bits(__global const uint* head, ulong nonce) {
    uint w[16];
    for (int t = 0; t < 6; ++t) {
        w[t] = head[t];
    }
    w[6] = (uint)(nonce >> 32);
    w[7] = (uint)nonce;
    w[8] = 0x80000000u;
    for (int t = 9; t < 15; ++t) {
        w[t] = 0;
    }
    w[15] = 256;

    const uint8 start = (uint8)(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                                0x1f83d9ab, 0x5be0cd19);
    uint a = start.s0, b = start.s1, c = start.s2, d = start.s3;
    uint e = start.s4, f = start.s5, g = start.s6, h = start.s7;
    for (int t = 0; t < 64; ++t) {
        if (t >= 16) {
            const uint early = w[(t + 1) & 15], late = w[(t + 14) & 15];
            w[t & 15] += (ROTR(early, 7) ^ ROTR(early, 18) ^ (early >> 3)) + w[(t + 9) & 15] +
                         (ROTR(late, 17) ^ ROTR(late, 19) ^ (late >> 10));
        }
        const uint one = h + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + bitselect(g, f, e) +
                         round_constants[t] + w[t & 15];
        const uint two = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + bitselect(a, b, a ^ c);
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const uint first = start.s0 + a;
    return clz(first) + (first == 0 ? clz(start.s1 + b) : 0);
}

// Finds the smallest i of all work-items such that the digest of (head, first + i) has at least `bits`
// leading zero bits. Stores it in *found, unless a smaller value is there.
__kernel void search(__global const uint* head, ulong first, uint bits, __global uint* found) {
    const uint i = get_global_id(0);
    if (zero_bits(head, first + i) >= bits) {
        atomic_min(found, i);
    }
}
