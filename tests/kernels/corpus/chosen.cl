// SPDX-License-Identifier: Apache-2.0
// Two kernels give one function pointers to different variables.
int get_chosen(const int* p, int i) { return p[i]; }
void set_chosen(int* p, int i, int value) { p[i] = value; }
__kernel void chosen_first(__global int* out, int which) {
    int x[2] = {1, 2};
    int y[2] = {3, 4};
    int* p = which ? x : y;
    set_chosen(p, 1, get_chosen(p, 1) + 10);
    out[0] = x[0] + 100 * x[1] + 10000 * y[1];
}
__kernel void chosen_second(__global int* out, int which) {
    int v[2] = {5, 6};
    int w[2] = {7, 8};
    int* p = which ? v : w;
    set_chosen(p, 0, get_chosen(p, 0) + 20);
    out[0] = v[0] + 100 * w[0] + 10000 * v[1];
}
__constant long least = (long)-0x1p63;
__kernel void folded(__global long* out, __global float* rounded) {
    out[0] = least;
    rounded[0] = (float)((1L << 60) + (1L << 36) + 1L);
}
