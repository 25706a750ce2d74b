#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes the polynomials and constants of src/emit_spirv/library/: polynomials_float.inc and polynomials_double.inc.
Needs mpmath. Run it after a change of a degree, an interval or a form.

usage: math_library.py FOLDER"""
import pathlib
import sys

import mpmath
from mpmath import mp, mpf

mp.dps = 90


def remez(function, weight, low, high, degree):
    """The polynomial p with the least maximum of |weight * (p - function)|, and that maximum."""
    count = degree + 2
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / (count - 1)) for i in range(count)]
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / (24 * count)) for i in range(24 * count + 1)]
    known = {x: (function(x), weight(x)) for x in grid}
    for _ in range(6):
        rows, wanted = mp.matrix(count, count), mp.matrix(count, 1)
        for i, x in enumerate(points):
            value, size = known.get(x) or (function(x), weight(x))
            for j in range(degree + 1):
                rows[i, j] = x**j
            rows[i, degree + 1] = (-1)**i / size
            wanted[i] = value
        solution = mp.lu_solve(rows, wanted)
        coefficients = [solution[j] for j in range(degree + 1)]
        errors = [known[x][1] * (mp.polyval(coefficients[::-1], x) - known[x][0]) for x in grid]
        runs = []  # the largest error of each run of one sign
        for x, e in zip(grid, errors):
            if runs and (runs[-1][1] > 0) == (e > 0):
                if abs(e) > abs(runs[-1][1]):
                    runs[-1] = (x, e)
            else:
                runs.append((x, e))
        while len(runs) > count:
            runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
        if len(runs) < count:
            break
        points = [x for x, _ in runs]
        if max(abs(e) for _, e in runs) < mpf("1.001") * min(abs(e) for _, e in runs):
            break
    return coefficients, max(abs(e) for e in errors)


TINY = mpf(10)**-14
Z = mp.sqrt
TAIL = 3


def tail(x):
    return (x + mpf(1) / 2) * mp.exp(x**2) * mp.erfc(x)


def stirling(x):
    return mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2


# Name, parameter, description, function, weight (an error of the polynomial times the weight is a relative error of the
# result), interval, and the bits wanted for float and double. The interval of erfc ends at the type's last argument.
FITS = [
    ("sin", "z", "(sin r - r) / r^3, z = r^2", lambda z: (mp.sin(Z(z)) - Z(z)) / Z(z)**3,
     lambda z: Z(z)**3 / mp.sin(Z(z)), TINY, mpf("0.618"), 29, 60),
    ("cos", "z", "(cos r - 1 + z / 2) / z^2, z = r^2", lambda z: (mp.cos(Z(z)) - 1 + z / 2) / z**2,
     lambda z: z**2 / mp.cos(Z(z)), TINY, mpf("0.618"), 29, 60),
    ("exp", "w", "(exp w - 1 - w - w^2 / 2) / w^3", lambda w: (mp.exp(w) - 1 - w - w**2 / 2) / w**3,
     lambda w: abs(w)**3, mpf("-0.3471"), mpf("0.3472"), 31, 61),
    ("log", "z", "(log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5, z = s^2",
     lambda z: (2 * mp.atanh(Z(z)) - 2 * Z(z) - 2 * Z(z)**3 / 3) / Z(z)**5,
     lambda z: Z(z)**5 / (2 * mp.atanh(Z(z))), TINY, mpf("0.02945"), 34, 68),
    ("atan", "z", "(atan t - t) / t^3, z = t^2", lambda z: (mp.atan(Z(z)) - Z(z)) / Z(z)**3,
     lambda z: Z(z)**3 / mp.atan(Z(z)), TINY, mpf("0.0626"), 30, 60),
    ("asin", "z", "(asin x - x) / x^3, z = x^2", lambda z: (mp.asin(Z(z)) - Z(z)) / Z(z)**3,
     lambda z: Z(z)**3 / mp.asin(Z(z)), TINY, mpf("0.2501"), 29, 59),
    ("sinh", "z", "(sinh x - x) / x^3, z = x^2", lambda z: (mp.sinh(Z(z)) - Z(z)) / Z(z)**3,
     lambda z: Z(z)**3 / mp.sinh(Z(z)), TINY, mpf("1.001"), 29, 59),
    ("erf", "z", "erf(x) / x - 1, z = x^2", lambda z: mp.erf(Z(z)) / Z(z) - 1,
     lambda z: Z(z) / mp.erf(Z(z)), TINY, mpf("0.7657"), 28, 57),
    ("erfc", "t", f"(x + 1/2) exp(x^2) erfc(x), t = (x - {TAIL}) / (x + {TAIL})",
     lambda t: tail(TAIL * (1 + t) / (1 - t)), lambda t: mpf(1), (mpf("0.87") - TAIL) / (mpf("0.87") + TAIL), None, 27,
     56),
    ("stirling", "z", "x (log gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2), z = x^-2",
     lambda z: stirling(1 / Z(z)) / Z(z), lambda z: Z(z), mpf(10)**-12, mpf(1) / 64, 33, 62),
    ("lgamma_1", "t", "log gamma(1 + t) / t", lambda t: mp.loggamma(1 + t) / t, lambda t: t / mp.loggamma(1 + t),
     mpf("-0.301"), mpf("0.4013"), 29, 58),
    ("lgamma_2", "t", "log gamma(2 + t) / t", lambda t: mp.loggamma(2 + t) / t, lambda t: t / mp.loggamma(2 + t),
     mpf("-0.601"), mpf("0.6023"), 29, 58),
    ("cbrt", "m", "the cube root of m", mp.cbrt, lambda m: 1 / mp.cbrt(m), mpf(1), mpf(2), 7, 10),
]


def number(x, digits):
    """x rounded to so many bits, as a hexadecimal constant and as a number."""
    with mp.workprec(digits):
        rounded = +x
    mantissa, exponent = float(rounded).hex().split("p")
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent.lstrip("+"), rounded


def constants(digits, short):
    """NAME_A and HALF_PI_1 to 3 have few bits, so that products with whole numbers are exact. NAME_H is rounded, and
    NAME_L is the rest."""
    values = [("LN2", mp.log(2)), ("LOG10_2", mp.log10(2))]
    for name, x in values:
        text, first = number(x, digits - short)
        yield f"FY_{name}_A", text
        yield f"FY_{name}_B", number(x - first, digits)[0]
    rest = mp.pi / 2
    for part in "1234":
        text, first = number(rest, digits if part == "4" else digits - 11)
        rest -= first
        yield f"FY_HALF_PI_{part}", text
    yield "FY_TWO_OVER_PI", number(2 / mp.pi, digits)[0]
    pairs = [("PI", mp.pi), ("HALF_PI", mp.pi / 2), ("QUARTER_PI", mp.pi / 4), ("INV_PI", 1 / mp.pi),
             ("LN2", mp.log(2)), ("LN10", mp.log(10)), ("INV_LN2", 1 / mp.log(2)), ("INV_LN10", 1 / mp.log(10)),
             ("TWO_THIRDS", mpf(2) / 3), ("ATAN_HALF", mp.atan(mpf(1) / 2)),
             ("HALF_LOG_2PI", mp.log(2 * mp.pi) / 2), ("TWO_OVER_ROOT_PI", 2 / mp.sqrt(mp.pi))]
    for name, x in pairs:
        text, first = number(x, digits)
        yield f"FY_{name}_H", text
        yield f"FY_{name}_L", number(x - first, digits)[0]
    yield "FY_LOG2_10", number(mp.log(10, 2), digits)[0]
    yield "FY_CBRT_2", number(mp.cbrt(2), digits)[0]
    yield "FY_CBRT_4", number(mp.cbrt(4), digits)[0]


def bound(error):
    return f"2^{mp.nstr(mp.log(error, 2), 4)}"


def write(path, kind, digits, suffix, mark, short, far):
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// Polynomials and constants for {kind}, written by tests/tools/math_library.py.",
             "// Each polynomial has the least maximum of its error, before its coefficients are rounded. The error is",
             "// relative to the result of the function."]
    for name, text in constants(digits, short):
        lines.append(f"#define {name} {text}{suffix}")
    for name, parameter, what, function, weight, low, high, bits, bits_double in FITS:
        high = high or (mpf(far) - TAIL) / (mpf(far) + TAIL)
        target = mpf(2)**-(bits if digits == 24 else bits_double)
        for degree in range(2, 40):
            coefficients, error = remez(function, weight, low, high, degree)
            if error < target:
                break
        print(kind, name, degree, bound(error), flush=True)
        start = mp.nstr(low, 4) if abs(low) > mpf("1e-9") else "0"
        lines += ["", f"// {what}",
                  f"// {start} <= {parameter} <= {mp.nstr(high, 4)}, degree {degree}, error {bound(error)}",
                  f"{kind} fy_impl_poly_{name}{mark}({kind} {parameter}) {{"]
        body = [number(c, digits)[0] + suffix for c in coefficients]
        lines.append(f"    {kind} p = {body[-1]};")
        lines += [f"    p = {c} + {parameter} * p;" for c in body[-2:0:-1]]
        lines += [f"    return {body[0]} + {parameter} * p;", "}"]
    path.write_text("\n".join(lines) + "\n")


def table(path):
    """The bits of 2 / pi after the binary point, in words of 32 bits."""
    words = 40
    with mp.workprec(32 * words + 64):
        whole = int(mp.floor(mp.ldexp(2 / mp.pi, 32 * words)))
    text = [f"0x{(whole >> (32 * (words - 1 - i))) & 0xffffffff:08x}u" for i in range(words)]
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// The bits of 2 / pi after the binary point, written by tests/tools/math_library.py.",
             f"__constant uint fy_impl_two_over_pi[{words}] = {{"]
    lines += ["    " + ", ".join(text[i:i + 8]) + "," for i in range(0, words, 8)]
    path.write_text("\n".join(lines + ["};"]) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    table(folder / "two_over_pi.inc")
    write(folder / "polynomials_float.inc", "float", 24, "f", "", 10, 11)
    write(folder / "polynomials_double.inc", "double", 53, "", "_d", 13, 28)


main()
