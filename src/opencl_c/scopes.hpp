// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.hpp"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ferry::opencl_c {

/// The meaning of a declared name.
struct Symbol {
    enum class Kind : std::uint8_t { variable, function, type, enumerator };

    Kind kind = Kind::variable;
    std::uint32_t depth = 0; ///< The depth of the scope. 0: file scope.
    std::uint32_t index = 0; ///< A VarId, or the index of the functions with this name.
    Type type;               ///< For a typedef or an enumerator.
    std::int64_t value = 0;  ///< For an enumerator.
    std::uint32_t token = 0;
};

struct Tag {
    std::uint32_t depth = 0;
    Type type;
};

/// Names in scope. As in C, the tags of structs, unions and enumerations are separate from ordinary names.
class Scopes {
public:
    void open() { marks_.push_back({names_made_.size(), tags_made_.size()}); }
    void close() {
        const auto [names, tags] = marks_.back();
        marks_.pop_back();
        for (; names_made_.size() > names; names_made_.pop_back()) {
            names_[names_made_.back()].pop_back();
        }
        for (; tags_made_.size() > tags; tags_made_.pop_back()) {
            tags_[tags_made_.back()].pop_back();
        }
    }
    std::uint32_t depth() const noexcept { return static_cast<std::uint32_t>(marks_.size()); }

    /// The innermost declaration; null if there is none.
    Symbol* find(std::string_view name) {
        const auto at = names_.find(name);
        return at == names_.end() || at->second.empty() ? nullptr : &at->second.back();
    }
    /// The same, but only in the innermost scope.
    Symbol* find_here(std::string_view name) {
        Symbol* const found = find(name);
        return found != nullptr && found->depth == depth() ? found : nullptr;
    }
    Symbol& add(std::string_view name, Symbol symbol) {
        symbol.depth = depth();
        auto& all = names_[name];
        all.push_back(symbol);
        names_made_.push_back(name);
        return all.back();
    }
    Tag* find_tag(std::string_view name) {
        const auto at = tags_.find(name);
        return at == tags_.end() || at->second.empty() ? nullptr : &at->second.back();
    }
    void add_tag(std::string_view name, Type type) {
        tags_[name].push_back({depth(), type});
        tags_made_.push_back(name);
    }
    /// All names in scope, for suggestions.
    const std::unordered_map<std::string_view, std::vector<Symbol>>& names() const noexcept { return names_; }

private:
    struct Mark {
        std::size_t names, tags;
    };
    std::unordered_map<std::string_view, std::vector<Symbol>> names_;
    std::unordered_map<std::string_view, std::vector<Tag>> tags_;
    std::vector<std::string_view> names_made_, tags_made_;
    std::vector<Mark> marks_;
};

} // namespace ferry::opencl_c
