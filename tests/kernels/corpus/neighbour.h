// SPDX-License-Identifier: Apache-2.0
/* For kernels whose work-items pass values on: n work-items in a group, and s has an element for each. */
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

/* The value of the next work-item. */
int next(__local int* s, int l, int n, int value) {
    s[l] = value;
    BARRIER;
    int got = s[(l + 1) % n];
    BARRIER;
    return got;
}
