// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/backend.hpp>
#include <ferry/export.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace ferry {

/// What kind of thing went wrong, the same on every backend. docs/errors.md has an example of each.
enum class Code : std::uint8_t {
    invalid_argument, ///< a value the call cannot take, whatever the state of the program
    out_of_range,     ///< a range that leaves the object it was taken from, or a size that overflows
    invalid_state,    ///< a call that the object's present state does not allow (moved from, mapped, ...)
    out_of_memory,    ///< the device or the host has no room; nothing was allocated, the device goes on
    unavailable,      ///< no such backend or device on this machine; the message lists why
    unsupported,      ///< this device cannot do it; the message says what to do instead
    not_found,        ///< a name that is not there; near names are suggested
    build_failed,     ///< a program did not compile, link or load; `log()` holds the compiler's words
    command_failed,   ///< a command failed on the device; the message names the command
    device_lost, ///< the device or its context is unusable from now on; others are not, but for those that
                 ///< their driver gives up with it (CUDA: all of the process)
    internal,    ///< the vendor's call failed in a way it should not; please report it
};

/// The enumerator's name, "invalid_argument" and so on.
FERRY_API std::string_view to_string(Code code) noexcept;

/// The vendor call behind an error, as the vendor knows it.
struct VendorCall {
    Backend backend{};
    std::string call;      ///< "cuMemAlloc_v2", "clBuildProgram"
    std::int64_t code = 0; ///< the number the call returned
    std::string name;      ///< "CUDA_ERROR_OUT_OF_MEMORY"; empty if the vendor has no name for it
};

/// The one exception of this library. `what()` is one full sentence: the thing at fault with the given
/// value, the limit it broke, and, where a vendor call failed, that call with its code. Copying never
/// throws and is cheap (the contents are shared and constant), so an error can be kept and thrown again.
class FERRY_API Error : public std::exception {
public:
    /// `where` is the caller's line, not the library's. A zero byte in the message becomes "\0".
    Error(Code code, std::string message, SourceLocation where = SourceLocation::current());
    Error(Code code, std::string message, VendorCall vendor,
          SourceLocation where = SourceLocation::current());

    Code code() const noexcept;
    const char* what() const noexcept override;
    /// The vendor call that failed, or null if none was involved. Lives as long as any copy of this error.
    const VendorCall* vendor() const noexcept;
    /// The compiler's messages if code() is build_failed, else empty.
    const std::string& log() const noexcept;
    /// The line of the caller's program that made the failing call. For an error that a device reports
    /// later, the line that enqueued the command.
    const SourceLocation& where() const noexcept;

    /// The same error with another message, log or place; this object is unchanged.
    Error with_message(std::string message) const;
    Error with_log(std::string log) const;
    Error with_where(SourceLocation where) const;
    Error with_code(Code code) const;

private:
    struct Contents;
    explicit Error(std::shared_ptr<const Contents> contents) noexcept;
    std::shared_ptr<const Contents> contents_;
};

/// How a command ended: well, or with the error it failed with. Handed to completion callbacks.
class FERRY_API EventStatus {
public:
    EventStatus() = default;
    explicit EventStatus(Error error) : error_(std::move(error)) {}

    bool ok() const noexcept { return !error_; }
    explicit operator bool() const noexcept { return ok(); }
    /// The error, or null if the command ended well.
    const Error* error() const noexcept { return error_ ? &*error_ : nullptr; }
    /// Throws the error if there is one.
    void check() const {
        if (error_) {
            throw Error(*error_);
        }
    }

private:
    std::optional<Error> error_;
};

#if !defined(Status) // Xlib defines it as a macro
/// The earlier name.
using Status = EventStatus;
#endif

} // namespace ferry
