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

/// The kind of an error. The kinds are the same on every backend. docs/errors.md has an example of each.
enum class Code : std::uint8_t {
    invalid_argument, ///< A value that the call never accepts, whatever the state of the program.
    out_of_range,     ///< A range that exceeds its object, or a size that overflows.
    invalid_state,    ///< A call that the present state of the object does not allow (moved from, mapped,
                      ///< ...).
    out_of_memory,    ///< The device or the host has too little memory. Nothing was allocated; the device
                      ///< remains usable.
    unavailable,      ///< This machine has no such backend or device. The message gives the reason for each.
    unsupported,      ///< The device does not support the operation. The message names an alternative.
    not_found,        ///< A name that does not exist. The message suggests similar names.
    build_failed,     ///< A program did not compile, link or load. `log()` has the compiler's messages.
    command_failed,   ///< A command failed on the device. The message names the command.
    device_lost, ///< The device or its context is permanently unusable. Other devices remain usable, except
                 ///< those that the same driver loses with it (CUDA: all devices of the process).
    internal,    ///< A vendor call failed unexpectedly. Please report it.
};

/// The name of the enumerator, for example "invalid_argument".
FERRY_API std::string_view to_string(Code code) noexcept;

/// The vendor call that caused an error, as the vendor names it.
struct VendorCall {
    Backend backend{};
    std::string call;      ///< "cuMemAlloc_v2", "clBuildProgram"
    std::int64_t code = 0; ///< The number that the call returned.
    std::string name;      ///< "CUDA_ERROR_OUT_OF_MEMORY". Empty if the vendor has no name for the code.
};

/// The only exception type of this library. `what()` is one full sentence: the object at fault with the given
/// value, the violated limit and, if a vendor call failed, that call with its code. The contents are shared
/// and constant. Copying is cheap and never throws, so an error can be stored and thrown again.
class FERRY_API Error : public std::exception {
public:
    /// `where` is a line of the caller, not of the library. A zero byte in the message becomes "\0".
    Error(Code code, std::string message, SourceLocation where = SourceLocation::current());
    Error(Code code, std::string message, VendorCall vendor,
          SourceLocation where = SourceLocation::current());

    Code code() const noexcept;
    const char* what() const noexcept override;
    /// The vendor call that failed, or null if there was none. Valid while any copy of this error lives.
    const VendorCall* vendor() const noexcept;
    /// The compiler's messages if code() is build_failed, otherwise empty.
    const std::string& log() const noexcept;
    /// The line of the caller's program that made the failing call. For an error that a device reports later,
    /// it is the line that enqueued the command.
    const SourceLocation& where() const noexcept;

    /// Copies of this error with another message, log, place or code. This object is unchanged.
    Error with_message(std::string message) const;
    Error with_log(std::string log) const;
    Error with_where(SourceLocation where) const;
    Error with_code(Code code) const;

private:
    struct Contents;
    explicit Error(std::shared_ptr<const Contents> contents) noexcept;
    std::shared_ptr<const Contents> contents_;
};

/// The result of a command: success, or the error of its failure. Passed to completion callbacks.
class FERRY_API EventStatus {
public:
    EventStatus() = default;
    explicit EventStatus(Error error) : error_(std::move(error)) {}

    bool ok() const noexcept { return !error_; }
    explicit operator bool() const noexcept { return ok(); }
    /// The error, or null on success.
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

#if !defined(Status) // Xlib defines it as a macro.
/// The former name.
using Status = EventStatus;
#endif

} // namespace ferry
