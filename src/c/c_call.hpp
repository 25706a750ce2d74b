// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "c_handle.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

// The common parts of all C functions: they check their parameters, and convert exceptions to codes.

namespace ferry::c {

constexpr ferry_code code_of(Code code) noexcept {
    return static_cast<ferry_code>(code) + 1;
}

/// Stores the current exception for ferry_last_error(), and returns its code.
ferry_code caught() noexcept;
/// The number of errors stored on this thread, and the last of them.
std::uint64_t errors_noted() noexcept;
const Error* last_error() noexcept;

/// One call of a C function.
class Call {
public:
    explicit Call(const char* function) noexcept : where(SourceLocation::current("", function, 0)) {}

    /// Throws invalid_argument if the pointer is null. `what` describes the expected object: "a text".
    void not_null(const void* pointer, const char* parameter, const char* what) const {
        if (pointer == nullptr) {
            refuse_null(parameter, what);
        }
    }

    template <class H>
    H& get(H* handle, const char* parameter) const {
        check_handle(handle, H::own_type, parameter);
        return *handle;
    }

    /// The place for a new handle.
    template <class H>
    H*& out(H** place, const char* parameter) const {
        not_null(place, parameter, "the address of a handle");
        *place = nullptr;
        return *place;
    }

    /// Converts a number to an enumerator; `last` is the largest one.
    template <class E>
    E choice(std::int32_t number, E last, const char* parameter) const {
        if (number < 0 || number > static_cast<std::int32_t>(last)) {
            refuse_choice(number, static_cast<std::int32_t>(last), parameter);
        }
        return static_cast<E>(number);
    }

    /// The size of a range of an object of `size` bytes: `bytes`, or the rest.
    std::size_t range(std::size_t size, std::size_t offset, std::size_t bytes, const char* what) const;

    View<std::byte> view(ferry_buffer& buffer, std::size_t offset, std::size_t bytes) const;

    Grid grid(const ferry_grid* grid) const;
    QueueOptions options(const ferry_queue_options* options) const;
    /// Copies `words` to a caller's buffer of `capacity` bytes.
    void text(const std::string& words, char* text, std::size_t capacity, std::size_t* needed) const;

    [[noreturn]] void refuse(Code code, const std::string& message) const;
    /// "of ferry_queue_launch()".
    std::string of() const;

    const SourceLocation where;

private:
    void check_handle(const Handle* handle, Handle::Type wanted, const char* parameter) const;
    [[noreturn]] void refuse_null(const char* parameter, const char* what) const;
    [[noreturn]] void refuse_choice(std::int32_t number, std::int32_t last, const char* parameter) const;
};

/// The handle of a device. There is one for each, which is never destroyed.
ferry_device* handle_of(const Device& device);

/// Runs the body of a C function with the given name.
template <class F>
ferry_code call(const char* function, F&& body) noexcept {
    try {
        std::forward<F>(body)(Call(function));
        return FERRY_OK;
    } catch (...) {
        return caught();
    }
}

/// Releases a handle. A handle of another type is ignored, because the function cannot return an error.
template <class H>
void release(H* handle) noexcept {
    if (handle != nullptr && handle->type == H::own_type) {
        delete handle;
    }
}

} // namespace ferry::c
