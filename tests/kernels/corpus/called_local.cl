// SPDX-License-Identifier: Apache-2.0
/* A kernel without barriers that has a local array, and one that calls it. */
__kernel void own_slots(__global uint* data, uint by) {
    __local uint slots[64];
    const size_t l = get_local_id(0);
    slots[l] = data[get_global_id(0)] + by;
    data[get_global_id(0)] = 3u * slots[l];
}
__kernel void own_slots_twice(__global uint* data, uint by) {
    if (get_global_id(0) % 3 == 0)
        own_slots(data, by);
    own_slots(data, by + 1u);
}
