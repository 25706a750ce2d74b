// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/token.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// The types of OpenCL C. A Type is an index into Types plus qualifiers, so it is copied and compared by
// value.
namespace ferry::opencl_c {

/// Address space of an object, or of the object that a pointer refers to. Default: private.
enum class Space : std::uint8_t { private_, global, local, constant };

enum class TypeKind : std::uint8_t {
    error, ///< The type of a diagnosed expression. It converts from and to every type without a message.
    void_,
    bool_,
    char_, ///< Signed. The integers must stay in this order: each signed type before its unsigned one.
    uchar,
    short_,
    ushort,
    int_,
    uint,
    long_,
    ulong,
    half, ///< The floating types must stay in the order of their ranks.
    float_,
    double_,
    event,
    sampler,
    image,
    vector,
    pointer,
    array,
    record,
    enumeration,
    function,
};

/// A type with qualifiers.
class Type {
public:
    constexpr Type() noexcept = default;
    constexpr explicit Type(std::uint32_t index) noexcept : bits_(index << 8) {}

    constexpr std::uint32_t index() const noexcept { return bits_ >> 8; }
    constexpr bool is_const() const noexcept { return (bits_ & 1) != 0; }
    constexpr bool is_volatile() const noexcept { return (bits_ & 2) != 0; }
    constexpr bool is_restrict() const noexcept { return (bits_ & 4) != 0; }
    constexpr Space space() const noexcept { return static_cast<Space>((bits_ >> 4) & 3); }

    constexpr Type with_const() const noexcept { return with(1); }
    constexpr Type with_volatile() const noexcept { return with(2); }
    constexpr Type with_restrict() const noexcept { return with(4); }
    constexpr Type in(Space space) const noexcept {
        Type t = *this;
        t.bits_ = (t.bits_ & ~0x30U) | (static_cast<std::uint32_t>(space) << 4);
        return t;
    }
    /// Without qualifiers and address space.
    constexpr Type plain() const noexcept { return Type(index()); }
    /// This type with the qualifiers of `other` added. The address space is unchanged.
    constexpr Type with_qualifiers_of(Type other) const noexcept { return with(other.bits_ & 7); }
    constexpr std::uint32_t qualifiers() const noexcept { return bits_ & 7; }

    constexpr bool operator==(const Type&) const noexcept = default;
    constexpr std::uint32_t bits() const noexcept { return bits_; }

private:
    constexpr Type with(std::uint32_t bits) const noexcept {
        Type t = *this;
        t.bits_ |= bits;
        return t;
    }

    std::uint32_t bits_ = 0; ///< Index, address space, restrict, volatile, const.
};

/// The number of elements of an array of unknown size.
inline constexpr std::uint64_t unknown_size = ~std::uint64_t{0};

struct Member {
    /// Empty for an unnamed struct or union. Its members are accessed like members of this record.
    std::string_view name;
    Type type;
    std::uint64_t offset = 0; ///< In bytes.
    translate::Position at;
    bool packed = false;
};

/// A struct or union.
struct Record {
    std::string_view tag; ///< May be empty.
    std::string_view typedef_name;
    bool is_union = false;
    bool complete = false;
    bool packed = false;
    std::uint64_t size = 0;  ///< In bytes. 0 until the type is complete.
    std::uint64_t align = 1; ///< In bytes.
    std::vector<Member> members;
    translate::Position at;
    /// The member with this name, or the unnamed member that has one with this name.
    std::unordered_map<std::string_view, std::uint32_t> by_name = {};
    /// How many levels of unnamed members are within one another.
    std::uint32_t unnamed_depth = 0;
    // Facts about the members at any depth, so that no reader visits them again.
    bool has_pointer = false, has_array = false, has_union = false, has_vector = false;
    std::uint32_t least_number = 8; ///< The size of the smallest number, in bytes.
};

struct Enumeration {
    std::string_view tag;
    bool complete = false;
    TypeKind underlying = TypeKind::uint;
};

struct FunctionType {
    Type result;
    std::vector<Type> parameters;
};

/// The path to a member, outermost first. It has more than one step if the member is in an unnamed record.
using MemberPath = std::vector<std::uint32_t>;

/// All types of one text. Equal types have equal indices.
class Types {
public:
    Types();

    static constexpr Type basic(TypeKind kind) noexcept { return Type(static_cast<std::uint32_t>(kind)); }
    Type vector(Type element, unsigned lanes);
    Type pointer(Type pointee);
    Type array(Type element, std::uint64_t count);
    Type image(std::string_view name);
    Type function(Type result, std::vector<Type> parameters);
    Type new_record(Record record);
    Type new_enumeration(Enumeration enumeration);

    TypeKind kind(Type t) const noexcept { return entries_[t.index()].kind; }
    /// The element type of a vector or an array, or the type that a pointer refers to. Elements of an array
    /// have the qualifiers and the address space of the array.
    Type element(Type t) const noexcept;
    /// The lanes of a vector: 2, 3, 4, 8 or 16. 1 for other types.
    unsigned lanes(Type t) const noexcept;
    std::uint64_t count(Type array) const noexcept { return entries_[array.index()].count; }
    Record& record(Type t) noexcept { return records_[entries_[t.index()].extra]; }
    const Record& record(Type t) const noexcept { return records_[entries_[t.index()].extra]; }
    Enumeration& enumeration(Type t) noexcept { return enumerations_[entries_[t.index()].extra]; }
    const Enumeration& enumeration(Type t) const noexcept { return enumerations_[entries_[t.index()].extra]; }
    const FunctionType& function(Type t) const noexcept { return functions_[entries_[t.index()].extra]; }

    bool is(Type t, TypeKind kind) const noexcept { return this->kind(t) == kind; }
    bool is_error(Type t) const noexcept { return is(t, TypeKind::error); }
    bool is_pointer(Type t) const noexcept { return is(t, TypeKind::pointer); }
    bool is_vector(Type t) const noexcept { return is(t, TypeKind::vector); }
    bool is_array(Type t) const noexcept { return is(t, TypeKind::array); }
    bool is_record(Type t) const noexcept { return is(t, TypeKind::record); }
    bool is_void(Type t) const noexcept { return is(t, TypeKind::void_); }
    /// bool, an integer type or an enumeration.
    bool is_integer(Type t) const noexcept;
    bool is_floating(Type t) const noexcept; ///< half, float, double
    bool is_arithmetic(Type t) const noexcept { return is_integer(t) || is_floating(t); }
    bool is_scalar(Type t) const noexcept { return is_arithmetic(t) || is_pointer(t); }
    bool is_signed(Type t) const noexcept; ///< For an integer or a floating type.
    /// The same for scalars and for vectors of them.
    bool has_integers(Type t) const noexcept { return is_integer(scalar(t)); }
    bool has_floats(Type t) const noexcept { return is_floating(scalar(t)); }
    /// Events, samplers and images. They have no size and no operators.
    bool is_opaque(Type t) const noexcept;
    bool is_complete(Type t) const noexcept;
    bool contains_pointer(Type t) const;
    bool contains_array(Type t) const;  ///< Or is one.
    bool contains_vector(Type t) const; ///< Or is one.
    bool contains_union(Type t) const;  ///< Or is one.
    /// The size of the smallest number in a complete type, in bytes.
    std::uint32_t least_number(Type t) const;

    /// The element type of a vector, otherwise the type itself. Without qualifiers.
    Type scalar(Type t) const noexcept;
    /// A vector of `element` with as many lanes as `like`, or a scalar.
    Type widened(Type element, Type like) { return vector(element, lanes(like)); }
    /// The result type of a comparison of vectors: a signed integer of the element's size, with the lanes of
    /// `t`.
    Type mask_of(Type t);
    /// The integer type used to compute with a bool or an enumeration. For other types, their own kind.
    TypeKind integer_kind(Type t) const noexcept;
    /// The type without qualifiers. Enumerations become their integer type.
    Type value_type(Type t) const noexcept;

    std::uint64_t size(Type t) const;  ///< In bytes, like sizeof. A vector of 3 is as large as one of 4.
    std::uint64_t align(Type t) const; ///< In bytes.
    /// Computes offsets, size and alignment of a record. `least` is the `aligned` attribute, `most` that of
    /// #pragma pack, both in bytes. 0: none.
    void lay_out(Record& record, std::uint64_t least, std::uint64_t most) const;
    /// Finds a member, also in unnamed members.
    std::optional<MemberPath> find_member(Type t, std::string_view name) const;

    /// As written in C: "__global const float *", "float4", "struct body".
    std::string name(Type t) const;

private:
    struct Entry {
        TypeKind kind = TypeKind::error;
        std::uint8_t lanes = 1;
        Type element;
        std::uint32_t extra = 0;
        std::uint64_t count = 0;
        Type leaf = {};           ///< Of an array of arrays: the type of the innermost elements,
        std::uint64_t leaves = 0; ///< and their number. 0: unknown.
    };

    Type intern(const Entry& entry);
    std::string qualified(Type t, const std::string& text) const;

    std::vector<Entry> entries_;
    std::vector<Record> records_;
    std::vector<Enumeration> enumerations_;
    std::vector<FunctionType> functions_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> functions_by_key_;
    std::vector<std::string> images_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> interned_;
};

/// The kind of a scalar type such as "float" or "uint". No value for other names.
std::optional<TypeKind> scalar_from(std::string_view name) noexcept;
std::string_view name_of(TypeKind kind) noexcept; ///< The name of a scalar, event or sampler type.
/// The size of an integer or floating type in bytes.
unsigned size_of(TypeKind kind) noexcept;
/// The bits of the nearest half. Ties go to the even one.
std::uint16_t half_bits(double value) noexcept;

} // namespace ferry::opencl_c
