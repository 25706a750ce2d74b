// SPDX-License-Identifier: Apache-2.0
/* Compiled into the program, with the formats of printf. */
__kernel void printed(__global int* out) {
    const int i = (int)get_global_id(0);
    out[i] = i * i;
    printf("square of %d: %d\n", i, out[i]);
}
