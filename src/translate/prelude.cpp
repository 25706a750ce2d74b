// SPDX-License-Identifier: Apache-2.0
#include "prelude.hpp"

#include "prelude_names.hpp"
#include "prelude_sections.hpp"

#include <algorithm>
#include <map>

namespace ferry::translate {
namespace {

/// Collects the sections and generated declarations that the words need, then orders them.
class Selection {
public:
    explicit Selection(Dialect dialect)
        : sections_(sections(dialect)),
          wanted_(sections_.all().size()),
          texts_(wanted_.size()),
          named_(wanted_.size()) {}

    void want(std::string_view name) {
        if (!names_.emplace(name, std::string()).second) {
            return;
        }
        for (const auto& [provided, index] : sections_.providing(name)) {
            want_section(index);
        }
        std::string text = generated_declaration(name);
        if (!text.empty()) {
            for (const std::string_view inner : identifiers_of(text)) {
                want(inner);
            }
            names_.find(name)->second = std::move(text);
        }
        if (name == "double") {
            enter(Phase::with_double);
        } else if (name == half_arithmetic) {
            enter(Phase::with_half);
        } else if (name == half_vectors) {
            enter(Phase::with_halves);
        } else if (name.starts_with("fy_vec")) {
            enter(Phase::with_vector);
        }
    }

    bool has(Phase phase) const { return entered_[static_cast<std::size_t>(phase)]; }

    std::string text() {
        std::string result;
        for (std::size_t phase = 0; phase < phase_count; ++phase) {
            phase_ = static_cast<Phase>(phase);
            put_name("core", result);
            for (std::size_t index = 0; index < wanted_.size(); ++index) {
                put_section(index, result);
            }
        }
        for (auto& [name, text] : names_) {
            put_name(name, result);
        }
        return result;
    }

private:
    void want_section(std::size_t index) {
        const Section& section = sections_.all()[index];
        if (wanted_[index] != State::no) {
            return;
        }
        if (!has(section.phase)) {
            waiting_[static_cast<std::size_t>(section.phase)].push_back(index);
            return;
        }
        wanted_[index] = State::wanted;
        texts_[index] = section.text();
        named_[index] = section.needs;
        const auto names = identifiers_of(texts_[index]);
        named_[index].insert(named_[index].end(), names.begin(), names.end());
        for (const std::string_view name : named_[index]) {
            if (name != "double") { // A function that computes in double does not count as a use of double by
                                    // the file.
                want(name);
            }
        }
    }

    void enter(Phase phase) {
        entered_[static_cast<std::size_t>(phase)] = true;
        const std::vector<std::size_t> waiting = std::move(waiting_[static_cast<std::size_t>(phase)]);
        for (const std::size_t index : waiting) {
            want_section(index);
        }
    }

    void put_section(std::size_t index, std::string& result) {
        const Section& section = sections_.all()[index];
        if (wanted_[index] != State::wanted || section.phase != phase_) {
            return;
        }
        wanted_[index] = State::put;
        for (const std::string_view name : named_[index]) {
            put_name(name, result);
        }
        result += texts_[index];
    }

    void put_name(std::string_view name, std::string& result) {
        for (const auto& [provided, index] : sections_.providing(name)) {
            put_section(index, result);
        }
        const auto found = names_.find(name);
        if (phase_ < Phase::with_vector || found == names_.end() || found->second.empty()) {
            return;
        }
        const std::string text = std::move(found->second);
        found->second.clear();
        for (const std::string_view inner : identifiers_of(text)) {
            put_name(inner, result);
        }
        result += text;
    }

    enum class State : std::uint8_t { no, wanted, put };

    const Sections& sections_;
    std::vector<State> wanted_;
    std::vector<std::string> texts_;                        ///< Of each required section.
    std::vector<std::vector<std::string_view>> named_;      ///< Its dependencies.
    std::map<std::string, std::string, std::less<>> names_; ///< Each with its generated text.
    bool entered_[phase_count] = {true};
    std::vector<std::size_t> waiting_[phase_count];
    Phase phase_ = Phase::always;
};

} // namespace

std::string prelude(Dialect dialect, std::span<const std::string_view> words) {
    Selection selection(dialect);
    selection.want("core");
    for (const std::string_view word : words) {
        selection.want(word);
    }
    return selection.text();
}

bool prelude_provides(Dialect dialect, std::string_view name) {
    return !sections(dialect).providing(name).empty() || !generated_declaration(name).empty();
}

bool prelude_provides_for_half(Dialect dialect, std::string_view name) {
    const auto provided = sections(dialect).providing(name);
    return std::any_of(provided.begin(), provided.end(), [&](const Sections::Provider& one) {
        const Phase phase = sections(dialect).all()[one.second].phase;
        return phase == Phase::with_half || phase == Phase::with_halves;
    });
}

} // namespace ferry::translate
