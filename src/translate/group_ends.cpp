// SPDX-License-Identifier: Apache-2.0
#include "group_ends.hpp"

#include "lines.hpp"

#include <algorithm>
#include <cstdint>

namespace ferry::translate {

std::string line_marker(std::size_t number, std::string_view name) {
    std::string marker = "#line " + std::to_string(number) + " \"";
    for (const char c : name) {
        marker += c == '"' || c == '\\' || c == '\n' || c == '\r' ? '/' : c;
    }
    return marker + "\"\n";
}

bool GroupEnds::line(std::string_view code, std::size_t number, bool skipped, bool comment,
                     const Numbering& numbering, std::string& out) {
    if (begins_conditional(code)) {
        open_.push_back({{numbering.name(), numbering.of(0)}, {}});
    }
    if (!begins_group(code) || open_.empty()) {
        return false;
    }
    Conditional& conditional = open_.back();
    if (!skipped) {
        conditional.ends.push_back({out.size(), {numbering.name(), numbering.of(0)}, comment});
    }
    conditional.has_else = conditional.has_else || directive(code, "else");
    if (!directive(code, "endif")) {
        return conditional.put_in;
    }
    const Conditional ended = std::move(conditional);
    open_.pop_back();
    if (!ended.put_in) {
        return false;
    }
    put_in();
    return end(ended, number, out);
}

void GroupEnds::put_in() {
    if (!open_.empty()) {
        open_.back().put_in = true;
    }
}

bool GroupEnds::end(const Conditional& conditional, std::size_t number, std::string& out) {
    if (std::all_of(conditional.ends.begin(), conditional.ends.end(),
                    [&](const End& end) { return end.place == conditional.before; })) {
        return true;
    }
    const auto insertions = corrections(conditional, number, out);
    for (const Insertion& insertion : insertions.value_or(std::vector<Insertion>())) {
        out.insert(insertion.at, insertion.text);
    }
    return !insertions;
}

// Each group ends with a line number from which the skipped lines lead to the right one. Empty if that would
// be less than 1. The last in the text comes first.
std::optional<std::vector<GroupEnds::Insertion>>
GroupEnds::corrections(const Conditional& conditional, std::size_t number, const std::string& out) {
    std::vector<Insertion> all;
    std::ptrdiff_t more = 0; // Lines inserted after it.
    if (!conditional.has_else) {
        all.push_back(
            {out.size(), "#else\n" + line_marker(number + conditional.before.more, conditional.before.name)});
        more = 2;
    }
    for (auto end = conditional.ends.rbegin(); end != conditional.ends.rend(); ++end) {
        const std::ptrdiff_t skipped =
            more + std::count(out.begin() + static_cast<std::ptrdiff_t>(end->at), out.end(), '\n');
        const auto first = static_cast<std::ptrdiff_t>(number + end->place.more) - skipped;
        if (first < 1 || end->comment) {
            return std::nullopt;
        }
        all.push_back({end->at, line_marker(static_cast<std::size_t>(first), end->place.name)});
        ++more;
    }
    return all;
}

} // namespace ferry::translate
