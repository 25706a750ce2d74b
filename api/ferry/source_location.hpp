// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <version>
#ifdef __cpp_lib_source_location
#include <source_location>
#endif

namespace ferry {

/// A line of the caller's program. It corresponds to std::source_location and can be made from one. Ferry has
/// its own type because clang 14 and 15 lack std::source_location with libstdc++, and the interface of a
/// library must not depend on the compiler.
class SourceLocation {
public:
    constexpr SourceLocation() noexcept = default;
#ifdef __cpp_lib_source_location
    constexpr SourceLocation(
        const std::source_location& other) noexcept // NOLINT(google-explicit-constructor)
        : file_(other.file_name()), function_(other.function_name()), line_(other.line()) {}
#endif
    /// As a default argument: the line of the call.
    static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                            const char* function = __builtin_FUNCTION(),
                                            std::uint32_t line = __builtin_LINE()) noexcept {
        SourceLocation here;
        here.file_ = file;
        here.function_ = function;
        here.line_ = line;
        return here;
    }

    constexpr const char* file_name() const noexcept {
        return file_;
    }
    constexpr const char* function_name() const noexcept {
        return function_;
    }
    constexpr std::uint32_t line() const noexcept {
        return line_;
    } ///< 0 if not known.

private:
    const char* file_ = "";
    const char* function_ = "";
    std::uint32_t line_ = 0;
};

} // namespace ferry
