// SPDX-License-Identifier: Apache-2.0
#include "system/thread.hpp"
#include "trace/trace.hpp"
#include "trace/writer.hpp"

#include <array>
#include <cstdio>

namespace ferry::trace {
namespace {

/// Bytes of the well-formed UTF-8 character at the start of `text`. 0 if there is none.
std::size_t character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    const std::size_t size = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
    if (size == 0 || size > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            return 0;
        }
    }
    const bool too_long = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool no_character = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
    return too_long || no_character ? 0 : size;
}

} // namespace

std::string json_string(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t size = character(text);
        const char c = text.front();
        if (size == 0) {
            out += "\\ufffd";
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
            out += escape.data();
        } else {
            out += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    return out + '"';
}

std::string stamp(std::int64_t time) {
    static const std::int64_t first = now();
    // A command's device time may be estimated slightly before the trace's start.
    const std::int64_t ns = time > first ? time - first : 0;
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%lld.%03lld", static_cast<long long>(ns / 1000),
                  static_cast<long long>(ns % 1000));
    return text.data();
}

std::string head(std::string_view name, char phase, std::uint64_t process, std::uint64_t thread,
                 std::int64_t time) {
    return "{\"name\": " + json_string(name) + ", \"ph\": \"" + phase +
           "\", \"pid\": " + std::to_string(process) + ", \"tid\": " + std::to_string(thread) +
           ", \"ts\": " + stamp(time);
}

void name_row(const char* what, std::uint64_t process, std::uint64_t thread, const std::string& name) {
    if (Writer* const file = writer()) {
        file->add(head(what, 'M', process, thread, now()) + ", \"args\": {\"name\": " + json_string(name) +
                  "}}");
    }
}

std::uint64_t this_process() noexcept {
    return detail::process_number();
}

std::uint64_t this_thread() {
    thread_local std::uint64_t id = 0;
    if (id == 0) {
        id = detail::thread_number();
        name_row("thread_name", this_process(), id, detail::thread_name());
    }
    return id;
}

std::string place(const SourceLocation& where) {
    return where.line() != 0 ? std::string(where.file_name()) + ":" + std::to_string(where.line())
                             : where.function_name();
}

} // namespace ferry::trace
