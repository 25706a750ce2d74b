// SPDX-License-Identifier: Apache-2.0
// Adds the living cells to *total, a row for each work-item.
kernel void count(global const uchar* cells, uint width, uint height, global uint* total) {
    uint y = get_global_id(0);
    if (y < height) {
        uint sum = 0;
        for (uint x = 0; x < width; ++x) sum += cells[y * width + x];
        atomic_add(total, sum);
    }
}
