// SPDX-License-Identifier: Apache-2.0
// These kernels are launched at offsets, so they must not assume that ids begin at 0.
size_t id_of(uint d);
size_t id_by_way_of(uint d) { return id_of(d); }
size_t id_of(uint d) { return get_global_id(d); }
ulong3 offset_of(void) { return (ulong3)(get_global_offset(0), get_global_offset(1), get_global_offset(2)); }

__kernel void places(__global ulong* out) {
    size_t at = 0;
    for (int d = 2; d >= 0; --d)
        at = at * get_global_size(d) + get_group_id(d) * get_local_size(d) + get_local_id(d);
    __global ulong* place = out + 10 * at;
    place[0] = get_global_id(0);
    place[1] = get_global_id(1);
    place[2] = get_global_id(2);
    for (uint d = 0; d < 3; ++d)
        place[3 + d] = id_by_way_of(d);
    vstore3(offset_of(), 2, place);
    place[9] = get_work_dim();
}

__kernel void stir_part(__global uint* data, uint end) {
    uint i = get_global_id(0);
    if (i >= end) return;
    data[i] = data[i] * 1664525u + 7 + i;
}

__kernel void stir_image(__global uint* data, uint width, uint right, uint bottom) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < right && y < bottom) {
        uint i = y * width + x;
        data[i] = data[i] * 1664525u + 7 + i;
    }
}

// For groups of at most 64. Keeps the id across barriers.
__kernel void turned_groups(__global const uint* in, __global uint* out, __local uint* given) {
    __local uint own[64];
    uint i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    uint at = i - (uint)get_global_offset(0);
    own[l] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    given[n - 1 - l] = own[l] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = given[l] + (uint)id_of(0);
}
