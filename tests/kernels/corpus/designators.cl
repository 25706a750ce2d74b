// SPDX-License-Identifier: Apache-2.0
typedef struct { int x, y; } spot;
typedef struct { int y, x; int z; } turned;
typedef struct {
    int head;
    spot at, to[2];
    int grid[2][3];
    struct { char kind; spot end; } tail;
    float4 weight;
} node;
typedef union { uint word; float number; spot both; } either;
__constant spot table[] = {[2] = {.y = 1}, {.x = 2, .y = 3}, [0].x = 4, [0].y = 5, [1] = {6, 7}};
__constant turned turns[2] = {{.x = 1, .y = 2}, {.z = 3, .x = 4}};
int sum(node n) {
    return n.head + 3 * n.at.x + 5 * n.at.y + 7 * n.to[0].x + 11 * n.to[0].y + 13 * n.to[1].x + 17 * n.to[1].y +
           19 * n.grid[0][0] + 23 * n.grid[0][1] + 29 * n.grid[0][2] + 31 * n.grid[1][0] + 37 * n.grid[1][1] +
           41 * n.grid[1][2] + 43 * n.tail.kind + 47 * n.tail.end.x + 53 * n.tail.end.y + (int)(59 * n.weight.x) +
           (int)(61 * n.weight.w);
}
__kernel void designators(__global const int* in, __global int* out) {
    const int v = in[get_global_id(0)];
    __global int* to = out + 16 * get_global_id(0);
    const spot s = {.y = v, .x = (v) << 1};
    node a = {.at.y = v, .at.x = v + 1, .to[1].x = 2, .grid[1][2] = v, .grid[1][0] = 3, .tail.end.y = (v) << 2,
              .weight = (float4)(1, 2, 3, v)};
    node b = {v, .to = {[1] = s, [0].y = 4}, .grid = {[0] = {[2] = v, [0] = 1}, [1] = {1, v, 3}}, .at = s};
    node c[3] = {[2].tail = {.kind = 'c', .end = {v}}, [0] = {1, {2, v}}, [1].to[0] = s, [1].head = v};
    int m[3][2] = {[1] = {v}, [2][1] = 4, [0][0] = 5, [0][1] = v};
    int order[4] = {[3] = 1, [1] = (v) << 1 | 1, v};
    either e = {.number = 1.5f};
    either f = {.both = {.y = v, .x = 3}};
    either g = {7};
    int late[] = {v, [1] = 9, 10, [6] = 1};
    to[0] = sum(a);
    to[1] = sum(b);
    to[2] = sum(c[0]);
    to[3] = sum(c[1]);
    to[4] = sum(c[2]);
    to[5] = sum((node){.at.x = v, .tail.kind = 2, .to[0] = {.y = v}});
    to[6] = m[0][0] + 2 * m[0][1] + 3 * m[1][0] + 5 * m[1][1] + 7 * m[2][0] + 11 * m[2][1];
    to[7] = order[0] + 2 * order[1] + 3 * order[2] + 5 * order[3];
    to[8] = (int)e.word;
    to[9] = f.both.x + 3 * f.both.y + (int)g.word;
    to[10] = late[0] + 2 * late[1] + 3 * late[2] + 5 * late[3] + 7 * late[6];
    to[11] = (int)(sizeof(late) / sizeof(late[0]));
    to[12] = table[0].x + 2 * table[0].y + 3 * table[1].x + 5 * table[1].y + 7 * table[2].x + 11 * table[2].y;
    to[13] = (int)(sizeof(table) / sizeof(table[0])) + table[3].x * v + table[3].y;
    to[14] = turns[0].x + 2 * turns[0].y + 3 * turns[0].z + 5 * turns[1].x + 7 * turns[1].y + 11 * turns[1].z;
    to[15] = s.x + 3 * s.y;
}
