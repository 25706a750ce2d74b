// SPDX-License-Identifier: Apache-2.0
// One generation of the Game of Life, a work-item for each cell. The edges of the field are joined.
kernel void life(global const uchar* now, global uchar* next, uint width, uint height) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        uint left = (x + width - 1) % width, right = (x + 1) % width;
        uint up = (y + height - 1) % height * width, down = (y + 1) % height * width;
        uint here = y * width;
        uint count = now[up + left] + now[up + x] + now[up + right]
                   + now[here + left] + now[here + right]
                   + now[down + left] + now[down + x] + now[down + right];
        next[here + x] = count == 3 || (count == 2 && now[here + x] != 0);
    }
}
