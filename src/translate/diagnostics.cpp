// SPDX-License-Identifier: Apache-2.0
#include "diagnostics.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

constexpr std::size_t widest = 200; // Maximum width of a shown line, because a generated file can be one long
                                    // line.

std::string excerpt(std::string_view line, std::uint32_t column) {
    const std::size_t at = column > 0 ? column - 1 : 0;
    if (line.size() > widest || at > line.size()) {
        return {};
    }
    std::string text = "\n    ";
    text += line;
    if (column == 0) {
        return text;
    }
    text += "\n    ";
    for (std::size_t i = 0; i < at; ++i) {
        text += line[i] == '\t' ? '\t' : ' ';
    }
    return text + '^';
}

} // namespace

std::uint32_t Files::add(std::string name, std::string text) {
    for (std::size_t at = text.find('\r'); at != std::string::npos; at = text.find('\r', at + 1)) {
        if (at + 1 == text.size() || text[at + 1] != '\n') {
            text[at] = '\n';
        }
    }
    files_.push_back({std::move(name), std::move(text)});
    return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string_view Files::line(std::uint32_t file, std::uint32_t number) const {
    if (file >= files_.size() || number == 0) {
        return {};
    }
    std::string_view text = files_[file].text;
    for (std::uint32_t i = 1; i < number; ++i) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            return {};
        }
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    return text.substr(0, text.find_last_not_of('\r') + 1);
}

std::string Diagnostics::text(const Files& files) const {
    std::string all;
    for (const Diagnostic& d : list_) {
        if (!all.empty()) {
            all += '\n';
        }
        if (d.at.line != 0) {
            all += files[d.at.file].name + ':' + std::to_string(d.at.line);
            all += d.at.column != 0 ? ':' + std::to_string(d.at.column) + ": " : ": ";
        }
        all += d.severity == Severity::error     ? "error: "
               : d.severity == Severity::warning ? "warning: "
                                                 : "note: ";
        all += d.message;
        if (d.at.line != 0) {
            all += excerpt(files.line(d.at.file, d.at.line), d.at.column);
        }
    }
    return all;
}

} // namespace ferry::translate
