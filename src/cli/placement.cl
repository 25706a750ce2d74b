// SPDX-License-Identifier: Apache-2.0
// Each work-group handles one contiguous part, and its work-items read adjacent elements. Each kernel writes
// the sum of its reads to `out`.
#define FOR_MINE(i, count)                                                                     \
    const ulong group_size = get_local_size(0);                                                \
    const ulong all_items = get_global_size(0);                                                \
    const ulong mine = ((count) + all_items - 1) / all_items * group_size;                     \
    const ulong from = min(get_group_id(0) * mine, (ulong)(count));                            \
    const ulong to = min(from + mine, (ulong)(count));                                         \
    for (ulong i = from + get_local_id(0); i < to; i += group_size)

__kernel void read_all(__global const uint* in, __global uint* out, ulong n) {
    uint sum = 0;
    FOR_MINE(i, n) {
        sum += in[i];
    }
    out[get_global_id(0)] = sum;
}

__kernel void read_sparse(__global const uint* in, __global uint* out, ulong n) {
    uint sum = 0;
    FOR_MINE(i, (n + 99) / 100) {
        sum += in[i * 100];
    }
    out[get_global_id(0)] = sum;
}

// n is a power of two, so an odd factor visits each element exactly once.
__kernel void read_random(__global const uint* in, __global uint* out, ulong n) {
    uint sum = 0;
    FOR_MINE(i, n) {
        sum += in[(i * 2654435761UL) & (n - 1)];
    }
    out[get_global_id(0)] = sum;
}

__kernel void update(__global uint* data, ulong n) {
    FOR_MINE(i, n) {
        data[i] += 1;
    }
}

__kernel void write_all(__global uint* data, ulong n) {
    FOR_MINE(i, n) {
        data[i] = (uint)i;
    }
}
