// SPDX-License-Identifier: Apache-2.0
__kernel void async_reverse(__global const int* in, __global int* out, __local int* tile, __local int2* pairs) {
    const size_t size = get_local_size(0), first = get_group_id(0) * size, lid = get_local_id(0);
    event_t done = async_work_group_copy(tile, in + first, size, 0);
    done = async_work_group_copy(pairs, (__global const int2*)in, size / 2, done);
    prefetch(in, 1);
    wait_group_events(1, &done);
    const int mine = tile[size - 1 - lid] + pairs[lid / 2].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t back = async_work_group_copy(out + first, tile, size, 0);
    wait_group_events(1, &back);
}

/* Every third element of the global side, both ways. */
__kernel void async_strided(__global const int* in, __global int* out, __local int* tile) {
    __local short narrow[64];
    const size_t size = get_local_size(0), first = get_group_id(0) * size, lid = get_local_id(0);
    event_t done = async_work_group_strided_copy(tile + 0, in + 3 * first, size, 3, 0);
    wait_group_events(1, &done);
    narrow[lid] = (short)(tile[size - 1 - lid] & 0x7fff);
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lid] = narrow[(lid + 1) % size] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t back = async_work_group_strided_copy(&out[3 * first], (__local const int*)tile, size, 3, 0);
    wait_group_events(1, &back);
}

/* Two events at once, and the copies seen by other work-items in both kinds of memory. */
__kernel void async_exchanged(__global const int* in, __global int* out, __global int* passed, __local int* tile) {
    const size_t size = get_local_size(0), first = get_group_id(0) * size, lid = get_local_id(0);
    event_t both[2];
    both[0] = async_work_group_copy(tile, in + first, size / 2, 0);
    both[1] = async_work_group_copy(tile + size / 2, in + first + size / 2, size - size / 2, 0);
    wait_group_events(2, both);
    const int mine = tile[(lid + 1) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lid] = mine * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t back = async_work_group_copy(passed + first, (__local const int*)tile, size, 0);
    wait_group_events(1, &back);
    out[first + lid] = passed[first + (lid + 1) % size];
}
