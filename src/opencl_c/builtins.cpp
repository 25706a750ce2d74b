// SPDX-License-Identifier: Apache-2.0
#include "builtins.hpp"

#include "base/no_destructor.hpp"
#include "builtin_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>

namespace ferry::opencl_c {
namespace {

constexpr std::array widths{1U, 2U, 3U, 4U, 8U, 16U};

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end != 0) {
            words.push_back(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

using Index = std::map<std::string_view, std::vector<const Row*>, std::less<>>;

Index make_index() {
    Index made;
    for (const Row& row : builtin_rows()) {
        for (const std::string_view name : words_of(row.names)) {
            made[name].push_back(&row);
        }
    }
    return made;
}

const Index& index() {
    static detail::NoDestructor<const Index> all(make_index());
    return *all;
}

bool has_kind(Set set, TypeKind kind) {
    const bool integer = kind >= TypeKind::char_ && kind <= TypeKind::ulong;
    const bool floating = kind >= TypeKind::half && kind <= TypeKind::double_;
    const bool is_signed = integer && (static_cast<int>(kind) - static_cast<int>(TypeKind::char_)) % 2 == 0;
    switch (set) {
    case Set::none:
        return false;
    case Set::floats:
    case Set::geometric:
    case Set::three_or_four:
        return floating;
    case Set::single:
    case Set::geometric_single:
        return kind == TypeKind::float_;
    case Set::integers:
        return integer;
    case Set::signed_integers:
        return is_signed;
    case Set::narrow:
        return kind >= TypeKind::char_ && kind <= TypeKind::uint;
    case Set::words:
    case Set::word:
        return kind == TypeKind::int_ || kind == TypeKind::uint;
    case Set::atomic64:
        return kind == TypeKind::long_ || kind == TypeKind::ulong;
    case Set::all:
        return integer || floating;
    case Set::reduced:
        return (kind >= TypeKind::int_ && kind <= TypeKind::ulong) || floating;
    }
    return false;
}

bool has_width(Set set, unsigned lanes) {
    switch (set) {
    case Set::geometric:
    case Set::geometric_single:
        return lanes <= 4;
    case Set::three_or_four:
        return lanes == 3 || lanes == 4;
    case Set::reduced:
    case Set::word:
    case Set::atomic64:
    case Set::none:
        return lanes == 1;
    default:
        return true;
    }
}

TypeKind integer_of(unsigned bytes, bool is_signed) {
    const int first = bytes == 1   ? static_cast<int>(TypeKind::char_)
                      : bytes == 2 ? static_cast<int>(TypeKind::short_)
                      : bytes == 4 ? static_cast<int>(TypeKind::int_)
                                   : static_cast<int>(TypeKind::long_);
    return static_cast<TypeKind>(first + (is_signed ? 0 : 1));
}

/// The address spaces of a pointer in a signature, in order.
std::vector<Space> spaces_of(char mark, char letter, bool is_const) {
    if (mark == '@') {
        return {Space::global, Space::local};
    }
    switch (letter) {
    case 'g':
        return {Space::global};
    case 'l':
        return {Space::local};
    case 'c':
        return {Space::constant};
    default:
        break;
    }
    std::vector<Space> all{Space::private_, Space::global, Space::local};
    if (is_const) {
        all.push_back(Space::constant);
    }
    return all;
}

class Expander {
public:
    Expander(Types& types, std::vector<Signature>& out) : types_{types}, out_{out} {}

    /// Adds the overloads of a row for one generic type.
    void add(std::string_view signature, Type generic) {
        generic_ = generic;
        const auto words = words_of(signature);
        std::vector<Signature> some{{type_of(words[0]), {}}};
        for (std::size_t i = 1; i < words.size(); ++i) {
            const std::vector<Type> choices = choices_of(words[i]);
            std::vector<Signature> longer;
            for (const Signature& one : some) {
                for (const Type choice : choices) {
                    longer.push_back(one);
                    longer.back().parameters.push_back(choice);
                }
            }
            some = std::move(longer);
        }
        for (Signature& one : some) {
            const bool known = std::any_of(out_.begin(), out_.end(), [&](const Signature& other) {
                return other.parameters == one.parameters;
            });
            if (!known) {
                out_.push_back(std::move(one));
            }
        }
    }

private:
    Type type_of(std::string_view word) {
        const Type scalar = types_.scalar(generic_);
        const unsigned bytes = size_of(types_.kind(scalar));
        const auto like = [&](TypeKind kind) { return types_.widened(Types::basic(kind), generic_); };
        if (word.size() == 1) {
            switch (word[0]) {
            case 'T':
                return generic_;
            case 'E':
                return scalar;
            case 'i':
                return like(TypeKind::int_);
            case 'U':
            case 'J':
                return like(integer_of(bytes, false));
            case 'K':
                return like(integer_of(bytes, true));
            case 'R':
                return types_.is_vector(generic_) ? like(integer_of(bytes, true)) : like(TypeKind::int_);
            case 'W':
                return like(integer_of(bytes * 2, types_.is_signed(scalar)));
            default:
                break;
            }
        }
        return *builtin_type(word, types_);
    }

    std::vector<Type> choices_of(std::string_view word) {
        const bool is_const = word[0] == '!';
        word.remove_prefix(is_const ? 1 : 0);
        const std::size_t star = word.find_first_of("*@");
        if (star == std::string_view::npos) {
            return {type_of(word)};
        }
        const char mark = word[star];
        const char letter = star > 0 ? word[0] : ' ';
        Type pointee = type_of(word.substr(star + 1));
        pointee = is_const ? pointee.with_const() : pointee;
        pointee = mark == '@' ? pointee.with_volatile() : pointee;
        std::vector<Type> choices;
        for (const Space space : spaces_of(mark, letter, is_const)) {
            choices.push_back(types_.pointer(pointee.in(space)));
        }
        return choices;
    }

    Types& types_;
    std::vector<Signature>& out_;
    Type generic_;
};

bool take(std::string_view& rest, std::string_view front) {
    if (!rest.starts_with(front)) {
        return false;
    }
    rest.remove_prefix(front.size());
    return true;
}

unsigned take_width(std::string_view& rest) {
    unsigned width = 1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), width);
    if (error != std::errc()) {
        return 1;
    }
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return width;
}

bool is_width(unsigned width) {
    return std::find(widths.begin() + 1, widths.end(), width) != widths.end();
}

std::string_view take_rounding(std::string_view& rest) {
    for (const std::string_view mode : {"_rte", "_rtz", "_rtp", "_rtn"}) {
        if (take(rest, mode)) {
            return mode;
        }
    }
    return {};
}

/// A parsed name: vload4, vstore4, vload_half, vloada_half4, vstore_half_rte, vstorea_half8_rtz.
struct Access {
    bool load = false;
    bool half = false;
    unsigned width = 1;
};
std::optional<Access> access_from(std::string_view name) {
    Access access;
    access.load = take(name, "vload");
    if (!access.load && !take(name, "vstore")) {
        return std::nullopt;
    }
    const bool aligned = take(name, "a_half");
    access.half = aligned || take(name, "_half");
    access.width = take_width(name);
    if (access.half && !access.load) {
        static_cast<void>(take_rounding(name));
    }
    const bool right_width = access.width == 1 ? access.half : is_width(access.width);
    return name.empty() && right_width ? std::optional(access) : std::nullopt;
}

void add_access(const Access& access, Types& types, std::vector<Signature>& out) {
    const Type size = Types::basic(TypeKind::ulong);
    const auto add = [&](TypeKind value, TypeKind stored) {
        const Type vector = types.vector(Types::basic(value), access.width);
        for (const Space space : spaces_of('*', ' ', access.load)) {
            Type pointee = Types::basic(stored).in(space);
            pointee = access.load ? pointee.with_const() : pointee;
            if (access.load) {
                out.push_back({vector, {size, types.pointer(pointee)}});
            } else {
                out.push_back({Types::basic(TypeKind::void_), {vector, size, types.pointer(pointee)}});
            }
        }
    };
    if (access.half) {
        add(TypeKind::float_, TypeKind::half);
        if (!access.load) {
            add(TypeKind::double_, TypeKind::half);
        }
        return;
    }
    for (auto kind = static_cast<int>(TypeKind::char_); kind <= static_cast<int>(TypeKind::double_); ++kind) {
        add(static_cast<TypeKind>(kind), static_cast<TypeKind>(kind));
    }
}

/// shuffle(x, mask), shuffle2(x, y, mask): widths of the vector and of the mask are independent.
void add_shuffles(bool two, Types& types, std::vector<Signature>& out) {
    for (auto k = static_cast<int>(TypeKind::char_); k <= static_cast<int>(TypeKind::double_); ++k) {
        const Type element = Types::basic(static_cast<TypeKind>(k));
        for (const unsigned from : {2U, 4U, 8U, 16U}) {
            for (const unsigned to : {2U, 4U, 8U, 16U}) {
                const Type source = types.vector(element, from);
                const Type mask =
                    types.vector(Types::basic(integer_of(size_of(static_cast<TypeKind>(k)), false)), to);
                std::vector<Type> parameters{source, mask};
                if (two) {
                    parameters.insert(parameters.begin(), source);
                }
                out.push_back({types.vector(element, to), std::move(parameters)});
            }
        }
    }
}

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

} // namespace

bool is_builtin(std::string_view name) {
    return name == "printf" || name == "shuffle" || name == "shuffle2" || index().contains(name) ||
           access_from(name).has_value();
}

std::vector<std::size_t> builtin_argument_counts(std::string_view name) {
    if (const auto access = access_from(name)) {
        return {access->load ? 2U : 3U};
    }
    if (name == "shuffle" || name == "shuffle2") {
        return {name == "shuffle" ? 2U : 3U};
    }
    std::vector<std::size_t> counts;
    const auto at = index().find(name);
    if (at != index().end()) {
        for (const Row* row : at->second) {
            counts.push_back(words_of(row->signature).size() - 1);
        }
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

std::vector<Signature> builtin_signatures(std::string_view name, std::size_t arguments, unsigned lanes,
                                          Types& types) {
    std::vector<Signature> all;
    if (const auto access = access_from(name)) {
        add_access(*access, types, all);
        return all;
    }
    if (name == "shuffle" || name == "shuffle2") {
        add_shuffles(name == "shuffle2", types, all);
        return all;
    }
    const auto at = index().find(name);
    if (at == index().end()) {
        return all;
    }
    Expander expander(types, all);
    for (const Row* row : at->second) {
        if (words_of(row->signature).size() != arguments + 1) {
            continue;
        }
        if (row->set == Set::none) {
            expander.add(row->signature, Types::basic(TypeKind::int_));
            continue;
        }
        for (auto k = static_cast<int>(TypeKind::char_); k <= static_cast<int>(TypeKind::double_); ++k) {
            for (const unsigned width : widths) {
                const auto kind = static_cast<TypeKind>(k);
                if (has_kind(row->set, kind) && has_width(row->set, width) && (lanes & (1U << width)) != 0) {
                    expander.add(row->signature, types.vector(Types::basic(kind), width));
                }
            }
        }
    }
    return all;
}

std::string_view nearest_builtin(std::string_view name) {
    std::string_view nearest;
    std::size_t least = name.size() < 5 ? 2 : 3; // At most one or two letters differ.
    for (const auto& [candidate, rows] : index()) {
        const std::size_t longer = std::max(candidate.size(), name.size());
        const std::size_t shorter = std::min(candidate.size(), name.size());
        if (longer - shorter < least) {
            const std::size_t d = distance(candidate, name);
            if (d < least) {
                least = d;
                nearest = candidate;
            }
        }
    }
    return nearest;
}

std::optional<Type> builtin_type(std::string_view name, Types& types) {
    if (const auto scalar = scalar_from(name)) {
        return Types::basic(*scalar);
    }
    if (name == "size_t" || name == "uintptr_t") {
        return Types::basic(TypeKind::ulong);
    }
    if (name == "ptrdiff_t" || name == "intptr_t") {
        return Types::basic(TypeKind::long_);
    }
    for (const std::string_view image :
         {"image1d_t", "image1d_array_t", "image1d_buffer_t", "image2d_t", "image2d_array_t", "image3d_t"}) {
        if (name == image) {
            return types.image(image);
        }
    }
    const std::size_t digit = name.find_first_of("0123456789");
    if (digit == std::string_view::npos || digit == 0) {
        return std::nullopt;
    }
    const auto element = scalar_from(name.substr(0, digit));
    std::string_view rest = name.substr(digit);
    const unsigned width = rest[0] == '0' ? 0 : take_width(rest);
    if (!element || *element < TypeKind::char_ || *element > TypeKind::double_ || !rest.empty() ||
        !is_width(width)) {
        return std::nullopt;
    }
    return types.vector(Types::basic(*element), width);
}

std::optional<ConversionName> conversion_from(std::string_view name, Types& types) {
    ConversionName made;
    const bool converts = take(name, "convert_");
    if (!converts && !take(name, "as_")) {
        return std::nullopt;
    }
    made.reinterprets = !converts;
    const std::size_t end = std::min(name.find('_'), name.size());
    const auto type = builtin_type(name.substr(0, end), types);
    if (!type || !(types.has_integers(*type) || types.has_floats(*type)) ||
        types.is(*type, TypeKind::bool_)) {
        return std::nullopt;
    }
    made.type = *type;
    name.remove_prefix(end);
    if (converts) {
        made.saturates = take(name, "_sat");
        made.rounding = take_rounding(name);
    }
    return name.empty() && !(made.saturates && types.has_floats(*type)) ? std::optional(made) : std::nullopt;
}

} // namespace ferry::opencl_c
