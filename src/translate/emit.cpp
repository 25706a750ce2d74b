// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include "lexer.hpp"

#include <algorithm>
#include <charconv>

namespace ferry::translate {
namespace {

// Of the file's own lines only those begin a line here that did so there: positions are kept on the side.
class Emitter {
public:
    explicit Emitter(Translation& t) : t_(t) {
        t_.lines.resize(static_cast<std::size_t>(std::count(t_.text.begin(), t_.text.end(), '\n')) + 1);
        start_ = t_.text.rfind('\n') + 1;
    }

    void run(const std::vector<Token>& tokens) {
        const Token* before = nullptr;
        for (const Token& token : tokens) {
            if (token.kind == TokenKind::end) {
                break;
            }
            const bool pragma = token.kind == TokenKind::pragma;
            if (token.line_start || pragma || (before != nullptr && before->kind == TokenKind::pragma)) {
                new_line();
            } else if (token.space_before || before == nullptr || needs_space(*before, token)) {
                t_.text += ' ';
            }
            t_.lines.back().push_back({static_cast<std::uint32_t>(t_.text.size() - start_ + 1), token.at});
            if (pragma) {
                t_.text += "#pragma ";
            }
            t_.text += token.text;
            before = &token;
        }
        new_line();
    }

private:
    void new_line() {
        t_.text += '\n';
        start_ = t_.text.size();
        t_.lines.emplace_back();
    }

    Translation& t_;
    std::size_t start_ = 0;
};

// "NAME:12:5: text" (g++, clang) and "NAME(12): text" (NVRTC), or nothing.
struct Place {
    std::size_t line = 0;
    std::size_t column = 0;
    std::string_view rest;
};

std::size_t number(std::string_view& text) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0);
    return error == std::errc() ? value : 0;
}

Place place_of(std::string_view line, std::string_view name) {
    Place place;
    if (!line.starts_with(name) || line.size() <= name.size() + 1) {
        return place;
    }
    const char open = line[name.size()];
    std::string_view rest = line.substr(name.size() + 1);
    if (open == '(') {
        place.line = number(rest);
        rest.remove_prefix(rest.starts_with("):") ? 2 : 0);
    } else if (open == ':') {
        place.line = number(rest);
        if (rest.starts_with(":") && rest.size() > 1 && rest[1] >= '0' && rest[1] <= '9') {
            rest.remove_prefix(1);
            place.column = number(rest);
        }
        rest.remove_prefix(rest.starts_with(":") ? 1 : 0);
    }
    place.rest = rest;
    return place;
}

std::string_view next_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

// The place of the caret that NVRTC draws under the line it shows; 0 if there is none.
std::size_t caret_column(std::string_view following, std::string_view source) {
    for (int i = 0; i < 3 && !following.empty(); ++i) {
        const std::string_view line = next_line(following);
        const std::size_t caret = line.find_last_not_of(' ');
        if (caret != std::string_view::npos && line[caret] == '^') {
            // The line is shown with another indentation.
            const std::size_t indent = std::min(source.find_first_not_of(" \t"), source.size());
            const std::size_t shown = 2;
            return caret >= shown ? caret - shown + indent + 1 : 0;
        }
    }
    return 0;
}

bool is_excerpt(std::string_view line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first != std::string_view::npos && first != 0;
}

} // namespace

void emit(const std::vector<Token>& tokens, Translation& translation) {
    Emitter(translation).run(tokens);
}

std::string Translation::explain(std::string_view log, std::string_view name) const {
    std::string all;
    std::string_view excerpt; // the line of C++ that compilers show
    bool mapped = false;      // the excerpt that follows shows the C++; the user's own line has been shown
    std::string_view rest = log;
    std::string_view source_text = text;
    std::vector<std::string_view> source;
    while (!source_text.empty()) {
        source.push_back(next_line(source_text));
    }
    while (!rest.empty()) {
        const std::string_view line = next_line(rest);
        const Place place = place_of(line, name);
        if (place.line == 0 || place.line > lines.size() || lines[place.line - 1].empty()) {
            const bool shown = mapped && (is_excerpt(line) || line == excerpt || line == "^");
            if (!shown && line.find(": In function ") == std::string_view::npos) {
                mapped = mapped && line.empty();
                all += std::string(line) + "\n";
            }
            continue;
        }
        const std::vector<Mapping>& columns = lines[place.line - 1];
        const std::size_t column = place.column != 0             ? place.column
                                   : place.line <= source.size() ? caret_column(rest, source[place.line - 1])
                                                                 : 0;
        const auto after = std::upper_bound(columns.begin(), columns.end(), column,
                                            [](std::size_t c, const Mapping& m) { return c < m.column; });
        const Position at = after == columns.begin() ? columns.front().at : std::prev(after)->at;
        Diagnostics one;
        std::string_view message =
            place.rest.substr(std::min(place.rest.find_first_not_of(' '), place.rest.size()));
        const Severity severity = message.starts_with("error")     ? Severity::error
                                  : message.starts_with("warning") ? Severity::warning
                                                                   : Severity::note;
        if (const std::size_t colon = message.find(": "); colon < 32) {
            message.remove_prefix(colon + 2);
        }
        one.add({severity, at, std::string(message)});
        all += one.text(*files) + "\n";
        mapped = true;
        excerpt = place.line <= source.size() ? source[place.line - 1] : std::string_view();
    }
    while (!all.empty() && all.back() == '\n') {
        all.pop_back();
    }
    return all;
}

} // namespace ferry::translate
