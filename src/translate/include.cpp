// SPDX-License-Identifier: Apache-2.0
// #include: finds the file for a name, and reads it.
#include "preprocessor.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace ferry::translate {
namespace {

constexpr std::uintmax_t largest_header = std::uintmax_t{64} << 20;

} // namespace

/// The name with its delimiters. After an error, a token of kind end.
Token Preprocessor::include_name(const Token& name) {
    Token token = sources_.back().lexer.header_name();
    if (token.kind == TokenKind::string) {
        expect_line_end("#include");
        return token;
    }
    token = next();
    if (token.kind == TokenKind::string && token.text.front() == '"' && (token.mark & stray) == 0) {
        if (const Token more = next(); more.kind != TokenKind::end) {
            diagnostics_.warning(more.at, "'" + std::string(more.text) + "' behind #include is ignored");
        }
        return token;
    }
    if (token.is("<")) { // <name> from a macro.
        std::vector<Token> parts{token};
        for (Token part = next(); part.kind != TokenKind::end && spend(1); part = next()) {
            parts.push_back(part);
            if (part.is(">")) {
                std::string text;
                for (const Token& piece : parts) {
                    text += piece.space_before && text.size() > 1 && !piece.is(">") ? " " : "";
                    text += piece.text;
                }
                token.kind = TokenKind::string;
                token.text = keep(std::move(text));
                return token;
            }
        }
    }
    error(name.at, "#include needs \"name\" or <name>");
    return {};
}

void Preprocessor::include(const Token& name) {
    const Token header = include_name(name);
    if (header.kind != TokenKind::string || stopped_) {
        return;
    }
    const std::string file_name(header.text.substr(1, header.text.size() - 2));
    const bool beside = header.text.front() == '"';
    if (file_name.empty() || file_name.find('\0') != std::string::npos) {
        error(header.at, "#include needs the name of a file");
        return;
    }
    std::uint32_t file = 0;
    if (!find_header(file_name, beside, file)) {
        if (options_.untrusted) {
            error(header.at, "the header '" + file_name + "' is not one of the " +
                                 std::to_string(options_.headers.size()) +
                                 " in BuildOptions::headers; a text that is not trusted "
                                 "(BuildOptions::untrusted) may include no files");
            return;
        }
        std::string where;
        for (const std::string& directory : options_.include_directories) {
            where += (where.empty() ? "" : ", ") + directory;
        }
        error(header.at, "the header '" + file_name + "' is not found; searched are the " +
                             std::to_string(options_.headers.size()) + " headers in memory" +
                             (beside ? ", the including file's directory" : "") +
                             (where.empty() ? " and no include directories" : " and " + where));
        return;
    }
    if (once_.contains(file) || !may_include(name.at, file)) {
        return;
    }
    while (!frames_.empty()) {
        pop_frame();
    }
    sources_.back().lexer.end_directive();
    enter(file);
}

bool Preprocessor::may_include(Position at, std::uint32_t file) {
    if (sources_.size() > options_.limits.include_depth) {
        std::string chain = files_[file].name;
        std::size_t shown = 0;
        for (auto source = sources_.rbegin(); source != sources_.rend() && shown < 8; ++source, ++shown) {
            chain.insert(0, files_[source->file].name + " includes ");
            if (source->file == file) {
                break;
            }
        }
        stop(at, "headers are included " + std::to_string(options_.limits.include_depth) +
                     " deep, which is the limit: " + chain);
    } else if (++includes_ > options_.limits.includes) {
        stop(at, "more than " + std::to_string(options_.limits.includes) +
                     " files are included, which is the limit");
    }
    return !stopped_;
}

std::string Preprocessor::directory_of(std::uint32_t file) const {
    const std::string& name = files_[file].name;
    const std::size_t slash = name.rfind('/');
    return slash == std::string::npos ? std::string() : name.substr(0, slash + 1);
}

bool Preprocessor::find_header(const std::string& name, bool beside, std::uint32_t& file) {
    const std::string directory = beside ? directory_of(sources_.back().file) : std::string();
    if (find_memory_header(name, file) ||
        (!directory.empty() && find_memory_header(directory + name, file))) {
        return true;
    }
    if (options_.untrusted) {
        return false;
    }
    if (name.front() == '/') {
        return read_header(name, file);
    }
    if (beside && read_header(directory + name, file)) {
        return true;
    }
    for (const std::string& folder : options_.include_directories) {
        std::string path = folder;
        path.append(folder.ends_with('/') ? "" : "/").append(name);
        if (read_header(path, file)) {
            return true;
        }
    }
    return false;
}

bool Preprocessor::find_memory_header(const std::string& name, std::uint32_t& file) {
    for (const MemoryHeader& header : options_.headers) {
        if (header.name == name) {
            const auto [known, added] = headers_.try_emplace("<" + name, 0u);
            if (added) {
                known->second = files_.add(header.name, header.text);
            }
            file = known->second;
            return true;
        }
    }
    return false;
}

/// Regular files only, because a pipe or a device could block forever.
bool Preprocessor::read_header(const std::string& path, std::uint32_t& file) {
    namespace fs = std::filesystem;
    std::error_code code;
    if (!fs::is_regular_file(path, code)) {
        return false;
    }
    const fs::path canonical = fs::canonical(path, code);
    const std::string key = code ? path : canonical.string();
    const auto known = headers_.find(key);
    if (known != headers_.end()) {
        file = known->second;
        return true;
    }
    const std::uintmax_t size = fs::file_size(path, code);
    std::ifstream stream(path, std::ios::binary);
    if (code || !stream || size > largest_header) {
        return false;
    }
    std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    file = files_.add(path, std::move(text));
    headers_.emplace(key, file);
    return true;
}

} // namespace ferry::translate
