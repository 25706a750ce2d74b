// SPDX-License-Identifier: Apache-2.0
#include "opencl_recursion.hpp"

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ferry::opencl {
namespace {

using translate::Token;

struct Function {
    std::size_t name = 0; ///< Its token.
    std::size_t begin = 0, end = 0;
    bool overloaded = false;
    enum { unseen, on_path, done } state = unseen;
};

class CallGraph {
public:
    explicit CallGraph(const std::vector<Token>& tokens) : tokens_(tokens) { find_functions(); }

    /// The token that names a function that calls itself. The number of tokens if there is none.
    std::size_t recursive() {
        for (Function& root : functions_) {
            path_.clear();
            enter(root);
            while (!path_.empty()) {
                auto& [function, at] = path_.back();
                while (at < function->end && called(at) == nullptr) {
                    ++at;
                }
                if (at == function->end) {
                    function->state = Function::done;
                    path_.pop_back();
                    continue;
                }
                Function& next = *called(at++);
                if (next.state == Function::on_path) {
                    return next.name;
                }
                enter(next);
            }
        }
        return tokens_.size();
    }

private:
    void enter(Function& function) {
        if (function.state == Function::unseen && !function.overloaded) {
            function.state = Function::on_path;
            path_.emplace_back(&function, function.begin);
        }
    }

    Function* called(std::size_t i) {
        if (!tokens_[i].is_identifier() || !tokens_[i + 1].is("(") || tokens_[i - 1].is(".") ||
            tokens_[i - 1].is("->")) {
            return nullptr;
        }
        const auto found = by_name_.find(tokens_[i].text);
        return found == by_name_.end() ? nullptr : &functions_[found->second];
    }

    /// NAME ( ... ) attributes { ... } outside of braces and parentheses.
    void find_functions() {
        std::size_t depth = 0;
        std::size_t name = 0; // Of a possible function.
        for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
            const Token& t = tokens_[i];
            if (t.is("(") && depth == 0 && tokens_[i - 1].is_identifier() &&
                !tokens_[i - 1].is("__attribute__") && !tokens_[i - 1].is("__attribute")) {
                name = i - 1;
            } else if (depth == 0 && (t.is(";") || t.is("="))) {
                name = 0;
            } else if (depth == 0 && t.is("{") && name != 0) {
                const auto [known, added] = by_name_.emplace(tokens_[name].text, functions_.size());
                if (added) {
                    functions_.push_back({name, i + 1, tokens_.size() - 1});
                } else {
                    functions_[known->second].overloaded = true;
                }
                open_ = added ? functions_.size() : 0;
                name = 0;
            }
            depth += t.is("(") || t.is("{") || t.is("[") ? 1 : 0;
            if (depth != 0 && (t.is(")") || t.is("}") || t.is("]")) && --depth == 0 && t.is("}") &&
                open_ != 0) {
                functions_[open_ - 1].end = i;
                open_ = 0;
            }
        }
    }

    const std::vector<Token>& tokens_;
    std::vector<Function> functions_;
    std::unordered_map<std::string_view, std::size_t> by_name_;
    std::vector<std::pair<Function*, std::size_t>> path_; ///< And the next token to check.
    std::size_t open_ = 0;                                ///< The function being read, counted from 1.
};

} // namespace

std::size_t recursive_function(const std::vector<Token>& tokens) {
    return CallGraph(tokens).recursive();
}

} // namespace ferry::opencl
