// SPDX-License-Identifier: Apache-2.0
#include "flatten.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace ferry::translate {
namespace {

constexpr int deepest = 100;

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// "#pragma once" or #include's file name with its quotes; nothing for other lines.
std::optional<std::string_view> directive(std::string_view line, std::string_view name) {
    line = trimmed(line);
    if (!line.starts_with('#')) {
        return std::nullopt;
    }
    line = trimmed(line.substr(1));
    if (!line.starts_with(name)) {
        return std::nullopt;
    }
    return trimmed(line.substr(name.size()));
}

class Flattener {
public:
    explicit Flattener(const std::vector<std::string>& directories) : directories_(directories) {}

    void add(std::string_view text, const std::string& name, int depth) {
        if (depth > deepest) {
            throw Error(Code::build_failed, "'" + name + "' is included more than " +
                                                std::to_string(deepest) +
                                                " levels deep; does it include itself?");
        }
        std::size_t number = 1;
        line_marker(1, name);
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            ++number;
            if (!include(line, name, depth)) {
                out_ += line;
                out_ += '\n';
            } else {
                line_marker(number, name);
            }
        }
    }
    std::string take() { return std::move(out_); }

private:
    bool include(std::string_view line, const std::string& from, int depth) {
        const auto rest = directive(line, "include");
        if (!rest || rest->empty() || (rest->front() != '"' && rest->front() != '<')) {
            return false;
        }
        const bool quoted = rest->front() == '"';
        const std::size_t end = rest->find(quoted ? '"' : '>', 1);
        if (end == std::string_view::npos) {
            return false;
        }
        const std::string file(rest->substr(1, end - 1));
        const std::string path = find(file, quoted ? from : "");
        if (path.empty()) {
            return false;
        }
        std::ifstream stream(path, std::ios::binary);
        std::ostringstream text;
        text << stream.rdbuf();
        const std::string contents = std::move(text).str();
        // "#pragma once" means nothing where the file's text stands itself: a guard does the same.
        const bool once = contents.find("pragma once") != std::string::npos;
        if (once) {
            const auto [at, fresh] = guards_.emplace(path, guards_.size());
            static_cast<void>(fresh);
            const std::string guard = "FERRY_INCLUDED_" + std::to_string(at->second);
            out_ += "#ifndef " + guard + "\n#define " + guard + "\n";
        }
        add(contents, path, depth + 1);
        out_ += once ? "#endif\n" : "";
        return true;
    }

    std::string find(const std::string& file, const std::string& from) const {
        std::error_code error;
        if (!from.empty()) {
            const std::filesystem::path beside = std::filesystem::path(from).parent_path() / file;
            if (std::filesystem::is_regular_file(beside, error)) {
                return beside.string();
            }
        }
        for (const std::string& directory : directories_) {
            const std::filesystem::path path = std::filesystem::path(directory) / file;
            if (std::filesystem::is_regular_file(path, error)) {
                return path.string();
            }
        }
        return {};
    }

    void line_marker(std::size_t number, const std::string& name) {
        out_ += "#line " + std::to_string(number) + " \"";
        for (const char c : name) {
            out_ += c == '"' || c == '\\' ? '/' : c;
        }
        out_ += "\"\n";
    }

    const std::vector<std::string>& directories_;
    std::map<std::string, std::size_t> guards_;
    std::string out_;
};

} // namespace

std::string flatten(std::string_view text, const std::string& name,
                    const std::vector<std::string>& directories) {
    Flattener flattener(directories);
    flattener.add(text, name, 0);
    return flattener.take();
}

} // namespace ferry::translate
