// SPDX-License-Identifier: Apache-2.0
#include "builtins.hpp"
#include "missing_features.hpp"
#include "parser.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

// Calls and overload resolution, for built-in functions and for functions marked overloadable.
namespace ferry::opencl_c {
namespace {

// Ranks of a conversion from an argument to a parameter. A lower rank is better.
constexpr int exact = 0;
constexpr int qualified = 1; ///< The pointed-to type gains qualifiers.
constexpr int promoted = 2;
constexpr int converted = 3;
constexpr int splat = 4;
constexpr int incompatible = 5; ///< Pointers that C converts with a warning.

bool is_image_function(std::string_view name) {
    constexpr std::array<std::string_view, 15> names{"read_imagef",
                                                     "read_imagei",
                                                     "read_imageui",
                                                     "read_imageh",
                                                     "write_imagef",
                                                     "write_imagei",
                                                     "write_imageui",
                                                     "write_imageh",
                                                     "get_image_width",
                                                     "get_image_height",
                                                     "get_image_depth",
                                                     "get_image_channel_data_type",
                                                     "get_image_channel_order",
                                                     "get_image_dim",
                                                     "get_image_array_size"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

/// A candidate function with the rank of each argument.
struct Parser::Match {
    std::size_t candidate = 0;
    std::vector<int> ranks;

    bool beats(const Match& other) const {
        // As in clang, fewer incompatible pointers decide first: atomic_add(a, 1) of unsigned numbers has one
        // form.
        bool better = false;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (ranks[i] == incompatible && other.ranks[i] != incompatible) {
                return false;
            }
            better = better || (ranks[i] != incompatible && other.ranks[i] == incompatible);
        }
        if (better) {
            return true;
        }
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (ranks[i] > other.ranks[i]) {
                return false;
            }
            better = better || ranks[i] < other.ranks[i];
        }
        return better;
    }
};

std::optional<int> Parser::rank(ExprId argument, Type parameter) const {
    const Type from = type_of(argument).plain();
    const Type to = parameter.plain();
    if (from == to) {
        return exact;
    }
    if (types_.is_pointer(to)) {
        if (is_null(argument)) {
            return converted;
        }
        if (!types_.is_pointer(from)) {
            return std::nullopt;
        }
        const Type source = types_.element(from);
        const Type target = types_.element(to);
        if (source.space() != target.space()) {
            return std::nullopt;
        }
        if ((source.qualifiers() & 3 & ~target.qualifiers()) != 0) {
            return incompatible;
        }
        if (source.plain() == target.plain()) {
            return qualified;
        }
        return types_.is_void(target) || types_.is_void(source) ? converted : incompatible;
    }
    if (types_.is_arithmetic(from) && types_.is_arithmetic(to)) {
        const bool small = types_.is_integer(from) && size_of(types_.integer_kind(from)) < 4;
        const bool to_int =
            types_.is(to, TypeKind::int_) && (small || types_.is(from, TypeKind::enumeration));
        const bool to_double = types_.is(from, TypeKind::float_) && types_.is(to, TypeKind::double_);
        const bool from_half = types_.is(from, TypeKind::half) && types_.is(to, TypeKind::float_);
        return to_int || to_double || from_half ? promoted : converted;
    }
    if (types_.is_vector(to) && types_.is_arithmetic(from)) {
        return splat;
    }
    if (types_.is(to, TypeKind::event) && is_null(argument)) {
        return converted;
    }
    return std::nullopt;
}

ExprId Parser::finish_call(std::uint32_t token, Type result, std::vector<ExprId> arguments,
                           const std::vector<Type>& parameters) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        arguments[i] = convert(arguments[i], parameters[i], Use::pass, token_of(arguments[i]));
    }
    Expr made;
    made.type = result.plain();
    made.token = token;
    made.list = list_of(arguments);
    return add(made);
}

ExprId Parser::call_function(std::uint32_t token, const std::vector<FunctionId>& candidates,
                             std::vector<ExprId> arguments) {
    const std::string_view text = tree_.tokens[token].text;
    FunctionId chosen = candidates.front();
    const auto parameters_of = [&](FunctionId id) -> const std::vector<Type>& {
        return types_.function(tree_.functions[id].type).parameters;
    };
    if (candidates.size() > 1) {
        std::vector<Match> matches;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            const auto& parameters = parameters_of(candidates[c]);
            Match match{c, {}};
            for (std::size_t i = 0; i < arguments.size() && parameters.size() == arguments.size(); ++i) {
                if (const auto r = rank(arguments[i], parameters[i])) {
                    match.ranks.push_back(*r);
                }
            }
            if (parameters.size() == arguments.size() && match.ranks.size() == arguments.size()) {
                matches.push_back(std::move(match));
            }
        }
        const auto best = std::find_if(matches.begin(), matches.end(), [&](const Match& m) {
            return std::all_of(matches.begin(), matches.end(),
                               [&](const Match& other) { return &m == &other || m.beats(other); });
        });
        if (best == matches.end()) {
            error(token, std::string(matches.empty() ? "no overload of " : "more than one overload of ") +
                             translate::quoted(text) + " takes these arguments");
            for (const FunctionId id : candidates) {
                note(tree_.functions[id].token, "candidate: " + types_.name(tree_.functions[id].type));
            }
            return bad(token);
        }
        chosen = candidates[best->candidate];
    }
    const auto& parameters = parameters_of(chosen);
    if (parameters.size() != arguments.size()) {
        error(token, "the function " + translate::quoted(text) + " takes " +
                         std::to_string(parameters.size()) +
                         (parameters.size() == 1 ? " argument" : " arguments") + ", but here are " +
                         std::to_string(arguments.size()));
        note(tree_.functions[chosen].token, translate::quoted(text) + " is declared here");
        return bad(token);
    }
    const Type result = types_.function(tree_.functions[chosen].type).result;
    const ExprId made = finish_call(token, result, std::move(arguments), parameters);
    expr(made).kind = ExprKind::call;
    expr(made).index = chosen;
    if (called_.insert(chosen).second) {
        tree_.functions[function_].calls.push_back(chosen);
    }
    return made;
}

ExprId Parser::call_builtin(std::uint32_t token, std::vector<ExprId> arguments) {
    const std::string_view text = tree_.tokens[token].text;
    unsigned lanes = 0;
    for (const ExprId argument : arguments) {
        lanes |= types_.is_vector(type_of(argument)) ? 1U << types_.lanes(type_of(argument)) : 0;
        const Type type = type_of(argument);
        if (types_.is_pointer(type) && types_.is_vector(types_.element(type))) {
            lanes |= 1U << types_.lanes(types_.element(type));
        }
    }
    auto signatures = builtin_signatures(text, arguments.size(), lanes == 0 ? 2U : lanes | 2U, types_);
    std::erase_if(signatures, [&](const Signature& s) { return s.parameters.size() != arguments.size(); });
    if (signatures.empty()) {
        std::string counts;
        for (const std::size_t n : builtin_argument_counts(text)) {
            counts += (counts.empty() ? "" : " or ") + std::to_string(n);
        }
        error(token, "the built-in function " + translate::quoted(text) + " takes " + counts +
                         (counts == "1" ? " argument" : " arguments") + ", but here are " +
                         std::to_string(arguments.size()));
        return bad(token);
    }
    std::vector<Match> matches;
    for (std::size_t c = 0; c < signatures.size(); ++c) {
        Match match{c, {}};
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const auto r = rank(arguments[i], signatures[c].parameters[i]);
            if (!r) {
                break;
            }
            match.ranks.push_back(*r);
        }
        if (match.ranks.size() == arguments.size()) {
            matches.push_back(std::move(match));
        }
    }
    const auto best = std::find_if(matches.begin(), matches.end(), [&](const Match& m) {
        return std::all_of(matches.begin(), matches.end(),
                           [&](const Match& other) { return &m == &other || m.beats(other); });
    });
    if (best == matches.end()) {
        std::string given;
        for (const ExprId argument : arguments) {
            given += (given.empty() ? "" : ", ") + types_.name(type_of(argument).plain());
        }
        const std::string form = translate::quoted(text) + " takes (" + given + ")";
        error(token, matches.empty() ? "no form of the built-in function " + form
                                     : "it is ambiguous which form of the built-in function " + form +
                                           "; convert the arguments to one type");
        return bad(token);
    }
    const Signature& chosen = signatures[best->candidate];
    const ExprId made = finish_call(token, chosen.result, std::move(arguments), chosen.parameters);
    expr(made).kind = ExprKind::builtin;
    expr(made).index = static_cast<std::uint32_t>(tree_.names.size());
    tree_.names.push_back(text);
    note_builtin(text);
    return made;
}

void Parser::note_builtin(std::string_view name) {
    auto& used = tree_.functions[function_].builtins;
    if (std::find(used.begin(), used.end(), name) == used.end()) {
        used.push_back(name);
    }
}

ExprId Parser::call_conversion(std::uint32_t token, std::vector<ExprId> arguments) {
    const std::string_view text = tree_.tokens[token].text;
    const ConversionName conversion = *conversion_from(text, types_);
    if (arguments.size() != 1) {
        error(token, translate::quoted(text) + " takes 1 argument, but here are " +
                         std::to_string(arguments.size()));
        return bad(token);
    }
    const Type from = type_of(arguments[0]).plain();
    const bool number = types_.has_integers(from) || types_.has_floats(from);
    const bool fits = conversion.reinterprets ? types_.size(from) == types_.size(conversion.type)
                                              : types_.lanes(from) == types_.lanes(conversion.type);
    if (!number || !fits) {
        error(token, translate::quoted(text) + " cannot take a value of type " + name(from) +
                         (!number ? ""
                          : conversion.reinterprets
                              ? ": the sizes are " + std::to_string(types_.size(from)) + " and " +
                                    std::to_string(types_.size(conversion.type)) + " bytes"
                              : ": the numbers of components are " + std::to_string(types_.lanes(from)) +
                                    " and " + std::to_string(types_.lanes(conversion.type))));
        return bad(token);
    }
    const ExprId made = finish_call(token, conversion.type, arguments, {from});
    expr(made).kind = ExprKind::builtin;
    expr(made).index = static_cast<std::uint32_t>(tree_.names.size());
    tree_.names.push_back(text);
    return made;
}

ExprId Parser::call_printf(std::uint32_t token, std::vector<ExprId> arguments) {
    const bool literal = !arguments.empty() && expr(arguments[0]).kind == ExprKind::convert &&
                         expr(expr(arguments[0]).a).kind == ExprKind::string;
    if (!literal) {
        error(token, "the first argument of 'printf' must be a string that is written there");
        return bad(token);
    }
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const Type type = type_of(arguments[i]);
        if (types_.is_integer(type)) {
            arguments[i] = promote(arguments[i]);
        } else if (types_.is_floating(type) && options_.fp64) {
            arguments[i] = arithmetic_to(arguments[i], Types::basic(TypeKind::double_));
        } else if (types_.is_record(type) || types_.is_void(type) || types_.is_opaque(type)) {
            error(token_of(arguments[i]), "a value of type " + name(type) + " cannot be printed");
            return bad(token);
        }
    }
    Expr made;
    made.kind = ExprKind::builtin;
    made.type = Types::basic(TypeKind::int_);
    made.token = token;
    made.index = static_cast<std::uint32_t>(tree_.names.size());
    tree_.names.push_back("printf");
    note_builtin("printf");
    made.list = list_of(arguments);
    return add(made);
}

/// The functions read_image*, write_image*, get_image_*. Kernels that use images cannot be emitted, so the
/// arguments are checked only for the sake of other kernels in the text.
ExprId Parser::call_image(std::uint32_t token, std::vector<ExprId> arguments) {
    const std::string_view text = tree_.tokens[token].text;
    if (arguments.empty() || !types_.is(type_of(arguments[0]), TypeKind::image)) {
        error(token, "the first argument of " + translate::quoted(text) + " must be an image");
        return bad(token);
    }
    if (text.starts_with("read_image") && arguments.size() == 3 && !is_bad(arguments[1]) &&
        !types_.is(type_of(arguments[1]), TypeKind::sampler) && !types_.is_integer(type_of(arguments[1]))) {
        error(token_of(arguments[1]), "the second argument of " + translate::quoted(text) +
                                          " must be a sampler, but it has type " +
                                          name(type_of(arguments[1])));
        return bad(token);
    }
    TypeKind element = TypeKind::int_;
    unsigned lanes = 1;
    if (text.starts_with("read_image")) {
        element = text.ends_with("ui")  ? TypeKind::uint
                  : text.ends_with('f') ? TypeKind::float_
                  : text.ends_with('h') ? TypeKind::half
                                        : TypeKind::int_;
        lanes = 4;
    } else if (text.starts_with("write_image")) {
        element = TypeKind::void_;
    } else if (text == "get_image_dim") {
        lanes = types_.name(type_of(arguments[0])) == "image3d_t" ? 4 : 2;
    } else if (text == "get_image_array_size") {
        element = TypeKind::ulong;
    }
    Expr made;
    made.kind = ExprKind::builtin;
    made.type = types_.vector(Types::basic(element), lanes);
    made.token = token;
    made.index = static_cast<std::uint32_t>(tree_.names.size());
    tree_.names.push_back(text);
    made.list = list_of(arguments);
    return add(made);
}

/// Compiler functions with a constant result. INFINITY and NAN expand to __builtin_inff() and similar
/// functions.
ExprId Parser::call_compiler_builtin(std::uint32_t token, std::vector<ExprId> arguments) {
    std::string_view text = tree_.tokens[token].text;
    text.remove_prefix(std::string_view("__builtin_").size());
    Expr made;
    made.kind = ExprKind::floating;
    made.token = token;
    const bool single = text.ends_with('f') && text != "inf";
    made.type = Types::basic(single ? TypeKind::float_ : TypeKind::double_);
    if (text == "inff" || text == "inf" || text == "huge_valf" || text == "huge_val") {
        made.type =
            Types::basic(text == "inff" || text == "huge_valf" ? TypeKind::float_ : TypeKind::double_);
        made.constant = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
        return add(made);
    }
    if (text == "nanf" || text == "nan") {
        made.constant = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
        return add(made);
    }
    if ((text == "expect" || text == "assume_aligned") && !arguments.empty()) {
        return arguments[0];
    }
    if (text == "astype") {
        return bad(token);
    }
    return 0;
}

ExprId Parser::undeclared(std::uint32_t token, bool called) {
    const std::string_view text = tree_.tokens[token].text;
    struct Hint {
        std::string_view word, hint;
    };
    static constexpr Hint hints[] = {
        {"threadIdx", "use get_local_id(0) for threadIdx.x"},
        {"blockIdx", "use get_group_id(0) for blockIdx.x"},
        {"blockDim", "use get_local_size(0) for blockDim.x"},
        {"gridDim", "use get_num_groups(0) for gridDim.x"},
        {"__syncthreads", "use barrier(CLK_LOCAL_MEM_FENCE)"},
        {"__syncwarp", "use sub_group_barrier(CLK_LOCAL_MEM_FENCE)"},
        {"atomicAdd", "use atomic_add(), or ferry_atomic_add_float() for float"},
        {"atomicSub", "use atomic_sub()"},
        {"atomicMax", "use atomic_max()"},
        {"atomicMin", "use atomic_min()"},
        {"atomicExch", "use atomic_xchg()"},
        {"atomicCAS", "use atomic_cmpxchg()"},
        {"__shfl_sync", "use sub_group_shuffle()"},
        {"__shfl_down_sync", "use sub_group_shuffle_down()"},
        {"__ldg", "read the element itself"},
        {"make_float4", "write (float4)(x, y, z, w)"},
        {"make_float2", "write (float2)(x, y)"},
        {"fminf", "use fmin()"},
        {"fmaxf", "use fmax()"},
        {"sqrtf", "use sqrt()"},
        {"expf", "use exp()"},
        {"powf", "use pow()"},
        {"fabsf", "use fabs()"},
        {"saturate", "use clamp(x, 0.0f, 1.0f)"},
        {"lerp", "use mix()"},
        {"frac", "use fract()"},
        {"nullptr", "use 0 or NULL"},
        {"template", "the language is C: it has no templates; use a macro or an overloadable function"},
    };
    if (const std::string_view feature = missing_feature(text); !feature.empty()) {
        error(token, "the language has no " + std::string(feature) + advice(feature));
        return bad(token);
    }
    std::string message =
        (called ? "no function " : "no variable ") + translate::quoted(text) + " is declared";
    if (text == "this" || text == "new" || text == "class" || text == "auto") {
        message += "; the language is C, not C++";
    }
    for (const Hint& hint : hints) {
        if (hint.word == text) {
            error(token, message + "; " + std::string(hint.hint));
            return bad(token);
        }
    }
    std::string_view nearest = called ? nearest_builtin(text) : std::string_view();
    if (nearest.empty()) {
        std::size_t most = 0;
        for (const auto& [candidate, symbols] : scopes_.names()) {
            // Suggests a name of the same length with at most two other letters. Short names are ignored.
            if (symbols.empty() || candidate.size() != text.size() || text.size() < 3) {
                continue;
            }
            std::size_t same = 0;
            for (std::size_t i = 0; i < text.size(); ++i) {
                same += candidate[i] == text[i] ? 1 : 0;
            }
            if (same + 2 >= text.size() && (same > most || (same == most && candidate < nearest))) {
                most = same;
                nearest = candidate;
            }
        }
    }
    error(token, message + (nearest.empty() ? "" : "; did you mean " + translate::quoted(nearest) + "?"));
    return bad(token);
}

ExprId Parser::call(std::uint32_t name_token, std::uint32_t) {
    const std::string_view text = tree_.tokens[name_token].text;
    std::vector<ExprId> all = arguments();
    bool failed = false;
    for (ExprId& argument : all) {
        argument = value(argument);
        failed = failed || is_bad(argument);
    }
    if (function_ == 0 && !text.starts_with("__builtin_")) {
        error(name_token, "the function " + translate::quoted(text) + " is called outside of a function");
        return bad(name_token);
    }
    const Symbol* const symbol = scopes_.find(text);
    if (symbol != nullptr && symbol->kind == Symbol::Kind::function) {
        const std::vector<FunctionId> candidates = overloads_[symbol->index];
        const bool also_builtin = tree_.functions[candidates[0]].overloadable && is_builtin(text);
        if (failed) {
            return bad(name_token);
        }
        if (also_builtin) {
            const bool fits = std::any_of(candidates.begin(), candidates.end(), [&](FunctionId id) {
                const auto& parameters = types_.function(tree_.functions[id].type).parameters;
                bool every = parameters.size() == all.size();
                for (std::size_t i = 0; every && i < all.size(); ++i) {
                    every = rank(all[i], parameters[i]).value_or(splat) <= qualified;
                }
                return every;
            });
            return fits ? call_function(name_token, candidates, std::move(all))
                        : call_builtin(name_token, std::move(all));
        }
        return call_function(name_token, candidates, std::move(all));
    }
    if (failed) {
        return bad(name_token);
    }
    if (text.starts_with("__builtin_")) {
        if (const ExprId made = call_compiler_builtin(name_token, all)) {
            return made;
        }
    }
    if (text == "printf") {
        return call_printf(name_token, std::move(all));
    }
    if (is_image_function(text)) {
        return call_image(name_token, std::move(all));
    }
    if (conversion_from(text, types_)) {
        return call_conversion(name_token, std::move(all));
    }
    if (is_builtin(text)) {
        return call_builtin(name_token, std::move(all));
    }
    return undeclared(name_token, true);
}

} // namespace ferry::opencl_c
