// SPDX-License-Identifier: Apache-2.0
#include "scalar.hpp"

#include "../conformance/random.hpp"

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace kernels {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "the references need a long double that holds every 64-bit integer");

struct Format {
    int digits;
    int least_exponent; ///< exponent of the least normal number, as ilogb() returns it
    long double largest;
};

Format format_of(Type type) {
    return type == Type::f32 ? Format{24, -126, static_cast<long double>(FLT_MAX)}
                             : Format{53, -1022, static_cast<long double>(DBL_MAX)};
}

long double round_to_format(const Format& format, long double x, Rounding rounding) {
    if (x == 0 || !std::isfinite(x)) {
        return x;
    }
    const int exponent = std::max(std::ilogb(x), format.least_exponent) - (format.digits - 1);
    const long double scaled = std::scalbn(x, -exponent);
    const long double result = std::copysign(std::scalbn(round_to_integer(scaled, rounding), exponent), x);
    if (std::fabs(result) <= format.largest) {
        return result;
    }
    const bool away = rounding == Rounding::nearest_even || (rounding == Rounding::up && x > 0) ||
                      (rounding == Rounding::down && x < 0);
    return std::copysign(away ? std::numeric_limits<long double>::infinity() : format.largest, x);
}

constexpr Format half_format{11, -14, 65504.0L};

} // namespace

std::string name_of(Type type, unsigned width) {
    static const char* const names[] = {"char", "uchar", "short", "ushort", "int",
                                        "uint", "long",  "ulong", "float",  "double"};
    return names[static_cast<unsigned>(type)] + (width == 1 ? "" : std::to_string(width));
}

Wide min_of(Type type) {
    return is_unsigned(type) ? 0 : -(Wide{1} << (bits_of(type) - 1));
}
Wide max_of(Type type) {
    return (Wide{1} << (bits_of(type) - (is_unsigned(type) ? 0 : 1))) - 1;
}
Wide wrap(Type type, Wide value) {
    const auto mask = (UnsignedWide{1} << bits_of(type)) - 1;
    const auto low = static_cast<Wide>(static_cast<UnsignedWide>(value) & mask);
    return low > max_of(type) ? low - static_cast<Wide>(mask) - 1 : low;
}
Wide saturate(Type type, Wide value) {
    return value < min_of(type) ? min_of(type) : value > max_of(type) ? max_of(type) : value;
}

Value load(Type type, const void* from) {
    if (type == Type::f32) {
        float f = 0;
        std::memcpy(&f, from, sizeof f);
        return real(static_cast<long double>(f));
    }
    if (type == Type::f64) {
        double f = 0;
        std::memcpy(&f, from, sizeof f);
        return real(static_cast<long double>(f));
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, from, size_of(type));
    return integer(wrap(type, static_cast<Wide>(bits)));
}

void store(Type type, const Value& value, void* to) {
    if (type == Type::f32) {
        const auto f = static_cast<float>(value.f);
        std::memcpy(to, &f, sizeof f);
    } else if (type == Type::f64) {
        const auto f = static_cast<double>(value.f);
        std::memcpy(to, &f, sizeof f);
    } else {
        const auto bits = static_cast<std::uint64_t>(static_cast<UnsignedWide>(value.i));
        std::memcpy(to, &bits, size_of(type));
    }
}

std::string text_of(Type type, const Value& value) {
    char text[64];
    if (is_float(type)) {
        std::snprintf(text, sizeof text, "%.9Lg (%La)", value.f, value.f);
    } else if (is_unsigned(type)) {
        const auto u = static_cast<unsigned long long>(value.i);
        std::snprintf(text, sizeof text, "%llu (0x%llx)", u, u);
    } else {
        std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value.i));
    }
    return text;
}

long double ulp_at(Type type, long double x) {
    const Format format = format_of(type);
    const int exponent = x == 0 || !std::isfinite(x) ? format.least_exponent : std::ilogb(x);
    const int most = type == Type::f32 ? 127 : 1023;
    return std::scalbn(1.0L, std::min(std::max(exponent, format.least_exponent), most) - (format.digits - 1));
}
long double least_normal(Type type) {
    return std::scalbn(1.0L, format_of(type).least_exponent);
}
long double largest(Type type) {
    return format_of(type).largest;
}
bool is_denormal(Type type, long double x) {
    return x != 0 && std::fabs(x) < least_normal(type);
}

long double round_to_integer(long double x, Rounding rounding) {
    switch (rounding) {
    case Rounding::to_zero:
        return std::trunc(x);
    case Rounding::up:
        return std::ceil(x);
    case Rounding::down:
        return std::floor(x);
    default:
        return std::nearbyint(x);
    }
}
long double round_to_float(Type type, long double x, Rounding rounding) {
    return round_to_format(format_of(type), x, rounding);
}

long double half_value(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    const long double sign = (bits & 0x8000) != 0 ? -1.0L : 1.0L;
    if (exponent == 31) {
        return fraction != 0 ? std::numeric_limits<long double>::quiet_NaN()
                             : sign * std::numeric_limits<long double>::infinity();
    }
    return sign * std::scalbn(static_cast<long double>(exponent == 0 ? fraction : fraction + 1024),
                              (exponent == 0 ? 1 : exponent) - 25);
}
std::uint16_t half_bits(long double x, Rounding rounding) {
    const unsigned sign = std::signbit(x) ? 0x8000U : 0;
    if (std::isnan(x)) {
        return 0x7e00;
    }
    const long double r = std::fabs(round_to_format(half_format, x, rounding));
    if (std::isinf(r)) {
        return static_cast<std::uint16_t>(sign | 0x7c00);
    }
    if (r < 0x1p-14L) {
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::scalbn(r, 24)));
    }
    const int exponent = std::ilogb(r);
    const auto fraction = static_cast<unsigned>(std::scalbn(r, 10 - exponent)) - 1024;
    return static_cast<std::uint16_t>(sign | (static_cast<unsigned>(exponent + 15) << 10) | fraction);
}

std::vector<Value> edge_values(Type type) {
    std::vector<Value> result;
    if (is_float(type)) {
        const long double most = largest(type);
        const long double least = least_normal(type);
        const long double one = ulp_at(type, 1.0L);
        const long double infinity = std::numeric_limits<long double>::infinity();
        for (const long double x : {0.0L,        1.0L,           2.0L,
                                    3.0L,        0.5L,           1.5L,
                                    2.5L,        0.25L,          1 + one,
                                    1 - one / 2, 0.5L - one / 4, 127.0L,
                                    128.5L,      255.5L,         32767.5L,
                                    65536.0L,    0x1p23L,        0x1p24L - 1,
                                    0x1p31L,     0x1p63L,        3.14159265358979L,
                                    1.0e22L,     most,           most / 2,
                                    least,       least / 2,      ulp_at(type, 0),
                                    infinity}) {
            result.push_back(real(round_to_float(type, x, Rounding::nearest_even)));
            result.push_back(real(-result.back().f));
        }
        result.push_back(real(std::numeric_limits<long double>::quiet_NaN()));
        return result;
    }
    const auto bits = static_cast<int>(bits_of(type));
    for (const int i : {0, 1, 2, 3, 5, 7, -1, -2, -7, bits - 1, bits, bits + 1, 2 * bits - 1, 100, -100}) {
        result.push_back(integer(wrap(type, i)));
    }
    for (const Wide i : {min_of(type), min_of(type) + 1, max_of(type), max_of(type) - 1, max_of(type) / 2,
                         max_of(type) / 2 + 1, max_of(type) / 3, min_of(type) / 2}) {
        result.push_back(integer(i));
    }
    return result;
}

Value random_value(Type type) {
    const std::uint64_t bits = conformance::random_engine()();
    const std::uint64_t choice = conformance::random_below(4);
    if (is_float(type)) {
        if (choice == 0) {
            return load(type, &bits);
        }
        const long double fraction = static_cast<long double>(bits) * 0x1p-63L - 1.0L;
        const int range = choice == 1   ? 1
                          : choice == 2 ? 4
                                        : static_cast<int>(conformance::random_below(40)) - 20;
        return real(round_to_float(type, std::scalbn(fraction, range), Rounding::nearest_even));
    }
    // Numbers of every magnitude: short ones are as frequent as long ones.
    return integer(wrap(type, static_cast<Wide>(bits >> (choice == 0 ? conformance::random_below(64) : 0))));
}

} // namespace kernels
