// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ferry {

/// The maximum number of arguments of a launch, on every backend.
inline constexpr std::size_t max_arguments = 128;

/// Element types that are checked when an argument is passed. All other types are `other` and are checked by
/// size.
enum class ScalarType : std::uint8_t { other, i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

template <class T>
constexpr ScalarType scalar_type() noexcept {
    using V = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<V, float>) {
        return ScalarType::f32;
    } else if constexpr (std::is_same_v<V, double>) {
        return ScalarType::f64;
    } else if constexpr (std::is_integral_v<V> && !std::is_same_v<V, bool>) {
        constexpr int log = sizeof(V) == 1 ? 0 : sizeof(V) == 2 ? 1 : sizeof(V) == 4 ? 2 : 3;
        return static_cast<ScalarType>(1 + 2 * log + (std::is_unsigned_v<V> ? 1 : 0));
    } else {
        return ScalarType::other;
    }
}

namespace detail {

/// The kinds of launch arguments.
enum class ArgumentKind : std::uint8_t { value, buffer, local };

} // namespace detail
} // namespace ferry
