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
    Flattener(const std::vector<std::string>& directories, const std::map<std::string, std::string>& headers)
        : directories_(directories), headers_(headers) {}

    void add(std::string_view text, const std::string& name, int depth) {
        std::size_t number = 1;
        line_marker(1, name);
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            if (!include(line, name, number++, depth)) {
                out_ += line;
                out_ += '\n';
            } else {
                line_marker(number, name);
            }
        }
    }
    std::string take() { return std::move(out_); }

private:
    bool include(std::string_view line, const std::string& from, std::size_t number, int depth) {
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
        std::string path;
        std::string contents;
        if (const auto header = find_header(file, quoted ? from : ""); header != headers_.end()) {
            path = header->first;
            contents = header->second;
        } else {
            path = find(file, quoted ? from : "");
            if (path.empty()) {
                return false;
            }
            std::ifstream stream(path, std::ios::binary);
            std::ostringstream text;
            text << stream.rdbuf();
            contents = std::move(text).str();
        }
        if (std::find(open_.begin(), open_.end(), path) != open_.end() && is_guarded(contents)) {
            return true;
        }
        if (depth == deepest) {
            const std::string log = from + ":" + std::to_string(number) + ": error: '" + path +
                                    "' is included more than " + std::to_string(deepest) +
                                    " levels deep; does it include itself?";
            throw Error(Code::build_failed, log).with_log(log);
        }
        // "#pragma once" means nothing where the file's text stands itself: a guard does the same.
        const bool once = contents.find("pragma once") != std::string::npos;
        if (once) {
            const auto [at, fresh] = guards_.emplace(path, guards_.size());
            static_cast<void>(fresh);
            const std::string guard = "FERRY_INCLUDED_" + std::to_string(at->second);
            out_ += "#ifndef " + guard + "\n#define " + guard + "\n";
        }
        open_.push_back(path);
        add(contents, path, depth + 1);
        open_.pop_back();
        out_ += once ? "#endif\n" : "";
        return true;
    }

    // Whether its first directive is #ifndef, so that it is empty the second time.
    static bool is_guarded(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            if (trimmed(text.substr(0, end)).starts_with('#')) {
                return directive(text.substr(0, end), "ifndef").has_value() ||
                       directive(text.substr(0, end), "pragma once").has_value();
            }
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return false;
    }

    std::map<std::string, std::string>::const_iterator find_header(const std::string& file,
                                                                   const std::string& from) const {
        const auto known = headers_.find(file);
        const std::size_t slash = from.rfind('/');
        return known != headers_.end() || slash == std::string::npos
                   ? known
                   : headers_.find(from.substr(0, slash + 1) + file);
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
    const std::map<std::string, std::string>& headers_;
    std::map<std::string, std::size_t> guards_;
    std::vector<std::string> open_; ///< what is being included
    std::string out_;
};

} // namespace

std::string flatten(std::string_view text, const std::string& name,
                    const std::vector<std::string>& directories,
                    const std::map<std::string, std::string>& headers) {
    Flattener flattener(directories, headers);
    flattener.add(text, name, 0);
    return flattener.take();
}

} // namespace ferry::translate
