// SPDX-License-Identifier: Apache-2.0
// The bits of a narrower number from float and double, by integers alone: a driver may flush subnormal numbers in
// comparisons and conversions. Modes: 0 to nearest, 1 towards zero, 2 upwards, 3 downwards.

// The bits without the sign, rounded to `precision` binary digits. The number is digits * 2^(exponent - 63). The highest
// bit of digits is set, or the number is subnormal. The largest exponent is 1 - least.
uint fy_impl_narrowed(bool negative, int exponent, ulong digits, int mode, int precision, int least) {
    bool outwards = (mode == 2 && !negative) || (mode == 3 && negative);
    if (exponent > 1 - least) {
        uint infinite = (uint)(3 - 2 * least) << (precision - 1);
        return mode == 0 || outwards ? infinite : infinite - 1;
    }
    int shift = 64 - precision + max(0, least - exponent);
    uint whole = shift < 64 ? (uint)(digits >> shift) : 0;
    ulong rest = shift < 64 ? digits << (64 - shift) : shift == 64 ? digits : digits != 0 ? 1 : 0;
    ulong middle = 1ul << 63;
    bool up = mode == 0 ? rest > middle || (rest == middle && (whole & 1) != 0) : outwards && rest != 0;
    whole += up ? 1 : 0;
    return exponent >= least ? ((uint)(exponent - least) << (precision - 1)) + whole : whole;
}

ushort fy_half_bits(float x, int mode) {
    uint bits = as_uint(x);
    uint sign = bits >> 16 & 0x8000;
    int exponent = (int)(bits >> 23 & 0xff);
    uint fraction = bits & 0x7fffff;
    if (exponent == 0xff) {
        return (ushort)(sign | 0x7c00 | (fraction != 0 ? 0x200 | fraction >> 13 : 0));
    }
    ulong digits = exponent == 0 ? (ulong)fraction : (ulong)(fraction | 0x800000);
    return (ushort)(sign | fy_impl_narrowed(sign != 0, max(exponent, 1) - 127, digits << 40, mode, 11, -14));
}

ushort fy_half_bits_d(double x, int mode) {
    ulong bits = as_ulong(x);
    uint sign = (uint)(bits >> 48) & 0x8000;
    int exponent = (int)(bits >> 52 & 0x7ff);
    ulong fraction = bits & 0xffffffffffffful;
    if (exponent == 0x7ff) {
        return (ushort)(sign | 0x7c00 | (fraction != 0 ? 0x200 | (uint)(fraction >> 42) : 0));
    }
    ulong digits = exponent == 0 ? fraction : fraction | 0x10000000000000ul;
    return (ushort)(sign | fy_impl_narrowed(sign != 0, max(exponent, 1) - 1023, digits << 11, mode, 11, -14));
}

uint fy_float_bits_d(double x, int mode) {
    ulong bits = as_ulong(x);
    uint sign = (uint)(bits >> 32) & 0x80000000;
    int exponent = (int)(bits >> 52 & 0x7ff);
    ulong fraction = bits & 0xffffffffffffful;
    if (exponent == 0x7ff) {
        return sign | 0x7f800000 | (fraction != 0 ? 0x400000 | (uint)(fraction >> 29) : 0);
    }
    ulong digits = exponent == 0 ? fraction : fraction | 0x10000000000000ul;
    return sign | fy_impl_narrowed(sign != 0, max(exponent, 1) - 1023, digits << 11, mode, 24, -126);
}
