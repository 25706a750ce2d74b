// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_errors.hpp"
#include "driver/driver_symbols.hpp"
#include "hal/backend.hpp"
#include "hal/plausible.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ferry::driver {

// Flags and numbers that both vendors share. tests/abi compares them with the headers.
namespace flag {
constexpr unsigned int stream_non_blocking = 1;
constexpr unsigned int event_blocking_sync = 1;
constexpr unsigned int event_disable_timing = 2;
constexpr unsigned int managed_global = 1;
constexpr unsigned int register_portable_mapped = 3;
constexpr unsigned int register_read_only = 8;
constexpr int capture_relaxed = 2; ///< Other threads may make any call meanwhile.
} // namespace flag
/// For the advice of the driver, and for the destination of a prefetch in place of a device.
constexpr int processor = -1;
namespace memory_advice {
constexpr int read_mostly = 1;
constexpr int not_read_mostly = 2;
constexpr int preferred_location = 3;
constexpr int no_preferred_location = 4;
constexpr int accessed_by = 5;
constexpr int not_accessed_by = 6;
} // namespace memory_advice
namespace function_attribute {
constexpr int max_group_size = 0;
constexpr int local_bytes = 1;
constexpr int registers = 4;
} // namespace function_attribute

namespace pointer_attribute {
constexpr int host_pointer = 4;
} // namespace pointer_attribute

namespace load_option {
constexpr int notes = 3;
constexpr int notes_bytes = 4;
constexpr int errors = 5;
constexpr int errors_bytes = 6;
} // namespace load_option

/// The device attribute numbers that a vendor must provide.
struct Attributes {
    int max_group_size, local_x, local_y, local_z, groups_x, groups_y, groups_z, local_memory, warp_size,
        clock_khz, compute_units, integrated, map_host_memory, managed, concurrent_managed, host_page_tables,
        pageable_access, registered_has_host_address;
    int registers_read_only; ///< -1: the vendor has no such attribute.
};

/// How a vendor encodes its version in one number.
struct VersionNumber {
    int major;  ///< The value of one major version.
    int minor;  ///< The value of one minor version.
    int oldest; ///< The oldest supported version.
};

/// "13.0".
template <class V>
std::string dotted(int version) {
    constexpr VersionNumber number = V::version_number;
    return std::to_string(version / number.major) + "." +
           std::to_string(version % number.major / number.minor);
}

/// An opened vendor library with all its functions. One for each backend, created once.
///
/// V, the vendor, is cuda::Vendor or hip::Vendor. It provides the types and constants of driver_symbols.hpp,
/// the Symbols, the attribute numbers and the few functions in which the two differ.
template <class V>
struct Api : V::Symbols {
    backend::Library library;
    std::vector<std::string> features_off;
    int version = 0; ///< CUDA: of the driver API; HIP: of the runtime.

    VendorCall vendor_call(const char* name, int code) const {
        return {V::backend, name, code, V::error_name(*this, code)};
    }
    Error error(const char* name, int code, std::string_view about = {}) const {
        return vendor_error(vendor_call(name, code), V::error_text(*this, code), about);
    }
    [[noreturn]] void fail(const char* name, int code, std::string_view about = {}) const {
        throw error(name, code, about);
    }

    /// Calls a function that returns a Result. Throws unless it is success.
    template <class S, class... A>
    void call(const S& symbol, A... arguments) const {
        if (const int code = symbol.function(arguments...); code != result::success) [[unlikely]] {
            fail(symbol.name, code);
        }
    }
    /// The same for destructors: the result is ignored.
    template <class S, class... A>
    void call_quietly(const S& symbol, A... arguments) const noexcept {
        static_cast<void>(symbol.function(arguments...));
    }

    /// Returns a handle from `symbol`. Throws Error if it is null.
    template <class S, class T>
    T made(const S& symbol, T handle) const {
        return backend::made(V::backend, symbol.name, handle);
    }

    int attribute(int number, int ordinal) const {
        int value = 0;
        return this->device_attribute(&value, number, ordinal) == result::success ? value : 0;
    }
};

} // namespace ferry::driver
