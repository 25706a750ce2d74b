// SPDX-License-Identifier: Apache-2.0
__kernel void ids(__global uint* out) {
    const size_t at = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    __global uint* to = out + 22 * at;
    for (uint d = 0; d < 3; ++d) {
        to[7 * d] = get_global_id(d);
        to[7 * d + 1] = get_local_id(d);
        to[7 * d + 2] = get_group_id(d);
        to[7 * d + 3] = get_local_size(d);
        to[7 * d + 4] = get_num_groups(d);
        to[7 * d + 5] = get_global_size(d);
        to[7 * d + 6] = get_global_offset(d);
    }
    to[21] = get_work_dim() >= 1 && get_work_dim() <= 3;
}
// Ids of dimensions that the grid does not have.
__kernel void beyond(__global uint* out) {
    out[0] = (get_global_id(3) == 0) + 2 * (get_local_id(7) == 0) + 4 * (get_group_id(3) == 0);
    out[1] = (uint)(get_local_size(3) * get_num_groups(3) * get_global_size(3)) + (uint)get_global_offset(3);
}
