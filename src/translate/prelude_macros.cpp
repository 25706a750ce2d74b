// SPDX-License-Identifier: Apache-2.0
#include "prelude.hpp"

#include <ferry/version.hpp>

namespace ferry::translate {
namespace {

constexpr const char* common[] = {
    "__OPENCL_VERSION__=120",
    "__OPENCL_C_VERSION__=120",
    "CL_VERSION_1_0=100",
    "CL_VERSION_1_1=110",
    "CL_VERSION_1_2=120",
    "__ENDIAN_LITTLE__=1",
    "cl_khr_byte_addressable_store=1",
    "cl_khr_global_int32_base_atomics=1",
    "cl_khr_global_int32_extended_atomics=1",
    "cl_khr_local_int32_base_atomics=1",
    "cl_khr_local_int32_extended_atomics=1",
    "cl_khr_int64_base_atomics=1",
    "cl_khr_int64_extended_atomics=1",
    "NULL=0",
    "CLK_LOCAL_MEM_FENCE=1",
    "CLK_GLOBAL_MEM_FENCE=2",
    "CHAR_BIT=8",
    "CHAR_MAX=SCHAR_MAX",
    "CHAR_MIN=SCHAR_MIN",
    "SCHAR_MAX=127",
    "SCHAR_MIN=(-127 - 1)",
    "UCHAR_MAX=255",
    "SHRT_MAX=32767",
    "SHRT_MIN=(-32767 - 1)",
    "USHRT_MAX=65535",
    "INT_MAX=2147483647",
    "INT_MIN=(-2147483647 - 1)",
    "UINT_MAX=0xffffffffU",
    "LONG_MAX=0x7fffffffffffffffL",
    "LONG_MIN=(-0x7fffffffffffffffL - 1)",
    "ULONG_MAX=0xffffffffffffffffUL",
    "FLT_DIG=6",
    "FLT_MANT_DIG=24",
    "FLT_MAX_10_EXP=+38",
    "FLT_MAX_EXP=+128",
    "FLT_MIN_10_EXP=-37",
    "FLT_MIN_EXP=-125",
    "FLT_RADIX=2",
    "FLT_MAX=0x1.fffffep127f",
    "FLT_MIN=0x1.0p-126f",
    "FLT_EPSILON=0x1.0p-23f",
    "MAXFLOAT=0x1.fffffep127f",
    "HUGE_VALF=fy_infinity",
    "HUGE_VAL=fy_infinity_double",
    "INFINITY=fy_infinity",
    "NAN=fy_nan",
    "FP_ILOGB0=(-2147483647 - 1)",
    "FP_ILOGBNAN=2147483647",
    "M_E_F=2.71828182845904523536f",
    "M_LOG2E_F=1.44269504088896340736f",
    "M_LOG10E_F=0.434294481903251827651f",
    "M_LN2_F=0.693147180559945309417f",
    "M_LN10_F=2.30258509299404568402f",
    "M_PI_F=3.14159265358979323846f",
    "M_PI_2_F=1.57079632679489661923f",
    "M_PI_4_F=0.785398163397448309616f",
    "M_1_PI_F=0.318309886183790671538f",
    "M_2_PI_F=0.636619772367581343076f",
    "M_2_SQRTPI_F=1.12837916709551257390f",
    "M_SQRT2_F=1.41421356237309504880f",
    "M_SQRT1_2_F=0.707106781186547524401f",
    "FERRY_HAS_ATOMIC_ADD_FLOAT=1",
    "FERRY_HAS_SUBGROUPS=1",
};

constexpr const char* with_fp64[] = {
    "cl_khr_fp64=1",
    "FERRY_HAS_FP64=1",
    "DBL_DIG=15",
    "DBL_MANT_DIG=53",
    "DBL_MAX_10_EXP=+308",
    "DBL_MAX_EXP=+1024",
    "DBL_MIN_10_EXP=-307",
    "DBL_MIN_EXP=-1021",
    "DBL_MAX=0x1.fffffffffffffp1023",
    "DBL_MIN=0x1.0p-1022",
    "DBL_EPSILON=0x1.0p-52",
    "M_E=2.71828182845904523536",
    "M_LOG2E=1.44269504088896340736",
    "M_LOG10E=0.434294481903251827651",
    "M_LN2=0.693147180559945309417",
    "M_LN10=2.30258509299404568402",
    "M_PI=3.14159265358979323846",
    "M_PI_2=1.57079632679489661923",
    "M_PI_4=0.785398163397448309616",
    "M_1_PI=0.318309886183790671538",
    "M_2_PI=0.636619772367581343076",
    "M_2_SQRTPI=1.12837916709551257390",
    "M_SQRT2=1.41421356237309504880",
    "M_SQRT1_2=0.707106781186547524401",
};

} // namespace

std::vector<std::string> predefined_macros(Dialect dialect, bool fp64) {
    std::vector<std::string> macros(std::begin(common), std::end(common));
    if (fp64) {
        macros.insert(macros.end(), std::begin(with_fp64), std::end(with_fp64));
    }
    switch (dialect) {
    case Dialect::cuda:
        macros.emplace_back("FERRY_CUDA=1");
        break;
    case Dialect::hip:
        macros.emplace_back("FERRY_HIP=1");
        break;
    case Dialect::host:
        macros.emplace_back("FERRY_HOST=1");
        break;
    }
    if (dialect != Dialect::host) {
        macros.emplace_back("FP_FAST_FMAF=1");
    }
    macros.emplace_back("FERRY_VERSION=" + std::to_string(FERRY_VERSION_MAJOR * 10000 +
                                                          FERRY_VERSION_MINOR * 100 + FERRY_VERSION_PATCH));
    return macros;
}

} // namespace ferry::translate
