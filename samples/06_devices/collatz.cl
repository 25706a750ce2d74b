// SPDX-License-Identifier: Apache-2.0
// Counts the steps n -> n / 2 or 3 n + 1 that lead from first, first + 1, ... to 1.
__kernel void collatz(__global uint* steps, ulong first, uint count) {
    size_t i = get_global_id(0);
    if (i < count) {
        ulong n = first + i;
        uint s = 0;
        while (n > 1) {
            n = n & 1 ? 3 * n + 1 : n / 2;
            ++s;
        }
        steps[i] = s;
    }
}
