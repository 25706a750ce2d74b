// SPDX-License-Identifier: Apache-2.0
// One block of SHA-256 for each work-item.
#define ROTATE(x, n) rotate(x, n##u)

__constant uint rounds[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u,
    0xab1c5ed5u, 0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu,
    0x9bdc06a7u, 0xc19bf174u, 0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu,
    0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, 0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u,
    0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu,
    0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u, 0xa2bfe8a1u, 0xa81a664bu,
    0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u, 0x19a4c116u,
    0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u,
    0xc67178f2u};
__constant uint start[8] = {
    0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu,
    0x5be0cd19u};

__kernel void sha256(__global const uint* restrict message, __global uint* restrict digest, uint n) {
    uint i = get_global_id(0);
    if (i >= n) {
        return;
    }
    uint w[16];
    for (int t = 0; t < 16; ++t) {
        uint x = message[16 * i + t];
        w[t] = (ROTATE(x, 8) & 0x00ff00ffu) | (ROTATE(x, 24) & 0xff00ff00u);
    }
    uint s[8];
    for (int k = 0; k < 8; ++k) {
        s[k] = start[k];
    }
#pragma unroll
    for (int t = 0; t < 64; ++t) {
        if (t >= 16) {
            uint u = w[(t + 1) & 15];
            uint v = w[(t + 14) & 15];
            w[t & 15] += w[(t + 9) & 15] + (ROTATE(u, 25) ^ ROTATE(u, 14) ^ (u >> 3)) +
                         (ROTATE(v, 15) ^ ROTATE(v, 13) ^ (v >> 10));
        }
        uint a = s[0];
        uint e = s[4];
        uint one = s[7] + (ROTATE(e, 26) ^ ROTATE(e, 21) ^ ROTATE(e, 7)) + (s[6] ^ (e & (s[5] ^ s[6]))) +
                   rounds[t] + w[t & 15];
        uint two = (ROTATE(a, 30) ^ ROTATE(a, 19) ^ ROTATE(a, 10)) + ((a & s[1]) | (s[2] & (a | s[1])));
        s[7] = s[6];
        s[6] = s[5];
        s[5] = e;
        s[4] = s[3] + one;
        s[3] = s[2];
        s[2] = s[1];
        s[1] = a;
        s[0] = one + two;
    }
    for (int k = 0; k < 8; ++k) {
        digest[8 * i + k] = s[k] + start[k];
    }
}
