// SPDX-License-Identifier: Apache-2.0
__constant uint k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define ROR(x, n) rotate((x), (uint)(32 - (n)))
/* One block for each work-item: `bytes` < 56 of a message, already in a buffer of 64. */
__kernel void sha256(__global const uchar* messages, __global const uint* bytes, __global uint* digests) {
    const size_t id = get_global_id(0);
    uint w[64];
    for (int i = 0; i < 16; ++i) {
        w[i] = 0;
        for (uint b = 0; b < 4; ++b) {
            const uint at = 4 * i + b;
            const uint c = at < bytes[id] ? messages[64 * id + at] : at == bytes[id] ? 0x80u : 0u;
            w[i] = w[i] << 8 | c;
        }
    }
    w[15] = bytes[id] * 8;
    for (int i = 16; i < 64; ++i) {
        const uint s0 = ROR(w[i - 15], 7) ^ ROR(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const uint s1 = ROR(w[i - 2], 17) ^ ROR(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    const uint start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8 h = vload8(0, start);
    for (int i = 0; i < 64; ++i) {
        const uint t1 = h.s7 + (ROR(h.s4, 6) ^ ROR(h.s4, 11) ^ ROR(h.s4, 25)) + bitselect(h.s6, h.s5, h.s4) + k[i] +
                        w[i];
        const uint t2 = (ROR(h.s0, 2) ^ ROR(h.s0, 13) ^ ROR(h.s0, 22)) +
                        ((h.s0 & h.s1) ^ (h.s0 & h.s2) ^ (h.s1 & h.s2));
        h = (uint8)(t1 + t2, h.s012, h.s3 + t1, h.s456);
    }
    vstore8(h + vload8(0, start), id, digests);
}
