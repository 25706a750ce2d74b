// SPDX-License-Identifier: Apache-2.0
#include "diagnostics.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

constexpr std::size_t widest = 120; ///< of a source line that is shown, in bytes

const char* word(Severity severity) noexcept {
    switch (severity) {
    case Severity::note:
        return "note: ";
    case Severity::warning:
        return "warning: ";
    case Severity::error:
        break;
    }
    return "error: ";
}

bool continues(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

/// The line, or the part of it around the column, with a caret below.
void append_line(std::string& text, std::string_view line, std::size_t column) {
    if (column == 0 || column > line.size() + 1) {
        return;
    }
    std::size_t begin = 0;
    if (line.size() > widest && column > widest / 2) {
        begin = std::min(column - widest / 2, line.size() - widest / 2);
    }
    const std::string_view shown = line.substr(begin, widest);
    std::string below;
    text += "  ";
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const char c = shown[i];
        const bool control = (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f';
        text += control ? '?' : c;
        if (begin + i + 1 < column && !continues(c)) {
            below += c == '\t' ? '\t' : ' ';
        }
    }
    text += "\n  " + below + "^\n";
}

} // namespace

std::string Diagnostics::text(const Files& files) const {
    std::string text;
    for (const Diagnostic& diagnostic : list_) {
        const Position at = diagnostic.at;
        const bool placed = at.line != 0 && at.file < files.size();
        if (placed) {
            text +=
                files[at.file].name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
        }
        text += word(diagnostic.severity) + diagnostic.message + "\n";
        if (placed) {
            append_line(text, files.line(at.file, at.line), at.column);
        }
    }
    return text;
}

} // namespace ferry::translate
