// SPDX-License-Identifier: Apache-2.0

// One step of the heat equation on `rows` x `columns` cells with a halo of one cell around them. `pitch` is
// the length of a row with its halo. fma() gives the same bits on every device, and no other operation here
// can be contracted. So every device and every division of the field gives the same bits.
__kernel void heat_step(__global const float *from, __global float *to, uint columns, uint rows, float rate)
{
    const uint x = get_global_id(0);
    const uint y = get_global_id(1);
    if (x < columns && y < rows) {
        const uint pitch = columns + 2;
        const uint i = (y + 1) * pitch + x + 1;
        const float across = from[i - 1] + from[i + 1];
        const float along = from[i - pitch] + from[i + pitch];
        const float around = across + along;
        to[i] = fma(rate, fma(-4.0f, from[i], around), from[i]);
    }
}
