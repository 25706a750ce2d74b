// SPDX-License-Identifier: Apache-2.0

/// A step of a sequence that differs in each element. Each step needs the result of the one before.
__kernel void step(__global uint* data, uint count, uint seed) {
    const uint i = (uint)get_global_id(0);
    if (i < count) {
        data[i] = data[i] * 1664525u + seed + i;
    }
}
