// SPDX-License-Identifier: Apache-2.0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void remainders(__global const double* in, double divisor, __global double* out) {
    const uint i = get_global_id(0);
    int quotient;
    out[3 * i] = fmod(in[i], divisor);
    out[3 * i + 1] = remainder(in[i], divisor);
    out[3 * i + 2] = remquo(in[i], divisor, &quotient);
}
