// SPDX-License-Identifier: Apache-2.0
#define WIDTH 16
#define HEIGHT 8
#define EDGE (WIDTH + 2) // a row of the tile with a neighbour at each end

// The same generation as in life.cl. Each group first copies its cells and their neighbours to
// local memory.
kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1)))
void life_tiles(global const uchar* now, global uchar* next, uint width, uint height) {
    local uchar tile[EDGE * (HEIGHT + 2)];
    uint first_x = get_group_id(0) * WIDTH, first_y = get_group_id(1) * HEIGHT;
    uint me = get_local_id(1) * WIDTH + get_local_id(0);
    for (uint i = me; i < EDGE * (HEIGHT + 2); i += WIDTH * HEIGHT) {
        uint from_x = (first_x + i % EDGE + width - 1) % width;
        uint from_y = (first_y + i / EDGE + height - 1) % height;
        tile[i] = now[from_y * width + from_x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        uint up = get_local_id(1) * EDGE + get_local_id(0) + 1;
        uint here = up + EDGE, down = here + EDGE;
        uint count = tile[up - 1] + tile[up] + tile[up + 1]
                   + tile[here - 1] + tile[here + 1]
                   + tile[down - 1] + tile[down] + tile[down + 1];
        next[y * width + x] = count == 3 || (count == 2 && tile[here] != 0);
    }
}
