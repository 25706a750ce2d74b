// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// Everything of OpenCL C that the library uses and C++ lacks.
namespace opencl_on_host {

using uint = std::uint32_t;
using ulong = std::uint64_t;

inline uint as_uint(float x) {
    return std::bit_cast<uint>(x);
}
inline ulong as_ulong(double x) {
    return std::bit_cast<ulong>(x);
}
inline float as_float(uint bits) {
    return std::bit_cast<float>(bits);
}
inline double as_double(ulong bits) {
    return std::bit_cast<double>(bits);
}
inline int clz(uint x) {
    return std::countl_zero(x);
}
inline int clz(ulong x) {
    return std::countl_zero(x);
}
using std::floor;
using std::rint;
using std::sqrt;

} // namespace opencl_on_host

#define __constant static const
