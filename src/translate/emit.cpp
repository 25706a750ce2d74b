// SPDX-License-Identifier: Apache-2.0
#include "emit.hpp"

#include "lexer.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

// Only lines of the file begin a line in the output; positions are stored separately.
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

} // namespace

void emit(const std::vector<Token>& tokens, Translation& translation) {
    Emitter(translation).run(tokens);
}

} // namespace ferry::translate
