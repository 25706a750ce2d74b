// SPDX-License-Identifier: Apache-2.0
// Converts compilers' messages about the C++ to messages about the user's file.
#include "base/no_destructor.hpp"
#include "translate.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ferry::translate {
namespace {

constexpr std::string_view prelude_name = "<ferry prelude>"; // The name of C++ that does not come from the
                                                             // user's text.

// "NAME:12:5: text" (g++, clang) and "NAME(12): text" (NVRTC), or nothing.
struct Place {
    std::size_t line = 0;
    std::size_t column = 0;
    std::string_view rest;
};

std::size_t take_number(std::string_view& text) {
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
        place.line = take_number(rest);
        rest.remove_prefix(rest.starts_with("):") ? 2 : 0);
    } else if (open == ':') {
        place.line = take_number(rest);
        if (rest.starts_with(":") && rest.size() > 1 && rest[1] >= '0' && rest[1] <= '9') {
            rest.remove_prefix(1);
            place.column = take_number(rest);
        }
        rest.remove_prefix(rest.starts_with(":") ? 1 : 0);
    }
    place.rest = rest;
    return place;
}

std::string_view next_log_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        lines.push_back(next_log_line(text));
    }
    return lines;
}

bool is_excerpt(std::string_view line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first != std::string_view::npos &&
           (first != 0 || line.find_first_not_of("^~ ") == std::string_view::npos);
}

// g++ reports its context before the error.
bool is_context(std::string_view line) {
    return line.find(": In instantiation of ") != std::string_view::npos ||
           line.find(": In substitution of ") != std::string_view::npos;
}

class Explanation {
public:
    Explanation(const Translation& translation, std::string_view log, std::string_view name)
        : t_(translation),
          files_(translation.files != nullptr ? *translation.files : no_files()),
          name_(name),
          source_(lines_of(translation.text)),
          log_(lines_of(log)) {
        for (std::size_t i = 0; i < log_.size(); ++i) {
            messages_.push_back(read(i));
        }
    }

    std::string run() {
        bool fault = false;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < log_.size(); ++i) {
            if (fault && (is_fault(i) || is_context(log_[i]))) {
                write(begin, i);
                begin = i;
                fault = false;
            }
            fault = fault || is_fault(i);
        }
        write(begin, log_.size());
        while (!all_.empty() && all_.back() == '\n') {
            all_.pop_back();
        }
        return std::move(all_);
    }

private:
    struct Message {
        Place place;                ///< In the C++; line is 0 if this is not a message.
        std::optional<Position> at; ///< In the user's file.
        Severity severity = Severity::note;
        std::string_view text;
    };

    Message read(std::size_t i) const {
        Message m;
        m.place = place_of(log_[i], name_);
        m.text = m.place.rest.substr(std::min(m.place.rest.find_first_not_of(' '), m.place.rest.size()));
        if (m.text.starts_with("error") || m.text.starts_with("fatal error") ||
            m.text.starts_with("catastrophic error")) {
            m.severity = Severity::error;
        } else if (m.text.starts_with("warning")) {
            m.severity = Severity::warning;
        }
        if (const std::size_t colon = m.text.find(": "); colon < 32) {
            m.text.remove_prefix(colon + 2);
        }
        m.at = user_place(m.place.line, m.place.column != 0 ? m.place.column : caret_column(i, m.place.line));
        return m;
    }

    // Empty for a place in the prelude. If the column is unknown (0), that of the result is 0.
    std::optional<Position> user_place(std::size_t line, std::size_t column) const {
        if (line == 0 || line > t_.lines.size() || t_.lines[line - 1].empty()) {
            return std::nullopt;
        }
        const std::vector<Mapping>& columns = t_.lines[line - 1];
        const auto after = std::upper_bound(columns.begin(), columns.end(), column,
                                            [](std::size_t c, const Mapping& m) { return c < m.column; });
        Position at = after == columns.begin() ? columns.front().at : std::prev(after)->at;
        at.column = column == 0 ? 0 : at.column;
        return at;
    }

    // The position of the caret that NVRTC draws under the shown line. 0 if there is none.
    std::size_t caret_column(std::size_t i, std::size_t of) const {
        if (of == 0 || of > source_.size()) {
            return 0;
        }
        for (std::size_t n = i + 1; n < log_.size() && n < i + 4; ++n) {
            const std::size_t caret = log_[n].find_last_not_of(' ');
            if (caret != std::string_view::npos && log_[n][caret] == '^') {
                // The line is shown with another indentation.
                const std::string_view source = source_[of - 1];
                const std::size_t indent = std::min(source.find_first_not_of(" \t"), source.size());
                const std::size_t shown = 2;
                return caret >= shown ? caret - shown + indent + 1 : 0;
            }
        }
        return 0;
    }

    bool is_fault(std::size_t i) const {
        return messages_[i].place.line != 0 && messages_[i].severity != Severity::note;
    }

    // Writes an error or warning with all lines that belong to it.
    void write(std::size_t begin, std::size_t end) {
        std::size_t fault = begin;
        while (fault < end && !is_fault(fault)) {
            ++fault;
        }
        const bool hidden = fault < end && is_prelude(messages_[fault]);
        if (const auto at = hidden ? first_user_place(begin, end) : std::nullopt) {
            say({messages_[fault].severity, *at, std::string(messages_[fault].text)});
            messages_[fault].severity = Severity::note;
        }
        for (std::size_t i = begin; i < end; ++i) {
            line(i);
        }
    }

    void line(std::size_t i) {
        const Message& m = messages_[i];
        if (m.at) {
            say({m.severity, *m.at, with_places(m.text)});
            mapped_ = true;
            excerpt_ = m.place.line <= source_.size() ? source_[m.place.line - 1] : std::string_view();
            return;
        }
        const std::string_view text = log_[i];
        const bool shown = mapped_ && (is_excerpt(text) || text == excerpt_);
        if (shown || text.find(": In function ") != std::string_view::npos) {
            return;
        }
        mapped_ = mapped_ && text.empty();
        if (is_prelude(m)) {
            Diagnostics one;
            one.add({m.severity, {}, with_places(m.text)});
            all_ += place_in_prelude(m.place.line) +
                    (m.place.column != 0 ? ":" + std::to_string(m.place.column) : "") + ": " +
                    one.text(files_) + "\n";
        } else if (is_context(text) && text.starts_with(name_)) {
            all_ += std::string(prelude_name) + std::string(text.substr(name_.size())) + "\n";
        } else {
            all_ += with_places(text) + "\n";
        }
    }

    bool is_prelude(const Message& m) const {
        return m.place.line != 0 && m.place.line <= source_.size() && !m.at;
    }

    // The place in the user's text that led there.
    std::optional<Position> first_user_place(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i) {
            if (messages_[i].at) {
                return messages_[i].at;
            }
        }
        for (std::size_t i = begin; i < end; ++i) {
            std::size_t at = 0;
            if (const auto found = next_place(log_[i], at)) {
                if (const auto user = user_place(*found, 0)) {
                    return user;
                }
            }
        }
        return std::nullopt;
    }

    // NVRTC's next "at line 12" from `at` on. Moves `at` after it.
    static std::optional<std::size_t> next_place(std::string_view text, std::size_t& at) {
        constexpr std::string_view words = "at line ";
        const std::size_t found = text.find(words, at);
        if (found == std::string_view::npos) {
            return std::nullopt;
        }
        std::string_view rest = text.substr(found + words.size());
        const std::size_t line = take_number(rest);
        at = text.size() - rest.size();
        return line;
    }

    // The same text, with "at line 12" as a place in the user's text.
    std::string with_places(std::string_view text) const {
        std::string result;
        std::size_t done = 0;
        for (std::size_t at = 0;;) {
            const auto found = next_place(text, at);
            if (!found) {
                return result + std::string(text.substr(done));
            }
            const auto user = user_place(*found, 0);
            const std::string_view before = text.substr(done, at - done);
            if (user) {
                result += std::string(before.substr(0, before.rfind("line "))) + files_[user->file].name +
                          ":" + std::to_string(user->line);
            } else if (*found != 0 && *found <= source_.size()) {
                result += std::string(before.substr(0, before.rfind("line "))) + place_in_prelude(*found);
            } else {
                result += before;
            }
            done = at;
        }
    }

    static std::string place_in_prelude(std::size_t line) {
        return std::string(prelude_name) + ":" + std::to_string(line);
    }

    void say(Diagnostic diagnostic) {
        Diagnostics one;
        one.add(std::move(diagnostic));
        all_ += one.text(files_) + "\n";
    }

    static const Files& no_files() {
        static detail::NoDestructor<const Files> none;
        return *none;
    }

    const Translation& t_;
    const Files& files_;
    std::string_view name_;
    std::vector<std::string_view> source_; ///< The C++.
    std::vector<std::string_view> log_;
    std::vector<Message> messages_; ///< One for each line of the log.
    std::string all_;
    std::string_view excerpt_; ///< The line of C++ that compilers show.
    bool mapped_ = false;      ///< The following excerpt shows the C++; the user's own line has been shown.
};

} // namespace

std::string Translation::explain(std::string_view log, std::string_view name) const {
    if (again && !log.empty()) {
        return again().explain(log, name);
    }
    return Explanation(*this, log, name).run();
}

} // namespace ferry::translate
