// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_on_host.hpp"

#include <concepts>
#include <limits>

/// Numbers whose division and square root are as inaccurate as Vulkan allows.
namespace weak_number {

using Float = float;
using Double = double;
using opencl_on_host::clz;
using opencl_on_host::uint;
using opencl_on_host::ulong;

/// Between -1 and 1, another one in each call.
inline double next_error() {
    static std::uint64_t state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63;
}

template <class T>
T with_error(T exact, double units) {
    return exact + exact * static_cast<T>(units * next_error()) * std::numeric_limits<T>::epsilon();
}

template <class T>
class Weak {
public:
    Weak() = default;
    Weak(T value) : value_(value) {} // NOLINT(google-explicit-constructor): constants convert
    template <std::integral I>
    explicit Weak(I value) : value_(static_cast<T>(value)) {}
    template <class To>
        requires std::is_arithmetic_v<To>
    explicit operator To() const { return static_cast<To>(value_); }

    friend Weak operator+(Weak a, Weak b) { return a.value_ + b.value_; }
    friend Weak operator-(Weak a, Weak b) { return a.value_ - b.value_; }
    friend Weak operator*(Weak a, Weak b) { return a.value_ * b.value_; }
    friend Weak operator/(Weak a, Weak b) { return with_error(a.value_ / b.value_, 2.5); }
    Weak operator-() const { return -value_; }
    Weak& operator*=(Weak b) { return *this = *this * b; }
    friend bool operator==(Weak a, Weak b) { return a.value_ == b.value_; }
    friend auto operator<=>(Weak a, Weak b) { return a.value_ <=> b.value_; }

    friend Weak sqrt(Weak x) { return with_error(std::sqrt(x.value_), 6); }
    friend Weak rint(Weak x) { return std::rint(x.value_); }
    friend Weak floor(Weak x) { return std::floor(x.value_); }

private:
    T value_;
};

inline uint as_uint(Weak<Float> x) {
    return opencl_on_host::as_uint(static_cast<Float>(x));
}
inline ulong as_ulong(Weak<Double> x) {
    return opencl_on_host::as_ulong(static_cast<Double>(x));
}
inline Weak<Float> as_float(uint bits) {
    return opencl_on_host::as_float(bits);
}
inline Weak<Double> as_double(ulong bits) {
    return opencl_on_host::as_double(bits);
}

} // namespace weak_number
