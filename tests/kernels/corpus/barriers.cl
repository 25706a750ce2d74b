// SPDX-License-Identifier: Apache-2.0
typedef struct { int key; short2 pair; } slot;
int rotate_by(__local const int* from, uint lid, uint size, uint by) { return from[(lid + by) % size]; }
__kernel void barriers(__global const int* in, __global int* out, int rounds, __local int* extra, uint n) {
    __local slot slots[64];
    __local int a[64], b[64];
    __local int flag;
    const uint lid = get_local_id(0), size = get_local_size(0), gid = get_global_id(0);
    int mine = in[gid];
    slots[lid].key = mine;
    slots[lid].pair = (short2)((short)lid, (short)(mine & 7));
    if (lid == 0)
        flag = in[get_group_id(0) * size] & 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < rounds; ++r) {
        a[lid] = mine + r;
        extra[size - 1 - lid] = mine ^ r;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine = rotate_by(a, lid, size, (uint)r + 1) ^ extra[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (r == 1)
            continue;
        if (flag) {
            b[lid] = mine;
            barrier(CLK_LOCAL_MEM_FENCE);
            mine += b[size - 1 - lid] & 0xff;
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        }
    }
    if (gid >= n)
        return;
    out[gid] = mine + slots[size - 1 - lid].key + slots[(lid + 1) % size].pair.x * slots[lid].pair.y;
}
