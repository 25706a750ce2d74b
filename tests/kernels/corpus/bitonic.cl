// SPDX-License-Identifier: Apache-2.0
/* Sorts the pairs of a group by key, then value. The local size is a power of two. */
__kernel void bitonic(__global uint2* data, __local uint2* pairs) {
    const uint lid = get_local_id(0), size = get_local_size(0);
    pairs[lid] = data[get_global_id(0)];
    for (uint run = 2; run <= size; run <<= 1)
        for (uint stride = run >> 1; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint other = lid ^ stride;
            if (other > lid) {
                const uint2 a = pairs[lid], b = pairs[other];
                const bool greater = a.x > b.x || (a.x == b.x && a.y > b.y);
                if (greater == ((lid & run) == 0)) {
                    pairs[lid] = b;
                    pairs[other] = a;
                }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = pairs[lid];
}
