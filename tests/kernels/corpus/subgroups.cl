// SPDX-License-Identifier: Apache-2.0
/* Eight words for each work-item say where it is; 20 say what came of the operations, 0 where there are none. */
__kernel void subgroups(__global const int* in, __global uint* where, __global int* out, __global float* sums) {
    const size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    __global uint* w = where + 8 * i;
    __global int* o = out + 20 * i;
#ifdef FERRY_HAS_SUBGROUPS
    const int v = in[i];
    const uint lane = get_sub_group_local_id();
    const uint size = get_sub_group_size();
    w[0] = 1;
    w[1] = get_max_sub_group_size();
    w[2] = get_num_sub_groups();
    w[3] = get_sub_group_id();
    w[4] = size;
    w[5] = lane;
    w[6] = (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));
    o[0] = sub_group_shuffle(v, size - 1 - lane);
    o[1] = sub_group_shuffle_xor(v, 0u);
    o[2] = sub_group_shuffle_up(v, 1u);
    o[3] = sub_group_shuffle_down(v, 1u);
    o[4] = sub_group_broadcast(v, 0u);
    o[5] = sub_group_any(v == 77) != 0;
    o[6] = sub_group_all(v != 77) != 0;
    o[7] = sub_group_reduce_add(v);
    o[8] = sub_group_reduce_min(v);
    o[9] = sub_group_reduce_max(v);
    o[10] = sub_group_scan_inclusive_add(v);
    o[11] = sub_group_scan_inclusive_min(v);
    o[12] = sub_group_scan_inclusive_max(v);
    o[13] = sub_group_scan_exclusive_add(v);
    o[14] = sub_group_scan_exclusive_min(v);
    o[15] = sub_group_scan_exclusive_max(v);
    o[16] = (int)sub_group_reduce_max((uint)v);
    o[17] = (int)(sub_group_reduce_add((long)v << 20) >> 20);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    o[18] = (int)sub_group_shuffle((float)(v & 0xffff), 0u);
    o[19] = sub_group_shuffle_xor(v, 1u);
    sums[i] = sub_group_scan_exclusive_max((float)(v & 0xffff));
#else
    for (int k = 0; k < 8; ++k) w[k] = 0;
    for (int k = 0; k < 20; ++k) o[k] = 0;
    sums[i] = 0;
#endif
}
