// SPDX-License-Identifier: Apache-2.0
/* Arrays whose values say how many elements they have, kept across a barrier: with braces around each element, as whole
   structs, or as plain values one after the other. */
struct point {
    int x, y;
};
typedef struct point point_t;
point_t make(int x) {
    point_t p = {x, 3};
    return p;
}
kernel void flat_values(global int* out) {
    const int i = (int)get_global_id(0), two = 2;
    point_t p = {i, two}, q = p;
    point_t r[2] = {p, q};
    point_t whole[] = {p, q, r[1], make(i)};
    struct point flat[] = {i, two, i, 4};
    struct point odd[] = {1, i + 2, 3};
    int rows[][3] = {i, 1, 2, 3, 4};
    float4 v = i;
    float4 vectors[] = {v, v + 1.0f};
    struct point* pointers[] = {&q, r, r + 1};
    barrier(CLK_LOCAL_MEM_FENCE);
    global int* to = out + 12 * i;
    to[0] = (int)(sizeof(whole) / sizeof(p));
    to[1] = (int)(sizeof(flat) / sizeof(p));
    to[2] = (int)(sizeof(odd) / sizeof(p));
    to[3] = (int)(sizeof(rows) / sizeof(rows[0]));
    to[4] = (int)(sizeof(vectors) / sizeof(v));
    to[5] = (int)(sizeof(pointers) / sizeof(pointers[0]));
    to[6] = whole[2].y + whole[3].y * 10;
    to[7] = flat[1].x + flat[1].y;
    to[8] = odd[0].y + odd[1].x * 10 + odd[1].y * 100;
    to[9] = rows[1][0] + rows[1][1] * 10 + rows[1][2] * 100;
    to[10] = (int)vectors[1].w;
    to[11] = pointers[2]->x;
}
