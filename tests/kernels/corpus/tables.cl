// SPDX-License-Identifier: Apache-2.0
typedef struct {
    float weight;
    uchar kind;
    short offset[3];
    struct { int low, high; } range;
} Entry;
__constant int steps[5] = {3, -1, 4, -1, 5};
__constant struct { uint factor; uint term; } rules[2] = {{1664525u, 1013904223u}, {22695477u, 1u}};
__kernel void tables(__global const Entry* in, __constant const float* scale, __global Entry* out, uint n) {
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    Entry e = in[i];
    for (int k = 0; k < 3; ++k)
        e.offset[k] = (short)(e.offset[k] + steps[(i + k) % 5]);
    e.weight *= scale[e.kind & 3];
    e.range.low = (int)((uint)e.range.low * rules[i & 1].factor + rules[i & 1].term);
    e.range.high = ~e.range.high;
    e.kind ^= (uchar)sizeof(Entry);
    out[i] = e;
}
// The program must pass this value with the same size and padding.
typedef struct {
    char tag;
    float3 place;
    short count;
} Body;
__kernel void by_value(__global float* out, Body body, Entry entry, float scale) {
    out[0] = body.tag;
    vstore3(body.place * scale, 0, out + 1);
    out[4] = body.count;
    out[5] = entry.offset[2];
    out[6] = entry.range.high;
}
