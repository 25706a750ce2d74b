// SPDX-License-Identifier: Apache-2.0

// The second half of a step: walls reverse velocities, and particles outside the box are moved back into it.
__kernel void reflect(__global float *positions, __global float *velocities, uint count)
{
    const uint i = get_global_id(0);
    if (i < count) {
        const float x = positions[i];
        if (x < 0.0f) {
            positions[i] = -x;
            velocities[i] = -velocities[i];
        } else if (x > 1.0f) {
            positions[i] = 2.0f - x;
            velocities[i] = -velocities[i];
        }
    }
}
