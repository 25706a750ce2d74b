// SPDX-License-Identifier: Apache-2.0
#include "opencl_cache.hpp"

#include "cache/disk_cache.hpp"
#include "opencl_device.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <charconv>
#include <vector>

namespace ferry::opencl {
namespace {

// An entry: the number of bytes of the notes on the kernels' parameters, a line end, the notes, and the
// machine code. Drivers report less about the kernels of a binary than of a source.
constexpr std::string_view mark = "not taken back\n";

// Any # followed by this word, anywhere: it is better not to store a program than to store a wrong one.
bool includes_files(std::string_view text) {
    constexpr std::string_view word = "include";
    std::size_t letters = 0; // Of the word, after a #.
    bool comment = false;
    bool behind_sign = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = text.substr(i);
        if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
            i = text.find('\n', i);
        } else if (comment) {
            comment = !rest.starts_with("*/");
            i += comment ? 0 : 1;
        } else if (rest[0] == '#' || rest.starts_with("%:") || rest.starts_with("?\?=")) {
            behind_sign = true;
            letters = 0;
        } else if (behind_sign && letters == 0 && rest.starts_with("/*")) {
            comment = true;
            ++i;
        } else if (behind_sign && rest[0] == word[letters]) {
            if (++letters == word.size()) {
                return true;
            }
        } else if (letters != 0 || std::string_view(" \t\f\v:?=").find(rest[0]) == std::string_view::npos) {
            behind_sign = false;
        }
    }
    return false;
}

// A line for each kernel and each parameter, with fields separated by tabs.
std::string pack(const KernelNotes& notes) {
    std::string text;
    for (const auto& [name, parameters] : notes) {
        text += "kernel\t" + name + "\n";
        for (const ParameterNote& p : parameters) {
            text += std::to_string(p.space) + "\t" + (p.is_const ? "const" : "") + "\t" + p.type + "\t" +
                    p.name + "\n";
        }
    }
    return text;
}

std::string_view take(std::string_view& text, char end) {
    const std::size_t at = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

KernelNotes unpack(std::string_view text) {
    KernelNotes notes;
    std::vector<ParameterNote>* parameters = nullptr;
    while (!text.empty()) {
        std::string_view line = take(text, '\n');
        const std::string_view first = take(line, '\t');
        if (first == "kernel") {
            parameters = &notes[std::string(line)];
        } else if (parameters != nullptr) {
            ParameterNote note;
            std::from_chars(first.data(), first.data() + first.size(), note.space);
            note.is_const = take(line, '\t') == "const";
            note.type = take(line, '\t');
            note.name = line;
            parameters->push_back(std::move(note));
        }
    }
    return notes;
}

bool has_kernels(OpenclProgram& program, const KernelNotes& notes) {
    const std::vector<std::string> names = program.kernel_names();
    return names.size() == notes.size() &&
           std::all_of(names.begin(), names.end(), [&](const auto& name) { return notes.contains(name); });
}

} // namespace

ProgramEntry::ProgramEntry(OpenclDevice& device, const std::string& text, const std::string& options)
    : device_(device), text_(text + options), options_(options) {
    if (device.traits().keeps_programs || includes_files(text)) {
        return;
    }
    key_.emplace();
    key_->add("form", "OpenCL program")
        .add("platform", device.traits().platform_name)
        .add("device", device.traits().device_name)
        .add("driver", device.info().driver_version)
        .add("version", device.info().api_version)
        .add("options", options)
        .add("source", text);
}

std::unique_ptr<OpenclProgram> ProgramEntry::load() {
    const std::optional<std::string> entry = key_ ? cache::shared().load(*key_) : std::nullopt;
    if (!entry) {
        return nullptr;
    }
    found_ = *entry == mark ? Found::marked : Found::useless;
    std::string_view rest = *entry;
    const std::string_view number = take(rest, '\n');
    std::size_t size = 0;
    std::from_chars(number.data(), number.data() + number.size(), size);
    if (found_ == Found::marked || size == 0 || size >= rest.size()) {
        return nullptr;
    }
    try {
        KernelNotes notes = unpack(rest.substr(0, size));
        auto program =
            std::make_unique<OpenclProgram>(device_, create_from_binary(device_, rest.substr(size)), text_);
        program->build(device_.traits().binaries_take_options ? options_ : std::string(argument_info));
        if (!has_kernels(*program, notes)) {
            return nullptr;
        }
        program->set_notes(std::move(notes));
        return program;
    } catch (const Error&) { // Whatever the reason, the source is available.
        return nullptr;
    }
}

void ProgramEntry::store(OpenclProgram& program) {
    if (!key_ || found_ == Found::marked) {
        return;
    }
    if (found_ == Found::useless) {
        cache::shared().store(*key_, mark);
        return;
    }
    try {
        if (const std::string code = program.payload(); !code.empty()) {
            const std::string notes = pack(program.notes());
            cache::shared().store(*key_, std::to_string(notes.size()) + "\n" + notes + code);
        }
    } catch (const Error&) { // The driver does not return it.
    }
}

} // namespace ferry::opencl
