// SPDX-License-Identifier: Apache-2.0
#include "types.hpp"

#include <algorithm>
#include <cmath>

namespace ferry::opencl_c {
namespace {

struct Scalar {
    std::string_view name;
    unsigned size;
};
constexpr std::array<Scalar, 17> scalars{{{"<error>", 1},
                                          {"void", 1},
                                          {"bool", 1},
                                          {"char", 1},
                                          {"uchar", 1},
                                          {"short", 2},
                                          {"ushort", 2},
                                          {"int", 4},
                                          {"uint", 4},
                                          {"long", 8},
                                          {"ulong", 8},
                                          {"half", 2},
                                          {"float", 4},
                                          {"double", 8},
                                          {"event_t", 8},
                                          {"sampler_t", 8},
                                          {"image", 8}}};

constexpr bool is_integer_kind(TypeKind kind) noexcept {
    return kind >= TypeKind::bool_ && kind <= TypeKind::ulong;
}

} // namespace

std::optional<TypeKind> scalar_from(std::string_view name) noexcept {
    for (std::size_t i = 1; i < scalars.size() - 1; ++i) {
        if (scalars[i].name == name) {
            return static_cast<TypeKind>(i);
        }
    }
    return std::nullopt;
}

std::string_view name_of(TypeKind kind) noexcept {
    return scalars[static_cast<std::size_t>(kind)].name;
}

unsigned size_of(TypeKind kind) noexcept {
    return scalars[static_cast<std::size_t>(kind)].size;
}

std::uint16_t half_bits(double value) noexcept {
    const unsigned sign = std::signbit(value) ? 0x8000U : 0;
    const double size = std::fabs(value);
    if (std::isnan(value)) {
        return static_cast<std::uint16_t>(sign | 0x7e00U);
    }
    if (size >= 65520) {
        return static_cast<std::uint16_t>(sign | 0x7c00U);
    }
    if (size == 0) {
        return static_cast<std::uint16_t>(sign);
    }
    const int exponent = std::max(std::ilogb(size), -14);
    const double steps = std::nearbyint(std::ldexp(size, 10 - exponent)); // In the range 0 to 2048.
    const auto whole = static_cast<unsigned>(steps);
    return static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 14) << 10) + whole));
}

Types::Types() {
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        entries_.push_back({static_cast<TypeKind>(i), 1, {}, 0, 0});
    }
}

Type Types::intern(const Entry& entry) {
    const std::uint64_t key = (static_cast<std::uint64_t>(entry.kind) << 56) ^
                              (static_cast<std::uint64_t>(entry.lanes) << 48) ^
                              (entry.count * 0x9e3779b97f4a7c15U) ^ entry.element.bits() ^
                              (static_cast<std::uint64_t>(entry.extra) << 20);
    for (const std::uint32_t index : interned_[key]) {
        const Entry& e = entries_[index];
        if (e.kind == entry.kind && e.lanes == entry.lanes && e.element == entry.element &&
            e.extra == entry.extra && e.count == entry.count) {
            return Type(index);
        }
    }
    const auto index = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(entry);
    interned_[key].push_back(index);
    return Type(index);
}

Type Types::vector(Type element, unsigned lanes) {
    return lanes == 1 ? element.plain()
                      : intern({TypeKind::vector, static_cast<std::uint8_t>(lanes), element.plain(), 0, 0});
}

Type Types::pointer(Type pointee) {
    return intern({TypeKind::pointer, 1, pointee, 0, 0});
}

Type Types::array(Type element, std::uint64_t count) {
    // As in C, qualifiers of the element also apply to the array: "const int a[3]" is a const array.
    const Type plain = intern({TypeKind::array, 1, element.plain(), 0, count});
    const Entry& inner = entries_[element.index()];
    const bool nests = inner.kind == TypeKind::array;
    const Type leaf = nests ? inner.leaf : element.plain();
    const std::uint64_t leaves = count == unknown_size ? 0 : count * (nests ? inner.leaves : 1);
    entries_[plain.index()].leaf = leaf;
    entries_[plain.index()].leaves = leaves;
    return plain.with_qualifiers_of(element).in(element.space());
}

Type Types::image(std::string_view name) {
    const auto at = std::find(images_.begin(), images_.end(), name);
    const auto extra = static_cast<std::uint32_t>(at - images_.begin());
    if (at == images_.end()) {
        images_.emplace_back(name);
    }
    return intern({TypeKind::image, 1, {}, extra, 1});
}

Type Types::function(Type result, std::vector<Type> parameters) {
    std::uint64_t key = result.bits();
    for (const Type parameter : parameters) {
        key = (key ^ parameter.bits()) * 0x9e3779b97f4a7c15U;
        key ^= key >> 32;
    }
    std::vector<std::uint32_t>& candidates = functions_by_key_[key];
    for (const std::uint32_t i : candidates) {
        if (functions_[i].result == result && functions_[i].parameters == parameters) {
            return intern({TypeKind::function, 1, {}, i, 0});
        }
    }
    candidates.push_back(static_cast<std::uint32_t>(functions_.size()));
    functions_.push_back({result, std::move(parameters)});
    return intern({TypeKind::function, 1, {}, candidates.back(), 0});
}

Type Types::new_record(Record record) {
    records_.push_back(std::move(record));
    return intern({TypeKind::record, 1, {}, static_cast<std::uint32_t>(records_.size() - 1), 0});
}

Type Types::new_enumeration(Enumeration enumeration) {
    enumerations_.push_back(enumeration);
    return intern({TypeKind::enumeration, 1, {}, static_cast<std::uint32_t>(enumerations_.size() - 1), 0});
}

Type Types::element(Type t) const noexcept {
    const Type element = entries_[t.index()].element;
    switch (kind(t)) {
    case TypeKind::array:
    case TypeKind::vector:
        return element.with_qualifiers_of(t).in(t.space());
    default:
        return element;
    }
}

unsigned Types::lanes(Type t) const noexcept {
    return entries_[t.index()].lanes;
}

bool Types::is_integer(Type t) const noexcept {
    return is_integer_kind(kind(t)) || kind(t) == TypeKind::enumeration;
}

bool Types::is_floating(Type t) const noexcept {
    return kind(t) >= TypeKind::half && kind(t) <= TypeKind::double_;
}

bool Types::is_signed(Type t) const noexcept {
    const TypeKind k = integer_kind(t);
    return k == TypeKind::char_ || k == TypeKind::short_ || k == TypeKind::int_ || k == TypeKind::long_ ||
           is_floating(t);
}

bool Types::is_opaque(Type t) const noexcept {
    return kind(t) >= TypeKind::event && kind(t) <= TypeKind::image;
}

bool Types::is_complete(Type t) const noexcept {
    switch (kind(t)) {
    case TypeKind::void_:
    case TypeKind::function:
        return false;
    case TypeKind::array:
        return count(t) != unknown_size && is_complete(element(t));
    case TypeKind::record:
        return record(t).complete;
    case TypeKind::enumeration:
        return enumeration(t).complete;
    default:
        return true;
    }
}

bool Types::contains_pointer(Type t) const {
    switch (kind(t)) {
    case TypeKind::pointer:
        return true;
    case TypeKind::array:
        return contains_pointer(entries_[t.index()].leaf);
    case TypeKind::record:
        return record(t).has_pointer;
    default:
        return false;
    }
}

bool Types::contains_array(Type t) const {
    return is_array(t) || (is_record(t) && record(t).has_array);
}

bool Types::contains_vector(Type t) const {
    const Type inner = is_array(t) ? entries_[t.index()].leaf : t;
    return is_vector(inner) || (is_record(inner) && record(inner).has_vector);
}

bool Types::contains_union(Type t) const {
    const Type inner = is_array(t) ? entries_[t.index()].leaf : t;
    return is_record(inner) && record(inner).has_union;
}

std::uint32_t Types::least_number(Type t) const {
    const Type inner = is_array(t) ? entries_[t.index()].leaf : t;
    return is_record(inner) ? record(inner).least_number : static_cast<std::uint32_t>(size(scalar(inner)));
}

Type Types::scalar(Type t) const noexcept {
    return is_vector(t) ? entries_[t.index()].element : t.plain();
}

Type Types::mask_of(Type t) {
    const unsigned bytes = size_of(integer_kind(scalar(t)));
    const TypeKind mask = bytes == 1   ? TypeKind::char_
                          : bytes == 2 ? TypeKind::short_
                          : bytes == 4 ? TypeKind::int_
                                       : TypeKind::long_;
    return widened(basic(mask), t);
}

TypeKind Types::integer_kind(Type t) const noexcept {
    return is(t, TypeKind::enumeration) ? enumeration(t).underlying : kind(t);
}

Type Types::value_type(Type t) const noexcept {
    return is(t, TypeKind::enumeration) ? basic(enumeration(t).underlying) : t.plain();
}

std::uint64_t Types::size(Type t) const {
    switch (kind(t)) {
    case TypeKind::vector:
        return size(element(t)) * (lanes(t) == 3 ? 4 : lanes(t));
    case TypeKind::pointer:
        return 8;
    case TypeKind::array:
        return size(entries_[t.index()].leaf) * entries_[t.index()].leaves;
    case TypeKind::record:
        return record(t).size;
    case TypeKind::enumeration:
        return size_of(enumeration(t).underlying);
    case TypeKind::function:
        return 1;
    default:
        return size_of(kind(t));
    }
}

std::uint64_t Types::align(Type t) const {
    switch (kind(t)) {
    case TypeKind::array:
        return align(entries_[t.index()].leaf);
    case TypeKind::record:
        return record(t).align;
    default:
        return size(t);
    }
}

void Types::lay_out(Record& record, std::uint64_t least, std::uint64_t most) const {
    std::uint64_t end = 0;
    std::uint64_t widest = 1;
    record.has_union = record.is_union;
    for (Member& member : record.members) {
        record.has_pointer = record.has_pointer || contains_pointer(member.type);
        record.has_array = record.has_array || contains_array(member.type);
        record.has_vector = record.has_vector || contains_vector(member.type);
        record.has_union = record.has_union || contains_union(member.type);
        if (const std::uint32_t smallest = least_number(member.type); smallest != 0) {
            record.least_number = std::min(record.least_number, smallest);
        }
        std::uint64_t alignment = record.packed || member.packed ? 1 : align(member.type);
        alignment = most != 0 ? std::min(alignment, most) : alignment;
        // Until now, `offset` holds the member's own `aligned` attribute.
        alignment = std::max(alignment, member.offset);
        widest = std::max(widest, alignment);
        const std::uint64_t begin = (record.is_union ? 0 : end + alignment - 1) / alignment * alignment;
        member.offset = begin;
        end = std::max(end, begin + size(member.type));
    }
    record.align = std::max(widest, least);
    record.size = (end + record.align - 1) / record.align * record.align;
}

std::optional<MemberPath> Types::find_member(Type t, std::string_view name) const {
    MemberPath path;
    for (;;) {
        const Record& at = record(t);
        const auto found = at.by_name.find(name);
        if (found == at.by_name.end()) {
            return std::nullopt;
        }
        path.push_back(found->second);
        const Member& member = at.members[found->second];
        if (!member.name.empty()) {
            return path;
        }
        t = member.type;
    }
}

std::string Types::qualified(Type t, const std::string& text) const {
    std::string words;
    constexpr std::array<const char*, 4> spaces{"", "__global ", "__local ", "__constant "};
    words += spaces[static_cast<std::size_t>(t.space())];
    words += t.is_const() ? "const " : "";
    words += t.is_volatile() ? "volatile " : "";
    return words + text;
}

std::string Types::name(Type t) const {
    switch (kind(t)) {
    case TypeKind::vector:
        return qualified(t,
                         std::string(name_of(kind(entries_[t.index()].element))) + std::to_string(lanes(t)));
    case TypeKind::pointer: {
        std::string text = name(element(t));
        text += text.back() == '*' ? "*" : " *";
        text += t.is_const() ? "const" : "";
        text += t.is_volatile() ? "volatile" : "";
        text += t.is_restrict() ? "restrict" : "";
        return text;
    }
    case TypeKind::array: {
        std::string bounds;
        Type inner = t;
        while (is_array(inner)) {
            bounds += '[' + (count(inner) == unknown_size ? "" : std::to_string(count(inner))) + ']';
            inner = element(inner);
        }
        return name(inner) + bounds;
    }
    case TypeKind::record: {
        const Record& r = record(t);
        const std::string word = r.is_union ? "union " : "struct ";
        if (!r.typedef_name.empty() && r.tag.empty()) {
            return qualified(t, std::string(r.typedef_name));
        }
        return qualified(t, word + (r.tag.empty() ? "<unnamed>" : std::string(r.tag)));
    }
    case TypeKind::enumeration:
        return qualified(t, enumeration(t).tag.empty() ? "enum <unnamed>"
                                                       : "enum " + std::string(enumeration(t).tag));
    case TypeKind::function: {
        std::string text = name(function(t).result) + " (";
        const char* comma = "";
        for (const Type parameter : function(t).parameters) {
            text += comma + name(parameter);
            comma = ", ";
        }
        return text + ')';
    }
    case TypeKind::image:
        return qualified(t, entries_[t.index()].count != 0 ? images_[entries_[t.index()].extra] : "image");
    default:
        return qualified(t, std::string(name_of(kind(t))));
    }
}

} // namespace ferry::opencl_c
