// SPDX-License-Identifier: Apache-2.0
// The bits of a half from float and double. Modes: 0 to nearest, 1 towards zero, 2 upwards, 3 downwards.

// The number is digits * 2^(exponent - 63). The highest bit of digits is set, or the number is subnormal.
ushort fy_impl_half_bits(uint sign, int exponent, ulong digits, int mode) {
    uint top = mode == 0 || (mode == 2 && sign == 0) || (mode == 3 && sign != 0) ? 0x7c00 : 0x7bff;
    if (exponent > 15) {
        return (ushort)(sign | top);
    }
    int shift = 53 + max(0, -14 - exponent);
    uint whole = shift < 64 ? (uint)(digits >> shift) : 0;
    ulong rest = shift < 64 ? digits << (64 - shift) : shift == 64 ? digits : digits != 0 ? 1 : 0;
    ulong middle = 1ul << 63;
    bool up = mode == 0   ? rest > middle || (rest == middle && (whole & 1) != 0)
              : mode == 2 ? rest != 0 && sign == 0
              : mode == 3 ? rest != 0 && sign != 0
                          : false;
    whole += up ? 1 : 0;
    return (ushort)(sign | (exponent >= -14 ? ((uint)(exponent + 14) << 10) + whole : whole));
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
    return fy_impl_half_bits(sign, max(exponent, 1) - 127, digits << 40, mode);
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
    return fy_impl_half_bits(sign, max(exponent, 1) - 1023, digits << 11, mode);
}
