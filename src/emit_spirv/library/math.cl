// SPDX-License-Identifier: Apache-2.0
// The mathematical functions of OpenCL C that neither SPIR-V nor GLSL.std.450 has with the precision of OpenCL, in
// OpenCL C. A function NAME is fy_NAME for float and fy_NAME_d for double; half_NAME and native_NAME are the same.
// Vectors are computed component by component.
//
// Several results are returned as a struct. The caller stores `second` where the pointer of OpenCL C points to:
//     struct fy_two            first, second       fract modf sincos
//     struct fy_with_int       first, int second   frexp lgamma_r remquo
//
// Of OpenCL C's functions these files call only sqrt, rint, floor and clz. There sqrt, rint and floor must become the
// instructions Sqrt, RoundEven and Floor of GLSL.std.450. A division may have an error of 3 units in the last place,
// and sqrt one of 6. Additions and products must be rounded to nearest. The results are within the limits if
// subnormal numbers are flushed, and if products are contracted; without contraction they are somewhat better.
//
// The names of all files but this one end in .inc. They are compiled twice, for float and for double.
#pragma OPENCL FP_CONTRACT OFF
#include "two_over_pi.inc"
#include "wide.inc"

#include "format_float.inc"
#include "polynomials_float.inc"
#include "functions.inc"

#include "undefine.inc"
#include "format_double.inc"
#include "polynomials_double.inc"
#include "functions.inc"
