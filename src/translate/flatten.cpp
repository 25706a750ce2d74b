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

bool is_letter(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string_view without_mark(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

// Takes a line off the text, with those that a \ at its end joins to it, and without the last one's end.
std::string_view take_line(std::string_view& text, std::size_t& lines) {
    std::size_t end = 0;
    for (lines = 1;; ++lines, ++end) {
        end = std::min(text.find('\n', end), text.size());
        const std::string_view line = text.substr(0, end);
        if (end == text.size() || !(line.ends_with('\\') || line.ends_with("\\\r"))) {
            text.remove_prefix(std::min(end + 1, text.size()));
            return line;
        }
    }
}

// The line without comments and joints. `comment`: whether it begins, and then whether it ends within one.
std::string code_of(std::string_view line, bool& comment) {
    std::string code;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string_view rest = line.substr(i);
        if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
            i += rest.find('\n');
        } else if (comment) {
            comment = !rest.starts_with("*/");
            i += comment ? 0 : 1;
        } else if (quote != 0) {
            code += line[i];
            if (line[i] == '\\' && i + 1 < line.size()) {
                code += line[++i];
            } else if (line[i] == quote) {
                quote = 0;
            }
        } else if (rest.starts_with("//")) {
            break;
        } else if (rest.starts_with("/*")) {
            comment = true;
            code += ' ';
            ++i;
        } else {
            quote = line[i] == '"' || line[i] == '\'' ? line[i] : '\0';
            code += line[i];
        }
    }
    return code;
}

// What stands behind the directive's name; nothing for other lines.
std::optional<std::string_view> directive(std::string_view code, std::string_view name) {
    code = trimmed(code);
    if (!code.starts_with('#')) {
        return std::nullopt;
    }
    code = trimmed(code.substr(1));
    const bool whole =
        code.starts_with(name) && (code.size() == name.size() || !is_letter(code[name.size()]));
    return whole ? std::optional(trimmed(code.substr(name.size()))) : std::nullopt;
}

// Whether it is empty the second time: its first directive is #ifndef NAME or the like.
bool is_guarded(std::string_view text) {
    std::size_t lines = 0;
    for (bool comment = false; !text.empty();) {
        const std::string code = code_of(take_line(text, lines), comment);
        if (trimmed(code).starts_with('#')) {
            const auto condition = directive(code, "if");
            const auto pragma = directive(code, "pragma");
            return directive(code, "ifndef") || (condition && condition->starts_with('!')) ||
                   (pragma && pragma->starts_with("once"));
        }
    }
    return false;
}

bool is_once(std::string_view text) {
    std::size_t lines = 0;
    for (bool comment = false; !text.empty();) {
        const std::string code = code_of(take_line(text, lines), comment);
        if (const auto pragma = directive(code, "pragma"); pragma && pragma->starts_with("once")) {
            return true;
        }
    }
    return false;
}

class Flattener {
public:
    Flattener(const std::vector<std::string>& directories, const std::map<std::string, std::string>& headers,
              bool whole)
        : directories_(directories), headers_(headers), whole_(whole) {}

    void add(std::string_view text, const std::string& name, int depth) {
        text = without_mark(text);
        line_marker(1, name);
        bool comment = false;
        std::size_t lines = 0;
        for (std::size_t number = 1; !text.empty(); number += lines) {
            const bool before = comment;
            const std::string_view line = take_line(text, lines);
            const std::string code = code_of(line, comment);
            const std::size_t begin = out_.size();
            if (include(code, name, number, depth)) {
                out_.insert(begin, before ? "*/\n" : "");
                line_marker(number + lines - (comment ? 1 : 0), name);
                out_ += comment ? "/*\n" : "";
            } else {
                out_ += line;
                out_ += '\n';
            }
        }
    }
    std::string take() { return std::move(out_); }

private:
    bool include(std::string_view code, const std::string& from, std::size_t number, int depth) {
        const auto rest = directive(code, "include");
        if (!rest || rest->empty()) {
            return false;
        }
        if (rest->front() != '"' && rest->front() != '<') {
            if (whole_) {
                fail(from, number,
                     "a macro names the file that is included, which is not known here; write its name");
            }
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
            fail(from, number,
                 "'" + path + "' is included more than " + std::to_string(deepest) +
                     " levels deep; does it include itself?");
        }
        // "#pragma once" means nothing where the file's text stands itself: a guard does the same.
        const bool once = is_once(contents);
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

    [[noreturn]] static void fail(const std::string& file, std::size_t line, const std::string& why) {
        const std::string log = file + ":" + std::to_string(line) + ": error: " + why;
        throw Error(Code::build_failed, log).with_log(log);
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
    bool whole_;
    std::map<std::string, std::size_t> guards_;
    std::vector<std::string> open_; ///< what is being included
    std::string out_;
};

} // namespace

std::string flatten(std::string_view text, const std::string& name,
                    const std::vector<std::string>& directories,
                    const std::map<std::string, std::string>& headers, bool whole) {
    Flattener flattener(directories, headers, whole);
    flattener.add(text, name, 0);
    return flattener.take();
}

} // namespace ferry::translate
