// SPDX-License-Identifier: Apache-2.0
// One generation of a band of rows. Row 0 and row `rows` + 1 are copies of the neighbours' rows.
kernel void life_band(global const uchar* now, global uchar* next, uint width, uint rows) {
    uint x = get_global_id(0), y = get_global_id(1) + 1;
    if (x < width && y <= rows) {
        uint left = (x + width - 1) % width, right = (x + 1) % width;
        uint up = (y - 1) * width, here = y * width, down = (y + 1) * width;
        uint count = now[up + left] + now[up + x] + now[up + right]
                   + now[here + left] + now[here + right]
                   + now[down + left] + now[down + x] + now[down + right];
        next[here + x] = count == 3 || (count == 2 && now[here + x] != 0);
    }
}
