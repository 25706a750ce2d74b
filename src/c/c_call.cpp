// SPDX-License-Identifier: Apache-2.0
#include "c_call.hpp"

#include "text.hpp"

#include <array>

namespace ferry::c {

std::string name_of(Handle::Type type) {
    constexpr std::array names{"device",  "buffer", "mapping", "queue", "event",
                               "program", "kernel", "share",   "access"};
    const auto i = static_cast<std::uint64_t>(type) - static_cast<std::uint64_t>(Handle::Type::device);
    return i < names.size() ? std::string("ferry_") + names[i] : std::string();
}

std::string Call::of() const {
    return std::string("of ") + where.function_name() + "()";
}

void Call::refuse(Code code, const std::string& message) const {
    throw Error(code, message, where);
}

void Call::refuse_null(const char* parameter, const char* what) const {
    refuse(Code::invalid_argument,
           "The parameter '" + std::string(parameter) + "' " + of() + " is null; it takes " + what);
}

void Call::refuse_choice(std::int32_t number, std::int32_t last, const char* parameter) const {
    refuse(Code::invalid_argument, "The parameter '" + std::string(parameter) + "' " + of() + " is " +
                                       std::to_string(number) + "; it takes 0 to " + std::to_string(last));
}

void Call::check_handle(const Handle* handle, Handle::Type wanted, const char* parameter) const {
    if (handle != nullptr && handle->type == wanted) {
        return;
    }
    const std::string takes = "a " + name_of(wanted);
    if (handle == nullptr) {
        refuse_null(parameter, takes.c_str());
    }
    const std::string given = name_of(handle->type);
    refuse(Code::invalid_argument, "The parameter '" + std::string(parameter) + "' " + of() + " is " +
                                       (given.empty() ? "no handle of Ferry's" : "a " + given) +
                                       "; it takes " + takes);
}

std::size_t Call::range(std::size_t size, std::size_t offset, std::size_t bytes, const char* what) const {
    if (offset <= size && bytes == FERRY_TO_END) {
        return size - offset;
    }
    if (offset > size || bytes > size - offset) {
        const std::string length =
            bytes == FERRY_TO_END ? std::string("The range") : "The range of " + detail::in_bytes(bytes);
        refuse(Code::out_of_range, length + " from byte " + std::to_string(offset) + " on, " + of() +
                                       ", leaves " + what + " of " + detail::in_bytes(size));
    }
    return bytes;
}

View<std::byte> Call::view(ferry_buffer& buffer, std::size_t offset, std::size_t bytes) const {
    const std::size_t count = range(buffer.buffer.size(), offset, bytes, "a buffer");
    return buffer.buffer.subview(offset, count, where);
}

} // namespace ferry::c
