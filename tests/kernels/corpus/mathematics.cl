// SPDX-License-Identifier: Apache-2.0
#ifdef WITH_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double2 real2;
#else
typedef float real;
typedef float2 real2;
#endif
/* Each line has the value 1 for every x between 0.1 and 1. */
__kernel void mathematics(__global const real* in, __global real* out, uint n) {
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    const real x = in[i];
    real c;
    const real s = sincos(x, &c);
    int e;
    const real f = frexp(x, &e);
    out[12 * i] = s * s + c * c;
    out[12 * i + 1] = exp(log(x)) / x;
    out[12 * i + 2] = pow(sqrt(x), (real)2) / x;
    out[12 * i + 3] = cbrt(x) * cbrt(x) * cbrt(x) / x;
    out[12 * i + 4] = ldexp(f, e) / x;
    out[12 * i + 5] = tan(atan(x)) / x;
    out[12 * i + 6] = sin(asin(x)) / x;
    out[12 * i + 7] = erf(x) + erfc(x);
    out[12 * i + 8] = tgamma(x + 1) / (x * tgamma(x));
    out[12 * i + 9] = cosh(x) * cosh(x) - sinh(x) * sinh(x);
    out[12 * i + 10] = hypot(x * 3, x * 4) / (5 * x);
    out[12 * i + 11] = length((real2)(x, 0)) * rsqrt(x * x);
}
