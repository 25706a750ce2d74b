// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace conformance {

// Every kernel of the tests exists as OpenCL C, as one text for CUDA and HIP, and as a host function. n is a
// count, and work-items beyond it do nothing. Kernels without n need an exact grid.
//
//   saxpy(float a, const float* x, float* y, uint n)           y[i] += a * x[i]
//   iota(uint* out, uint n, uint base)                         out[i] = base + i
//   add(uint* data, uint n, uint value)                        data[i] += value
//   stir(uint* data, uint n, uint salt)                         data[i] = data[i] * 1664525 + salt + i
//   combine(const uint* a, const uint* b, uint* out, uint n)   out[i] = a[i] * 3 + b[i]
//   spin(uint* out, uint rounds)                               spin_result() of i; takes time
//   shape(uint* out)                                           six of a work-item: local x y z, group x y z
//   reverse_groups(const uint* in, uint* out, local uint* t)   reverses each group's part
//   two_locals(uint* out, local uchar* b, local uint* w)       see two_locals_result()
//   group_sum(const uint* in, uint* out)                       64 items a group, static local memory
//   histogram(const uint* in, uint* bins, uint n)              ++bins[in[i] % 16], atomically
//   scalars(long* out, char, uchar, short, ushort, int, uint, long, ulong, float)   out[8] is 4 x the float
//   structs(ulong* out, Mixed m)                               the five members
//   vectors(float* out, Float4 a, Float2 b)                    the six components
//   sixteen(uint* out, uint a0, ..., uint a15)                 out[k] = ak
//   is_null(const uint* p, uint* out)                          out[0] = whether p is null
//   noop()

struct Mixed {
    std::int8_t tag;
    std::int32_t number;
    float real;
    std::uint8_t bytes[5];
    std::uint64_t big;
};
struct alignas(16) Float4 {
    float x, y, z, w;
};
struct alignas(8) Float2 {
    float x, y;
};

const std::vector<ferry::Source>& sources();
/// twice(double* data, uint n). It is separate because some devices cannot build it.
const std::vector<ferry::Source>& double_sources();
/// half_sum(const half* a, const half* b, half* out, uint n). It is separate for the same reason.
const std::vector<ferry::Source>& half_sources();

/// The program of the kernels above, built once for each device.
const ferry::Program& program(const ferry::Device& device);
ferry::Kernel kernel(const ferry::Device& device, std::string_view name);

inline std::uint32_t stir_result(std::uint32_t value, std::uint32_t i, std::uint32_t salt) {
    return value * 1664525U + salt + i;
}
inline std::uint32_t spin_result(std::uint32_t i, std::uint32_t rounds) {
    for (std::uint32_t r = 0; r < rounds; ++r) {
        i = (i ^ (i >> 7)) * 1664525U + 1013904223U;
    }
    return i;
}
inline std::uint32_t two_locals_result(std::uint32_t l, std::uint32_t n) {
    return (n - 1 - l) * 5 + (((l + 1) % n) * 3 & 0xff);
}

} // namespace conformance
