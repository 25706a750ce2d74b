// SPDX-License-Identifier: Apache-2.0
// The same value as in universe.hpp.
#define TILE 64

// Computes the pull of every body on every other, then one step of the leapfrog method. Velocities change by
// `kick` times the pull, positions by `drift` times the velocity. A body is (x, y, z, mass); velocities[i].w
// holds the potential. `count` is a multiple of TILE.
//
// The work-group loads the bodies tile by tile into local memory. Each work-item loads one body and then uses
// the whole tile. So each body is read from global memory once for each group, instead of once for each
// work-item.
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
advance(__global const float4* bodies, __global float4* moved, __global float4* velocities, uint count,
        float softening2, float kick, float drift) {
    __local float4 tile[TILE];
    const uint i = get_global_id(0);
    const uint lane = get_local_id(0);
    const float4 own = bodies[i];
    float4 pull = (float4)(0.0f);
    for (uint first = 0; first < count; first += TILE) {
        tile[lane] = bodies[first + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < TILE; ++j) {
            const float3 way = tile[j].xyz - own.xyz;
            const float inverse = rsqrt(dot(way, way) + softening2);
            const float strength = tile[j].w * inverse;
            pull.xyz += way * (strength * inverse * inverse);
            pull.w -= strength;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float3 velocity = velocities[i].xyz + kick * pull.xyz;
    velocities[i] = (float4)(velocity, pull.w);
    moved[i] = (float4)(own.xyz + drift * velocity, own.w);
}
