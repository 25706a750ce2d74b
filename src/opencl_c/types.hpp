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

/// Address space of an object, or of the object that a pointer points to. Objects without one are private.
enum class Space : std::uint8_t { private_, global, local, constant };

enum class TypeKind : std::uint8_t {
    error, ///< of an expression that was diagnosed; it converts to and from everything without a message
    void_,
    bool_,
    char_, ///< signed; the integers stay in this order, each signed one before its unsigned one
    uchar,
    short_,
    ushort,
    int_,
    uint,
    long_,
    ulong,
    half, ///< the floating types stay in the order of their ranks
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
    /// With the qualifiers of `other` added to its own; the address space stays.
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

    std::uint32_t bits_ = 0; ///< index, address space, restrict, volatile, const
};

/// Number of elements of an array whose size is not known.
inline constexpr std::uint64_t unknown_size = ~std::uint64_t{0};

struct Member {
    std::string_view name; ///< empty: an unnamed struct or union, whose members count as this one's
    Type type;
    std::uint64_t offset = 0; ///< bytes
    translate::Position at;
};

/// A struct or union.
struct Record {
    std::string_view tag; ///< empty if it has none
    std::string_view typedef_name;
    bool is_union = false;
    bool complete = false;
    bool packed = false;
    std::uint64_t size = 0;  ///< bytes; 0 until it is complete
    std::uint64_t align = 1; ///< bytes
    std::vector<Member> members;
    translate::Position at;
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

/// Where a member is: the members that lead to it, outermost first. More than one for unnamed records.
using MemberPath = std::vector<std::uint32_t>;

/// All types of one text. Types that are equal have the same index.
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
    /// Of a vector, an array, or what a pointer points to. Elements of an array in a qualified or placed
    /// object are qualified and placed as it is.
    Type element(Type t) const noexcept;
    /// 2, 3, 4, 8 or 16 of a vector; 1 of all else.
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
    bool is_signed(Type t) const noexcept; ///< of an integer or a floating type
    /// A vector of such elements, or a scalar.
    bool has_integers(Type t) const noexcept { return is_integer(scalar(t)); }
    bool has_floats(Type t) const noexcept { return is_floating(scalar(t)); }
    /// Event, sampler, image: of no size and no operators.
    bool is_opaque(Type t) const noexcept;
    bool is_complete(Type t) const noexcept;
    bool contains_pointer(Type t) const;

    /// The element of a vector, else the type itself; without qualifiers.
    Type scalar(Type t) const noexcept;
    /// A vector of as many lanes as `like` has, or a scalar, of such elements.
    Type widened(Type element, Type like) { return vector(element, lanes(like)); }
    /// The signed integer as large as an element of `t`, with as many lanes: the type of comparisons of
    /// vectors.
    Type mask_of(Type t);
    /// The integer type that a bool or an enumeration is computed with; of others itself.
    TypeKind integer_kind(Type t) const noexcept;
    /// The type without qualifiers, in which enumerations are their integers.
    Type value_type(Type t) const noexcept;

    std::uint64_t size(Type t) const;  ///< bytes, as sizeof; a vector of 3 is as large as one of 4
    std::uint64_t align(Type t) const; ///< bytes
    /// Sets offsets, size and alignment of a record from its members. `least` is the `aligned` attribute,
    /// `most` that of #pragma pack; 0: none.
    void lay_out(Record& record, std::uint64_t least, std::uint64_t most) const;
    /// Finds a member, in unnamed members too.
    std::optional<MemberPath> find_member(Type record, std::string_view name) const;

    /// As in C: "__global const float *", "float4", "struct body".
    std::string name(Type t) const;

private:
    struct Entry {
        TypeKind kind = TypeKind::error;
        std::uint8_t lanes = 1;
        Type element;
        std::uint32_t extra = 0;
        std::uint64_t count = 0;
    };

    Type intern(const Entry& entry);
    std::string qualified(Type t, std::string text) const;

    std::vector<Entry> entries_;
    std::vector<Record> records_;
    std::vector<Enumeration> enumerations_;
    std::vector<FunctionType> functions_;
    std::vector<std::string> images_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> interned_;
};

/// "float", "uint": nothing for a name that is no scalar type of the language.
std::optional<TypeKind> scalar_from(std::string_view name) noexcept;
std::string_view name_of(TypeKind kind) noexcept; ///< of a scalar, event or sampler type
/// Bytes of an integer or floating type.
unsigned size_of(TypeKind kind) noexcept;

} // namespace ferry::opencl_c
