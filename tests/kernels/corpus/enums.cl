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
/* The values decide which of the two it is, not how they are written; a tag is another one in another block. */
typedef enum later later_t;
enum later { LATER_A = 3, LATER_B };
enum { WIDTH = 8 };
enum minus { MINUS_A = 5 - 1, MINUS_B = WIDTH - 1 };
enum mask { MASK_A = ~0xfffffff0, MASK_B };
enum top { TOP_A = 1 << 31 };
enum sum { SUM_A = MINUS + 9 };
enum wide { WIDE_A = 0xffffffff };
enum cast { CAST_A = 'z' - 'a', CAST_B = (int)3.7f, CAST_C = (char)200, CAST_D = CAST_A > 5 && CAST_B };
enum scoped { SCOPED_A = -1, SCOPED_B };
int first_scope(void) {
    enum { COUNT = 4 };
    enum own { OWN_A = COUNT * 2 - 1 } o = OWN_A;
    return o - 10 > 0;
}
int second_scope(void) {
    enum { COUNT = 8 };
    enum own { OWN_A = COUNT - 9 } o = OWN_A;
    return o - 10 > 0;
}
kernel void enum_values(global int* out) {
    const int i = (int)get_global_id(0);
    global int* to = out + 16 * i;
    later_t later = LATER_B;
    to[0] = later - 10 > 0;
    enum minus m = MINUS_A;
    to[1] = m - 10 > 0;
    enum mask k = MASK_A;
    to[2] = k - 100 > 0;
    enum top t = TOP_A;
    to[3] = t < 0;
    enum sum s = SUM_A;
    to[4] = s - 10 > 0;
    enum wide w = WIDE_A;
    to[5] = w > 0;
    enum cast c = CAST_A;
    to[6] = c - 100 < 0;
    int table[30] = {[CAST_A] = 7, [CAST_B] = 8, [CAST_D] = 9};
    to[7] = table[25] + 10 * table[3] + 100 * table[1];
    {
        enum scoped { INNER_A, INNER_B } inner = INNER_B;
        to[8] = inner - 2 > 0;
    }
    enum scoped outer = SCOPED_A;
    to[9] = outer < 0;
    to[10] = first_scope();
    to[11] = second_scope();
    to[12] = (int)(sizeof(enum wide) + 10 * sizeof(later));
    to[13] = CAST_C;
    to[14] = MASK_A;
    to[15] = WIDE_A > 0;
}
