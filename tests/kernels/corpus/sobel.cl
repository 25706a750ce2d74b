// SPDX-License-Identifier: Apache-2.0
constant int weights[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
kernel void sobel(global const uchar* in, global uchar* out, int2 size) {
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (any(at >= size))
        return;
    int2 slope = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            const int2 p = clamp(at + (int2)(i - 1, j - 1), (int2)(0), size - 1);
            slope += (int)in[p.y * size.x + p.x] * (int2)(weights[j][i], weights[i][j]);
        }
    const uint2 s = abs(slope);
    out[at.y * size.x + at.x] = convert_uchar_sat(s.x + s.y);
}
