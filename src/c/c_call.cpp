// SPDX-License-Identifier: Apache-2.0
#include "c_call.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace ferry::c {

std::string name_of(Handle::Type type) {
    constexpr std::array names{"device", "buffer", "mapping", "queue",     "event",   "program",
                               "kernel", "share",  "access",  "recording", "recorder"};
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

void Call::text(const std::string& words, char* text, std::size_t capacity, std::size_t* needed) const {
    if (capacity != 0) {
        not_null(text, "text", "room for as many bytes as 'capacity' says");
        const std::size_t copied = std::min(words.size(), capacity - 1);
        std::memcpy(text, words.data(), copied);
        text[copied] = '\0';
    }
    if (needed != nullptr) {
        *needed = words.size() + 1;
    }
}

Grid Call::grid(const ferry_grid* grid) const {
    not_null(grid, "grid", "the address of a ferry_grid");
    const auto shape = [](const size_t(&n)[3]) { return Dim3(n[0], n[1], n[2]); };
    if (std::all_of(std::begin(grid->local), std::end(grid->local),
                    [](std::size_t n) { return n == FERRY_CHOOSE_LOCAL; })) {
        Grid chosen = Grid::covering(shape(grid->groups));
        chosen.offset = shape(grid->offset);
        return chosen;
    }
    return {shape(grid->groups), shape(grid->local), shape(grid->offset)};
}

QueueOptions Call::options(const ferry_queue_options* options) const {
    QueueOptions wanted;
    if (options != nullptr) {
        wanted.timing = options->timing != 0;
        wanted.wait = choice(options->wait, WaitPolicy::block, "options->wait");
    }
    return wanted;
}

} // namespace ferry::c
