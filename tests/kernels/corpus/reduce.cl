// SPDX-License-Identifier: Apache-2.0
/* The sum and the position of the largest element of each group; any local size. */
__kernel void reduce(__global const uint* in, __global uint* sums, __global uint* places, __local uint* sum,
                     __local uint* place, uint n) {
    const uint lid = get_local_id(0), gid = get_global_id(0);
    sum[lid] = gid < n ? in[gid] : 0;
    place[lid] = gid < n ? gid : n;
    for (uint active = get_local_size(0); active > 1;) {
        const uint half_of = (active + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid + half_of < active) {
            sum[lid] += sum[lid + half_of];
            const uint mine = place[lid], other = place[lid + half_of];
            if (other < n && (mine >= n || in[other] > in[mine] || (in[other] == in[mine] && other < mine)))
                place[lid] = other;
        }
        active = half_of;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        sums[get_group_id(0)] = sum[0];
        places[get_group_id(0)] = place[0];
    }
}
