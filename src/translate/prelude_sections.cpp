// SPDX-License-Identifier: Apache-2.0
#include "prelude_sections.hpp"

#include "prelude_text.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>
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

struct Heading {
    bool each = false;
    bool wanted = true;
    Phase phase = Phase::always;
    std::vector<std::string> names;
    std::vector<std::string> needs;
    std::string provided = "$"; ///< by a section of `each`, $ being its name
};

Heading parse_heading(const std::string& line, Dialect dialect) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    Heading heading;
    heading.each = word == "//@each";
    while (words >> word) {
        if (word == "for") {
            words >> word;
            heading.wanted = is_for(word, dialect);
        } else if (word == "with") {
            words >> word;
            heading.phase = word == "double" ? Phase::with_double : Phase::with_vector;
        } else if (word == "needs") {
            while (words >> word) {
                heading.needs.push_back(word);
            }
        } else if (word == "as") {
            words >> heading.provided;
        } else {
            heading.names.push_back(word);
        }
    }
    return heading;
}

std::string replaced(const std::string& text, const std::string& name) {
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

std::string prelude_files() {
    std::string text;
    for (std::size_t i = 0; i < prelude_piece_count; ++i) {
        text += prelude_pieces[i];
    }
    return text;
}

} // namespace

std::vector<std::string> identifiers_of(std::string_view text) {
    std::vector<std::string> names;
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (continues_word(text[i])) {
            end = static_cast<std::size_t>(
                std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), continues_word) -
                text.begin());
            const std::string_view name = text.substr(i, end - i);
            if (starts_word(name[0]) && seen.insert(name).second) {
                names.emplace_back(name);
            }
        }
        if (text[i] == '"') {
            end = std::min(text.find('"', end), text.size() - 1) + 1;
        }
        i = end;
    }
    return names;
}

Sections::Sections(Dialect dialect, std::string_view text) {
    std::istringstream lines{std::string(text)};
    std::string line, body;
    Heading heading;
    heading.wanted = false;
    const auto finish = [&] {
        if (!heading.wanted) {
            return;
        }
        if (!heading.each) {
            add({heading.phase, heading.names, body, heading.needs});
            return;
        }
        for (const std::string& name : heading.names) {
            add({heading.phase, {replaced(heading.provided, name)}, replaced(body, name), heading.needs});
        }
    };
    while (std::getline(lines, line)) {
        if (line.rfind("//@", 0) == 0) {
            finish();
            heading = parse_heading(line, dialect);
            body.clear();
        } else if (line.rfind("//", 0) != 0 && !line.empty()) {
            body += line + '\n';
        }
    }
    finish();
}

void Sections::add(Section section) {
    for (const std::string& name : section.provides) {
        by_name_[name].push_back(sections_.size());
    }
    sections_.push_back(std::move(section));
}

const std::vector<std::size_t>& Sections::providing(std::string_view name) const {
    static const std::vector<std::size_t> none;
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? none : found->second;
}

const Sections& sections(Dialect dialect) {
    // Each when it is needed first: reading one takes a millisecond or two.
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
