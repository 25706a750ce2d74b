// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// Limits of vendors' answers. An answer beyond them is an error that names the call and the value. It is
// never used as a count, a size or the bound of a loop.
namespace ferry::backend {

constexpr int most_devices = 1024; ///< Of a vendor's library, and of an OpenCL platform. Also the limit of
                                   ///< platforms.
constexpr int most_major_version = 99;
constexpr std::uint64_t most_memory = std::uint64_t{1} << 50U;      ///< Bytes of a device.
constexpr std::uint64_t most_group_items = std::uint64_t{1} << 24U; ///< Work-items of a group.
constexpr std::uint64_t most_group_bytes = std::uint64_t{1} << 32U; ///< Bytes of local memory.
constexpr int most_unit_groups = 4096;                              ///< Groups that run on a compute unit.
constexpr std::size_t most_text = std::size_t{1} << 20U;            ///< Bytes of a name or a list.
constexpr std::size_t most_log = std::size_t{1} << 28U;             ///< Bytes of a compiler's messages.
constexpr std::size_t most_code = std::size_t{1} << 32U;            ///< Bytes of a compiled program.
constexpr unsigned most_names = 100'000;                            ///< Kernels of a program; parameters.
constexpr std::uintptr_t least_alignment = 64;                      ///< In bytes; max_element_alignment.

[[noreturn]] inline void throw_implausible(Backend backend, const char* call, const std::string& answer) {
    throw Error(Code::internal,
                std::string(call) + " returned success and " + answer + "; update or reinstall the driver",
                VendorCall{backend, call, 0, {}});
}

/// Returns the value. Throws Error (internal) if it is outside the limits. `what`: "devices".
template <class T>
T plausible(Backend backend, const char* call, const char* what, T value, std::type_identity_t<T> least,
            std::type_identity_t<T> most) {
    if (value < least || value > most) [[unlikely]] {
        throw_implausible(backend, call,
                          std::to_string(value) + " " + what + ", but only " + std::to_string(least) +
                              " to " + std::to_string(most) + " are plausible");
    }
    return value;
}

/// Returns the alignment in bytes. Throws Error (internal) unless it is a power of two of at most 1 GiB.
/// `what`: "as alignment of imports".
inline std::size_t plausible_alignment(Backend backend, const char* call, const char* what,
                                       std::uint64_t bytes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30U;
    if (!std::has_single_bit(bytes) || bytes > most) [[unlikely]] {
        throw_implausible(backend, call,
                          std::to_string(bytes) + " bytes " + what + ", but only powers of two up to " +
                              std::to_string(most) + " are plausible");
    }
    return static_cast<std::size_t>(bytes);
}

/// Returns the handle. Throws Error (internal) if it is null.
template <class T>
T made(Backend backend, const char* call, T handle) {
    if (handle == T{}) [[unlikely]] {
        throw_implausible(backend, call, "no object");
    }
    return handle;
}

/// Throws Error (internal) if it is not the address of an allocation.
inline void check_address(Backend backend, const char* call, std::uintptr_t address) {
    if (address == 0 || address % least_alignment != 0) [[unlikely]] {
        throw_implausible(backend, call,
                          "the address " + std::to_string(address) +
                              ", but an allocation has one that is not 0 "
                              "and a multiple of " +
                              std::to_string(least_alignment));
    }
}

} // namespace ferry::backend
