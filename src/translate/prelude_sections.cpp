// SPDX-License-Identifier: Apache-2.0
#include "prelude_sections.hpp"

#include "base/no_destructor.hpp"
#include "prelude_text.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_set>

namespace ferry::translate {
namespace {

bool starts_word(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool continues_word(char c) {
    return starts_word(c) || (c >= '0' && c <= '9');
}

bool is_for(std::string_view which, Dialect dialect) {
    switch (dialect) {
    case Dialect::cuda:
        return which == "cuda" || which == "gpu";
    case Dialect::hip:
        return which == "hip" || which == "gpu";
    case Dialect::host:
        return which == "host";
    }
    return false;
}

/// Removes and returns the next word of a line.
std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

/// Removes and returns the next line of a text.
std::string_view next_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

std::string replaced(std::string_view text, std::string_view name) {
    std::string result;
    for (const char c : text) {
        if (c == '$') {
            result += name;
        } else {
            result += c;
        }
    }
    return result;
}

const std::string& prelude_files() {
    static detail::NoDestructor<const std::string> all([] {
        std::string text;
        text.reserve(128 << 10);
        for (std::size_t i = 0; i < prelude_piece_count; ++i) {
            text += prelude_pieces[i];
        }
        return text;
    }());
    return *all;
}

} // namespace

std::vector<std::string_view> identifiers_of(std::string_view text) {
    std::vector<std::string_view> names;
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (continues_word(text[i])) {
            end = static_cast<std::size_t>(
                std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), continues_word) -
                text.begin());
            const std::string_view name = text.substr(i, end - i);
            if (starts_word(name[0]) && seen.insert(name).second) {
                names.push_back(name);
            }
        }
        if (text[i] == '"') {
            end = std::min(text.find('"', end), text.size() - 1) + 1;
        }
        i = end;
    }
    return names;
}

std::string Section::text() const {
    std::string result;
    for (std::string_view rest = body; !rest.empty();) {
        const std::string_view line = next_line(rest);
        if (!line.starts_with("//") && !line.empty()) {
            result += line;
            result += '\n';
        }
    }
    return name.empty() ? result : replaced(result, name);
}

struct Sections::Heading {
    Heading() = default;
    Heading(std::string_view line, Dialect dialect);

    bool each = false;
    bool wanted = false;
    Phase phase = Phase::always;
    std::vector<std::string_view> names;
    std::vector<std::string_view> needs;
    std::string_view provided; ///< By a section of `each`, $ being its name. Empty: the name.
};

Sections::Heading::Heading(std::string_view line, Dialect dialect)
    : each(next_word(line) == "//@each"), wanted(true) {
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        if (word == "for") {
            wanted = is_for(next_word(line), dialect);
        } else if (word == "with") {
            const std::string_view kind = next_word(line);
            phase = kind == "double"   ? Phase::with_double
                    : kind == "half"   ? Phase::with_half
                    : kind == "halves" ? Phase::with_halves
                                       : Phase::with_vector;
        } else if (word == "needs") {
            for (word = next_word(line); !word.empty(); word = next_word(line)) {
                needs.push_back(word);
            }
            break;
        } else if (word == "as") {
            provided = next_word(line);
        } else {
            names.push_back(word);
        }
    }
}

Sections::Sections(Dialect dialect, std::string_view text) {
    Heading heading;
    std::string_view rest = text;
    const char* body = text.data();
    while (true) {
        const char* const begin = rest.data();
        const bool ended = rest.empty();
        const std::string_view line = next_line(rest);
        if (!ended && !line.starts_with("//@")) {
            continue;
        }
        if (heading.wanted) {
            add(heading, {body, static_cast<std::size_t>(begin - body)});
        }
        if (ended) {
            break;
        }
        heading = Heading(line, dialect);
        body = rest.data();
    }
    std::sort(providers_.begin(), providers_.end());
}

void Sections::add(const Heading& heading, std::string_view body) {
    const std::size_t first = sections_.size();
    for (std::size_t i = 0; i < heading.names.size(); ++i) {
        std::string_view name = heading.names[i];
        if (heading.each || i == 0) {
            sections_.push_back(
                {heading.phase, heading.each ? name : std::string_view(), body, heading.needs});
        }
        if (heading.each && !heading.provided.empty()) {
            name = made_.emplace_back(replaced(heading.provided, name));
        }
        providers_.emplace_back(name, heading.each ? first + i : first);
    }
}

std::span<const Sections::Provider> Sections::providing(std::string_view name) const {
    const auto [begin, end] =
        std::equal_range(providers_.begin(), providers_.end(), Provider{name, 0},
                         [](const Provider& a, const Provider& b) { return a.first < b.first; });
    return {begin, end};
}

const Sections& sections(Dialect dialect) {
    // Each at its first use.
    if (dialect == Dialect::cuda) {
        static const Sections cuda(Dialect::cuda, prelude_files());
        return cuda;
    }
    if (dialect == Dialect::hip) {
        static const Sections hip(Dialect::hip, prelude_files());
        return hip;
    }
    static const Sections host(Dialect::host, prelude_files());
    return host;
}

} // namespace ferry::translate
