// SPDX-License-Identifier: Apache-2.0

// Before the library: adds a different mean to each signal.
__kernel void shift(__global float2 *signals, __global const float *means, uint length, uint count)
{
    const uint i = get_global_id(0);
    if (i < count) {
        signals[i].x += means[i / length];
    }
}

// Between the two transforms: removes frequencies above `cut`, and applies the scale of the backward
// transform.
__kernel void low_pass(__global float2 *spectra, uint length, uint cut, uint count)
{
    const uint i = get_global_id(0);
    if (i < count) {
        const uint k = i % length;
        const uint frequency = min(k, length - k);
        spectra[i] = frequency > cut ? (float2)(0.0f, 0.0f) : spectra[i] / (float)length;
    }
}
