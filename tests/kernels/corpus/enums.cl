// SPDX-License-Identifier: Apache-2.0
/* An enumeration is an unsigned int unless it has a negative constant; its constants are of type int. */
typedef enum { RED, GREEN, BLUE } color;
enum sign { MINUS = -1, ZERO, PLUS };
struct holder { enum inner { IN_A = 3, IN_B } kind; enum sign s; int n; };
int below(color c) { return c - 1 < 0 ? 100 : 4; }
int below_sign(enum sign s) { return s - 1 < 0 ? 100 : 4; }
kernel void enums(global const int* in, global int* out, color given) {
    const int i = (int)get_global_id(0), d = -1;
    global int* to = out + 20 * i;
    color c = in[i] & 1 ? RED : BLUE;
    to[0] = below(RED) + below(c);
    to[1] = below_sign(MINUS);
    to[2] = d < c;
    to[3] = c > -1;
    to[4] = (c - GREEN) / 2;
    to[5] = (int)((long)(c - BLUE) >> 32);
    enum local_one { L1 = 5, L2 } e = L2;
    const enum { C1, C2 = C1 + 7 } k = C2;
    to[6] = e + k;
    struct holder h = {IN_B, PLUS, 2};
    to[7] = h.kind + h.s;
    h.kind = IN_A;
    to[8] = h.kind - 5 < 0;
    switch (c) {
    case RED: to[9] = 1; break;
    case BLUE: to[9] = 3; break;
    default: to[9] = 9;
    }
    to[10] = 0;
    for (enum local_one n = L1; n <= L2; n++) to[10] += n;
    to[11] = (int)(sizeof(enum sign) + sizeof(color) * 16 + sizeof(enum { Z1 }) * 256);
    int table[BLUE + 1] = {[GREEN] = 5};
    to[12] = table[1] + Z1;
    barrier(CLK_LOCAL_MEM_FENCE);
    to[13] = c;
    to[14] = RED - 1 < 0;
    c = 7;
    to[15] = c;
    to[16] = given;
}
