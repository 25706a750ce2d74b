// SPDX-License-Identifier: Apache-2.0
#include "flatten.hpp"

#include "branches.hpp"
#include "group_ends.hpp"
#include "lines.hpp"
#include "numbering.hpp"
#include "preprocess.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace ferry::translate {
namespace {

constexpr int deepest_include = 100;

std::string_view without_mark(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

// Whether it contains a #pragma once; an excluded one has no effect.
bool is_once(std::string_view text) {
    std::size_t lines = 0;
    for (bool comment = false; !text.empty();) {
        const std::string code = code_of(take_line(text, lines), comment);
        if (directive(code, "pragma") == "once") {
            return true;
        }
    }
    return false;
}

class Flattener {
public:
    Flattener(const std::vector<std::string>& directories, const std::map<std::string, std::string>& headers,
              bool whole, const std::vector<std::string>& defines)
        : directories_(directories), headers_(headers), whole_(whole) {
        for (const std::string& define : defines) {
            branches_.line(define_line(define));
        }
    }

    /// Returns false if the preprocessor certainly excludes all of it.
    bool add(std::string_view text, const std::string& name, int depth, const std::string& guard) {
        text = without_mark(text);
        out_ += line_marker(1, name);
        branches_.begin_file(guard);
        Numbering numbering(name);
        GroupEnds ends;
        bool read = false;
        bool due = false; // Whether the next line needs a line marker.
        bool comment = false;
        std::size_t lines = 0;
        for (std::size_t number = 1; !text.empty(); number += lines) {
            const bool before = comment;
            const bool left_out = branches_.left_out();
            const std::string_view line = take_line(text, lines);
            const std::string code = code_of(line, comment);
            branches_.line(code);
            due = ends.line(code, number, left_out, before, numbering, out_) || due;
            numbering.line(code, number + lines, left_out, branches_.left_out());
            if (left_out && branches_.left_out() && !begins_group(code)) {
                put(line);
                continue;
            }
            const std::size_t begin = out_.size();
            if (include(code, name, numbering.name(), numbering.of(number), depth) || once(code, guard)) {
                out_.insert(begin, before ? "*/\n" : "");
                ends.put_in();
                out_ += line_marker(numbering.of(number + lines - (comment ? 1 : 0)), numbering.name());
                out_ += comment ? "/*\n" : "";
            } else {
                put(line);
                if (due && !comment) {
                    out_ += line_marker(numbering.of(number + lines), numbering.name());
                    due = false;
                }
            }
            read = read || !(trimmed(code).empty() || left_out || branches_.left_out());
        }
        branches_.end_file();
        return read;
    }
    std::string take() { return std::move(out_); }

private:
    struct Header {
        std::string name;
        std::string key; ///< The same for each name of one file.
        std::string text;
    };

    /// `file` and `number`: the place according to the text.
    bool include(std::string_view code, const std::string& from, const std::string& file, std::size_t number,
                 int depth) {
        const auto rest = directive(code, "include");
        if (!rest || rest->empty()) {
            return false;
        }
        if (rest->front() != '"' && rest->front() != '<') {
            if (whole_) {
                fail(file, number,
                     "a macro names the file that is included, which is not known here; write its name");
            }
            branches_.forget();
            return false;
        }
        const bool quoted = rest->front() == '"';
        const std::size_t end = rest->find(quoted ? '"' : '>', 1);
        const auto header = end == std::string_view::npos
                                ? std::nullopt
                                : read(std::string(rest->substr(1, end - 1)), quoted ? from : "");
        if (!header) {
            branches_.forget();
            return false;
        }
        if (depth == deepest_include) {
            fail(file, number,
                 "'" + header->name + "' is included more than " + std::to_string(deepest_include) +
                     " levels deep; does it include itself?");
        }
        if (++includes_ > PreprocessLimits().includes || out_.size() > PreprocessLimits().source_bytes) {
            fail(file, number,
                 "more than " + std::to_string(PreprocessLimits().includes) + " files or " +
                     std::to_string(PreprocessLimits().source_bytes) + " bytes are included");
        }
        put_in(*header, depth);
        return true;
    }

    /// "#pragma once" has no effect in inserted text, so a guard replaces it.
    void put_in(const Header& header, int depth) {
        const std::size_t begin = out_.size();
        const std::string guard =
            is_once(header.text)
                ? "FERRY_INCLUDED_" +
                      std::to_string(guards_.emplace(header.key, guards_.size()).first->second)
                : "";
        if (!guard.empty()) {
            put_directive("#ifndef " + guard);
        }
        const bool read = add(header.text, header.name, depth + 1, guard);
        if (!guard.empty()) {
            put_directive("#endif");
        }
        if (!read) {
            out_.resize(begin);
            out_ += line_marker(1, header.name); // Builds use these markers to find the dependencies of the
                                                 // text.
        }
    }

    bool once(std::string_view code, const std::string& guard) {
        const auto pragma = guard.empty() ? std::nullopt : directive(code, "pragma");
        if (pragma != "once") {
            return false;
        }
        put_directive("#define " + guard);
        return true;
    }

    void put(std::string_view line) {
        out_ += line;
        out_ += '\n';
    }

    void put_directive(const std::string& line) {
        put(line);
        branches_.line(line);
    }

    std::optional<Header> read(const std::string& file, const std::string& from) const {
        if (const auto header = find_header(file, from); header != headers_.end()) {
            return Header{header->first, "<" + header->first, header->second};
        }
        const std::string path = find(file, from);
        if (path.empty()) {
            return std::nullopt;
        }
        std::ifstream stream(path, std::ios::binary);
        std::ostringstream text;
        text << stream.rdbuf();
        std::error_code error;
        const std::filesystem::path real = std::filesystem::canonical(path, error);
        return Header{path, error ? path : real.string(), std::move(text).str()};
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

    const std::vector<std::string>& directories_;
    const std::map<std::string, std::string>& headers_;
    bool whole_;
    std::map<std::string, std::size_t> guards_;
    std::size_t includes_ = 0;
    Branches branches_;
    std::string out_;
};

} // namespace

std::string define_line(const std::string& define) {
    const std::size_t equals = define.find('=');
    if (equals == 0 || define.empty()) {
        throw Error(Code::invalid_argument, "The definition '" + define +
                                                "' has no name in front of its value; a definition is NAME "
                                                "or NAME=value");
    }
    if (define.ends_with('\\')) {
        throw Error(Code::invalid_argument,
                    "The definition '" + define +
                        "' ends with a backslash, which would join the next line to it; let it end with "
                        "another character");
    }
    return "#define " + define.substr(0, equals) + " " +
           (equals == std::string::npos ? "1" : define.substr(equals + 1));
}

std::string flatten(std::string_view text, const std::string& name,
                    const std::vector<std::string>& directories,
                    const std::map<std::string, std::string>& headers, bool whole,
                    const std::vector<std::string>& defines) {
    Flattener flattener(directories, headers, whole, defines);
    flattener.add(text, name, 0, "");
    return flattener.take();
}

} // namespace ferry::translate
