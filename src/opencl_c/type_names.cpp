// SPDX-License-Identifier: Apache-2.0
#include "builtins.hpp"
#include "missing_features.hpp"
#include "parser.hpp"

#include <algorithm>
#include <array>

// Specifiers and declarators (C99 6.7).
namespace ferry::opencl_c {
namespace {

constexpr std::array<std::string_view, 13> scalar_words{"unsigned", "signed", "__signed__", "short",  "long",
                                                        "int",      "char",   "float",      "double", "half",
                                                        "void",     "bool",   "_Bool"};
constexpr std::array<std::string_view, 5> made_types{"struct", "union", "enum", "typeof", "__typeof__"};
constexpr std::array<std::string_view, 22> other_words{
    "const",    "volatile",   "restrict",  "__restrict",  "__restrict__", "inline",
    "__inline", "__inline__", "static",    "extern",      "typedef",      "register",
    "kernel",   "__kernel",   "read_only", "__read_only", "write_only",   "__write_only",
    "struct",   "union",      "enum",      "__const"};

constexpr std::array<std::string_view, 16> statement_words{
    "auto", "break", "case",   "continue", "default", "do",       "else",       "for",
    "goto", "if",    "return", "sizeof",   "switch",  "vec_step", "__volatile", "while"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

bool Parser::space_word(std::string_view word, Space& space) const {
    if (word.starts_with("__")) {
        word.remove_prefix(2);
    }
    constexpr std::array<std::string_view, 4> names{"private", "global", "local", "constant"};
    const auto at = std::find(names.begin(), names.end(), word);
    if (at == names.end()) {
        return false;
    }
    space = static_cast<Space>(at - names.begin());
    return true;
}

bool Parser::is_name() {
    if (!is_word()) {
        return false;
    }
    const std::string_view word = peek().text;
    Space space{};
    if (is_one_of(word, scalar_words) || is_one_of(word, other_words) || is_one_of(word, statement_words) ||
        is_one_of(word, made_types) || space_word(word, space) || word.starts_with("__attribute")) {
        return false;
    }
    const auto type = builtin_type(word, types_);
    return !type || !types_.is(*type, TypeKind::image);
}

bool Parser::starts_type(std::uint32_t ahead) {
    const translate::Token& t = peek(ahead);
    if (!t.is_identifier()) {
        return false;
    }
    Space space{};
    if (is_one_of(t.text, scalar_words) || is_one_of(t.text, other_words) || space_word(t.text, space) ||
        t.text == "__attribute__" || t.text == "__attribute" || t.text == "typeof" ||
        t.text == "__typeof__" || t.text == "auto") {
        return true;
    }
    if (const Symbol* const symbol = scopes_.find(t.text)) {
        return symbol->kind == Symbol::Kind::type;
    }
    return builtin_type(t.text, types_).has_value();
}

Type Parser::scalar_of(const std::vector<std::uint32_t>& words) {
    const auto count = [&](std::string_view word) {
        return std::count_if(words.begin(), words.end(),
                             [&](std::uint32_t w) { return tree_.tokens[w].text == word; });
    };
    const bool is_unsigned = count("unsigned") != 0;
    const bool is_signed = count("signed") + count("__signed__") != 0;
    const auto longs = count("long");
    const std::size_t plain = words.size() - static_cast<std::size_t>(count("unsigned") + count("signed") +
                                                                      count("__signed__") + count("int"));
    const auto refuse = [&] {
        std::string text;
        for (const std::uint32_t w : words) {
            text += (text.empty() ? "" : " ") + std::string(tree_.tokens[w].text);
        }
        error(words.front(), translate::quoted(text) + " is not a type");
        return Types::basic(TypeKind::error);
    };
    if ((is_unsigned && is_signed) || count("int") > 1 || longs > 2) {
        return refuse();
    }
    TypeKind kind = TypeKind::int_;
    if (plain == 1 && !longs) {
        const std::string_view word = [&] {
            for (const std::uint32_t w : words) {
                const std::string_view text = tree_.tokens[w].text;
                if (text != "unsigned" && text != "signed" && text != "__signed__" && text != "int") {
                    return text;
                }
            }
            return std::string_view();
        }();
        kind = word == "_Bool" ? TypeKind::bool_ : scalar_from(word).value_or(TypeKind::int_);
        const bool integer = word == "char" || word == "short";
        if ((!integer && words.size() > 1) || (word == "char" && count("int") != 0)) {
            return refuse();
        }
    } else if (longs != 0) {
        if (static_cast<std::size_t>(longs) != plain) {
            return refuse();
        }
        kind = TypeKind::long_;
    } else if (plain != 0) {
        return refuse();
    }
    if (kind == TypeKind::double_ && !options_.fp64) {
        error(words.front(), "the device has no double");
    }
    return Types::basic(is_unsigned ? static_cast<TypeKind>(static_cast<int>(kind) + 1) : kind);
}

/// Accepts a word that is allowed anywhere among the specifiers. False if the current token is no such word.
bool Parser::qualifier(Specifiers& into, Type& qualifiers) {
    const std::string_view word = peek().text;
    Space space{};
    if (word == "const" || word == "__const") {
        qualifiers = qualifiers.with_const();
    } else if (word == "volatile") {
        qualifiers = qualifiers.with_volatile();
    } else if (word == "restrict" || word == "__restrict" || word == "__restrict__") {
        qualifiers = qualifiers.with_restrict();
    } else if (word == "inline" || word == "__inline" || word == "__inline__") {
        into.is_inline = true;
    } else if (word == "static" || word == "extern" || word == "typedef") {
        if (into.storage) {
            error(at(), "a declaration has one storage class, but here are " + shown(*into.storage) +
                            " and " + shown(at()));
        }
        into.storage = at();
        into.is_static = into.is_static || word == "static";
        into.is_extern = into.is_extern || word == "extern";
        into.is_typedef = into.is_typedef || word == "typedef";
    } else if (word == "auto" || word == "register") {
        if (word == "auto") {
            error(at(), "the storage class 'auto' is not in OpenCL C 1.2");
        }
    } else if (word == "kernel" || word == "__kernel") {
        into.kernel = true;
    } else if (word == "read_only" || word == "__read_only" || word == "write_only" ||
               word == "__write_only") {
        // Access qualifiers of images have no effect.
    } else if (space_word(word, space)) {
        if (into.has_space && into.space != space) {
            error(at(), "an object is in one address space, but here are two");
        }
        into.has_space = true;
        into.space = space;
    } else {
        return false;
    }
    advance();
    return true;
}

Parser::Specifiers Parser::specifiers(bool) {
    Specifiers made;
    made.token = at();
    Type qualifiers;
    std::optional<Type> type;
    std::vector<std::uint32_t> words;
    while (is_word()) {
        const std::string_view word = peek().text;
        if (word == "__attribute__" || word == "__attribute") {
            attributes(made.attributes);
        } else if (qualifier(made, qualifiers)) {
            // qualifier() has consumed the word.
        } else if (is_one_of(word, scalar_words)) {
            words.push_back(advance());
        } else if ((type || !words.empty()) && is_one_of(word, made_types)) {
            break; // A ';' is missing.
        } else if (word == "struct" || word == "union") {
            type = record_specifier();
            made.made_type = true;
        } else if (word == "enum") {
            type = enum_specifier();
            made.made_type = true;
        } else if (word == "typeof" || word == "__typeof__") {
            advance();
            expect("(", "after 'typeof'");
            type = starts_type() ? type_name() : type_of(expression());
            expect(")", "of 'typeof'");
        } else if (!type && words.empty() && starts_type()) {
            const Symbol* const symbol = scopes_.find(word);
            type = symbol != nullptr ? symbol->type : *builtin_type(word, types_);
            if (!options_.fp64 && types_.is(types_.scalar(*type), TypeKind::double_)) {
                error(at(), "the device has no double");
            }
            advance();
        } else {
            break;
        }
    }
    if (type && !words.empty()) {
        error(words.front(), "a declaration has one type, but here are two");
    }
    if (!type && words.empty()) {
        const bool starts = made.kernel || made.storage.has_value() || made.has_space ||
                            qualifiers.qualifiers() != 0 || made.is_inline;
        if (is_word()) {
            std::string hint;
            const std::string_view word = peek().text;
            if (word == "__global__" || word == "__device__" || word == "__shared__" || word == "__host__") {
                hint = word == "__global__"   ? "; in OpenCL C a kernel begins with 'kernel void'"
                       : word == "__device__" ? "; in OpenCL C a function needs no such word"
                       : word == "__shared__" ? "; in OpenCL C it is 'local'"
                                              : "";
            } else if (word == "template") {
                hint =
                    "; the language is C: it has no templates. Use a macro or the attribute 'overloadable'";
            } else if (word.starts_with("vec") && word.size() == 4) {
                hint = "; did you mean 'float" + std::string(word.substr(3)) + "'?";
            } else if (word == "u32" || word == "uint32_t") {
                hint = "; did you mean 'uint'?";
            } else if (word == "int32_t") {
                hint = "; did you mean 'int'?";
            } else if (word == "uint64_t" || word == "int64_t") {
                hint = word[0] == 'u' ? "; did you mean 'ulong'?" : "; did you mean 'long'?";
            } else if (word == "uint8_t" || word == "int8_t") {
                hint = word[0] == 'u' ? "; did you mean 'uchar'?" : "; did you mean 'char'?";
            }
            if (const std::string_view feature = missing_feature(word); !feature.empty()) {
                fail_here("the language has no " + std::string(feature) + advice(feature));
            }
            if (const std::string_view kernel = kernel_ahead(made.kernel); hint.empty() && !kernel.empty()) {
                fail_here(translate::quoted(word.substr(0, 80)) + " before the kernel " +
                          translate::quoted(kernel) +
                          " is neither 'void' nor an attribute; is a macro not defined?");
            }
            fail_here("no type " + shown(at()) + " is declared" + hint);
        }
        if (is("[") && peek(1).is("[")) {
            fail_here("OpenCL C has no attributes in [[ ]]; use __attribute__");
        }
        fail_here(starts ? "the declaration has no type; the type is missing before " + shown(at())
                         : "expected a declaration, but here is " + shown(at()));
    }
    Type made_type = type ? *type : scalar_of(words);
    made_type = made_type.with_qualifiers_of(qualifiers);
    if (made.has_space) {
        if (made_type.space() != Space::private_ && made_type.space() != made.space) {
            error(made.token, "the type is in another address space already");
        }
        made_type = made_type.in(made.space);
    } else {
        made.space = made_type.space();
        made.has_space = made.space != Space::private_;
    }
    made.type = made_type;
    return made;
}

/// The name of the kernel whose declaration continues here. Empty if it is not a kernel's.
std::string_view Parser::kernel_ahead(bool is_kernel) {
    std::string_view name;
    std::size_t depth = 0;
    for (std::uint32_t i = at(); i + 1 < tree_.tokens.size(); ++i) {
        const translate::Token& t = tree_.tokens[i];
        if (depth == 0 && (t.is("{") || t.is(";") || t.is(")"))) {
            break;
        }
        is_kernel = is_kernel || t.is("kernel") || t.is("__kernel");
        name = depth == 0 && t.is_identifier() && tree_.tokens[i + 1].is("(") ? t.text : name;
        depth += t.is("(") ? 1 : 0;
        depth -= depth > 0 && t.is(")") ? 1 : 0;
    }
    return is_kernel ? name : std::string_view();
}

std::string Parser::spelling(std::uint32_t begin, std::uint32_t end) const {
    std::string text;
    for (std::uint32_t i = begin; i < end; ++i) {
        const std::string_view word = tree_.tokens[i].text;
        Space space{};
        const bool dropped = word == "const" || word == "volatile" ||
                             word.find("restrict") != std::string_view::npos || word == "__const" ||
                             space_word(word, space);
        if (dropped) {
            continue;
        }
        if (word == "*" || word == "[") {
            text += '*';
            if (word == "[") {
                break;
            }
            continue;
        }
        text += (text.empty() ? "" : " ") + std::string(word);
    }
    return text;
}

Parser::Chunk Parser::array_chunk() {
    Chunk chunk;
    chunk.kind = Chunk::Kind::array;
    chunk.token = advance();
    while (is("static") || is("const") || is("restrict") || is("volatile")) {
        advance();
    }
    if (!is("]")) {
        const ExprId e = value(conditional());
        const auto count = is_bad(e) ? std::optional<std::int64_t>(1) : evaluate(e);
        if (!is_bad(e) && !types_.is_integer(type_of(e))) {
            error(token_of(e),
                  "the size of an array must be an integer, but it has type " + name(type_of(e)));
        } else if (!count) {
            error(token_of(e),
                  "the size of an array must be a constant: the language has no arrays of variable length");
        } else if (types_.is_signed(type_of(e)) && *count < 0) {
            error(token_of(e), "an array cannot have " + std::to_string(*count) + " elements");
        }
        const bool is_known = count && (*count >= 0 || !types_.is_signed(type_of(e)));
        chunk.count = is_known ? std::min(static_cast<std::uint64_t>(*count), unknown_size - 1) : 1;
    }
    expect("]", "after the size of the array");
    return chunk;
}

Parser::Chunk Parser::function_chunk() {
    Chunk chunk;
    chunk.kind = Chunk::Kind::function;
    chunk.token = advance();
    if (accept(")")) {
        return chunk;
    }
    if (is("void") && peek(1).is(")")) {
        advance();
        advance();
        return chunk;
    }
    const Scope names(scopes_);
    do {
        if (is("...")) {
            error(at(), "a function with a variable number of arguments is not in the language");
            advance();
            break;
        }
        chunk.parameters.push_back(parameter(chunk.parameter_types));
        if (const Variable& made = tree_.variables[chunk.parameters.back()]; !made.name.empty()) {
            Symbol symbol;
            symbol.index = chunk.parameters.back();
            symbol.token = made.token;
            scopes_.add(made.name, symbol);
        }
    } while (accept(","));
    expect(")", "after the parameters");
    return chunk;
}

VarId Parser::parameter(std::vector<std::string>& types) {
    const Nesting nesting(*this);
    const std::uint32_t begin = at();
    Specifiers s = specifiers();
    if (s.kernel || s.is_inline) {
        error(s.token, "a parameter cannot be " + std::string(s.kernel ? "a kernel" : "inline"));
    }
    const Declarator d = declarator(s, true);
    attributes(s.attributes);
    std::uint32_t end = next_;
    std::uint32_t name_at = d.name.empty() ? end : d.token;
    types.push_back(spelling(begin, std::min(name_at, end)));
    for (std::uint32_t i = name_at; i < end; ++i) {
        if (tree_.tokens[i].text == "[") {
            types.back() += '*';
            break;
        }
    }
    Variable v;
    v.name = d.name;
    v.token = d.name.empty() ? begin : d.token;
    v.parameter = true;
    Type type = d.type;
    if (types_.is_array(type)) {
        type = types_.pointer(types_.element(type));
    } else if (types_.is(type, TypeKind::function)) {
        error(v.token, "a parameter cannot be a function: the language has no pointers to functions");
        type = Types::basic(TypeKind::error);
    } else if (types_.is_void(type)) {
        error(v.token, "a parameter cannot be void");
        type = Types::basic(TypeKind::error);
    } else if (type.space() != Space::private_) {
        error(v.token, "a parameter is private: only the object that a pointer points to can be in another "
                       "address space");
        type = type.in(Space::private_);
    }
    v.type = type;
    tree_.variables.push_back(v);
    return static_cast<VarId>(tree_.variables.size() - 1);
}

void Parser::declarator_chunks(std::vector<Chunk>& chunks, Declarator& into, bool abstract) {
    const Nesting nesting(*this);
    attributes(into.attributes);
    std::vector<Chunk> pointers;
    while (is("*") || is("^")) {
        Chunk chunk;
        chunk.token = advance();
        Specifiers s;
        attributes(into.attributes);
        while (is_word()) {
            const std::uint32_t word = at();
            if (is("__attribute__") || is("__attribute")) {
                attributes(into.attributes);
                continue;
            }
            if (!qualifier(s, chunk.qualifiers)) {
                break;
            }
            if (s.storage || s.kernel || s.is_inline) {
                error(word, shown(word) + " cannot follow '*'");
            }
        }
        if (s.has_space) {
            chunk.qualifiers = chunk.qualifiers.in(s.space);
        }
        pointers.push_back(std::move(chunk));
    }
    std::vector<Chunk> inner;
    attributes(into.attributes);
    // In an abstract declarator, '(' begins the parameters unless a nested declarator follows.
    if (is("(") &&
        (!abstract || peek(1).is("*") || peek(1).is("(") || (!starts_type(1) && peek(1).is_identifier()))) {
        advance();
        declarator_chunks(inner, into, abstract);
        expect(")", "of the declarator");
    } else if (is_name() &&
               (!abstract || !starts_type() || peek(1).is(",") || peek(1).is(")") || peek(1).is("["))) {
        into.token = advance(); // The declarator may hide a type with the same name.
        into.name = tree_.tokens[into.token].text;
    }
    attributes(into.attributes);
    std::vector<Chunk> suffixes;
    while (is("[") || is("(")) {
        suffixes.push_back(is("[") ? array_chunk() : function_chunk());
        attributes(into.attributes);
    }
    for (Chunk& p : pointers) {
        chunks.push_back(std::move(p));
    }
    for (auto s = suffixes.rbegin(); s != suffixes.rend(); ++s) {
        chunks.push_back(std::move(*s));
    }
    for (Chunk& c : inner) {
        chunks.push_back(std::move(c));
    }
}

Type Parser::apply(Type type, const std::vector<Chunk>& chunks, Declarator& into) {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const Chunk& chunk = chunks[i];
        switch (chunk.kind) {
        case Chunk::Kind::pointer:
            if (types_.is(type, TypeKind::function)) {
                error(chunk.token, "the language has no pointers to functions");
                return Types::basic(TypeKind::error);
            }
            if (is_resource(type)) {
                error(chunk.token, "a pointer cannot point to an object of type " + name(type));
                return Types::basic(TypeKind::error);
            }
            type = types_.pointer(type).with_qualifiers_of(chunk.qualifiers).in(chunk.qualifiers.space());
            break;
        case Chunk::Kind::array:
            if (types_.is(type, TypeKind::function) || types_.is_void(type)) {
                error(chunk.token, "an array cannot have elements of type " + name(type));
                return Types::basic(TypeKind::error);
            }
            if (!types_.is_error(type) && !types_.is_complete(type)) {
                error(chunk.token, "an array cannot have elements of the incomplete type " + name(type));
                return Types::basic(TypeKind::error);
            }
            if (is_resource(type)) {
                error(chunk.token, "an array cannot have elements of type " + name(type));
                return Types::basic(TypeKind::error);
            }
            if (chunk.count != unknown_size && types_.size(type) != 0 &&
                chunk.count > (std::uint64_t{1} << 40) / types_.size(type)) {
                error(chunk.token, "an array of " + std::to_string(chunk.count) + " elements of " +
                                       std::to_string(types_.size(type)) +
                                       " bytes is too large; the limit is 2^40 bytes");
                return Types::basic(TypeKind::error);
            }
            type = types_.array(type, chunk.count);
            break;
        case Chunk::Kind::function: {
            if (types_.is_array(type) || types_.is(type, TypeKind::function) || is_resource(type)) {
                error(chunk.token, "a function cannot return the type " + name(type));
                return Types::basic(TypeKind::error);
            }
            if (type.space() != Space::private_) {
                error(chunk.token, "the result of a function is private: only the object that a pointer "
                                   "points to can be in another address space");
            }
            std::vector<Type> parameters;
            for (const VarId p : chunk.parameters) {
                parameters.push_back(tree_.variables[p].type.plain());
            }
            type = types_.function(type.in(Space::private_), std::move(parameters));
            into.is_function = i + 1 == chunks.size();
            into.parameters = chunk.parameters;
            into.parameter_types = chunk.parameter_types;
            break;
        }
        }
    }
    return type;
}

Parser::Declarator Parser::declarator(const Specifiers& s, bool abstract) {
    Declarator made;
    made.token = at();
    std::vector<Chunk> chunks;
    declarator_chunks(chunks, made, abstract);
    Type base = with_attributes(s.type, s.attributes, made.token);
    base = with_attributes(base, made.attributes, made.token);
    made.type = apply(base, chunks, made);
    return made;
}

Type Parser::type_name() {
    const Nesting nesting(*this);
    const Specifiers s = specifiers();
    if (s.storage) {
        error(*s.storage, shown(*s.storage) + " cannot be part of the name of a type");
    }
    return declarator(s, true).type;
}

} // namespace ferry::opencl_c
