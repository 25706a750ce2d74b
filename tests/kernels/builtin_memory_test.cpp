// SPDX-License-Identifier: Apache-2.0
// vload, vstore, half, shuffle and atomics: functions that access memory or have two widths.
#include "builtin_run.hpp"
#include "corpus.hpp"
#include "known_bugs.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

using namespace kernels;
using conformance::random_below;

namespace {

struct Half {
    std::uint16_t bits = 0;
};

std::string extension(Type type) {
    return type == Type::f64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "";
}

/// Copies vectors from odd offsets through every address space.
std::string copy_text(Type type, unsigned w) {
    const std::string t = name_of(type);
    const std::string n = std::to_string(w);
    return "__kernel void copy" + n + "(__global const " + t + "* in, __constant " + t + "* c, __global " +
           t + "* out) {\n    __local " + t + " l[" + std::to_string(4 * w + 1) + "];\n    " + t + " p[" +
           std::to_string(2 * w) + "];\n    const size_t i = get_local_id(0);\n" + "    vstore" + n +
           "(vload" + n + "(i, in + 1), i, l + 1);\n    barrier(CLK_LOCAL_MEM_FENCE);\n    vstore" + n +
           "(vload" + n + "(3 - i, l + 1), 1, p);\n    vstore" + n + "(vload" + n +
           "(i, c + 3), 0, p);\n    vstore" + n + "(vload" + n + "(0, p), i, out + 1);\n    vstore" + n +
           "(vload" + n + "(1, p), 4 + i, out + 1);\n}\n";
}

std::size_t check_copies(const ferry::Device& device, Type type) {
    std::string text = extension(type);
    for (const unsigned w : {2U, 3U, 4U, 8U, 16U}) {
        text += copy_text(type, w);
    }
    const auto run = [&](auto element) {
        using T = decltype(element);
        Corpus c(device, text);
        for (const unsigned w : {2U, 3U, 4U, 8U, 16U}) {
            const auto in = [&] {
                if constexpr (std::is_floating_point_v<T>) { // no NaNs
                    return integers_below<T>(4 * w + 3, 1000);
                } else {
                    return conformance::random_values<T>(4 * w + 3);
                }
            }();
            auto din = c.in(in);
            auto out = c.poisoned<T>(8 * w + 1);
            auto wanted = conformance::poison<T>(8 * w + 1);
            for (std::size_t i = 0; i < 4 * w; ++i) {
                wanted[1 + i] = in[3 + i];
                wanted[1 + 4 * w + i] = in[1 + (3 - i / w) * w + i % w];
            }
            c.run(("copy" + std::to_string(w)).c_str(), {1, 4}, din, din, out);
            INFO("vload and vstore of ", name_of(type, w));
            check_equal(c.read(out), wanted);
        }
    };
    switch (type) {
    case Type::i8:
        run(std::int8_t{});
        break;
    case Type::u8:
        run(std::uint8_t{});
        break;
    case Type::i16:
        run(std::int16_t{});
        break;
    case Type::u16:
        run(std::uint16_t{});
        break;
    case Type::i32:
        run(std::int32_t{});
        break;
    case Type::u32:
        run(std::uint32_t{});
        break;
    case Type::i64:
        run(std::int64_t{});
        break;
    case Type::u64:
        run(std::uint64_t{});
        break;
    case Type::f32:
        run(float{});
        break;
    case Type::f64:
        run(double{});
        break;
    }
    return 5;
}

constexpr std::size_t half_count = 48 * 40;

std::vector<float> half_inputs() {
    std::vector<float> in;
    for (const long double x :
         {0.0L, 1.0L, 65504.0L, 65519.0L, 65520.0L, 65536.0L, 0x1p-14L, 0x1.ffcp-15L, 0x1p-24L, 0x1p-25L,
          0x1.8p-25L, 0x1.8p-24L, 1 + 0x1p-11L, 1 + 0x1.8p-10L, 1.0e10L}) {
        in.push_back(static_cast<float>(x));
        in.push_back(static_cast<float>(-x));
    }
    in.push_back(std::numeric_limits<float>::infinity());
    while (in.size() < half_count) {
        const float magnitude = std::ldexp(1.0F, static_cast<int>(random_below(44)) - 27);
        in.push_back(floats_between(1, -1, 1)[0] * magnitude);
    }
    return in;
}

std::size_t check_half_stores(const ferry::Device& device, bool aligned) {
    const std::pair<const char*, Rounding> modes[] = {{"", Rounding::nearest_even},
                                                      {"_rte", Rounding::nearest_even},
                                                      {"_rtz", Rounding::to_zero},
                                                      {"_rtp", Rounding::up},
                                                      {"_rtn", Rounding::down}};
    const std::string a = aligned ? "a" : "";
    std::string text;
    std::vector<std::pair<std::string, unsigned>> names;
    for (const auto& [suffix, rounding] : modes) {
        for (const unsigned w : all_widths) {
            // there is no such function for width 1; vectors of three are four elements apart
            if (aligned && (w == 1 || w == 3)) {
                continue;
            }
            const std::string n = w == 1 ? "" : std::to_string(w);
            text += "__kernel void s" + n + suffix +
                    "(__global const float* in, __global half* out) {\n    const size_t i = "
                    "get_global_id(0);\n    vstore" +
                    a + "_half" + n + suffix + "(" + (w == 1 ? "in[i]" : "vload" + n + "(i, in)") +
                    ", i, out);\n}\n";
        }
    }
    Corpus c(device, text);
    BugLedger ledger(device);
    const auto in = half_inputs();
    auto din = c.in(in);
    std::size_t cases = 0;
    for (const auto& [suffix, rounding] : modes) {
        for (const unsigned w : all_widths) {
            if (aligned && (w == 1 || w == 3)) {
                continue;
            }
            auto out = c.out<Half>(in.size());
            c.run(("s" + (w == 1 ? "" : std::to_string(w)) + suffix).c_str(), {in.size() / w / 4, 4}, din,
                  out);
            const auto seen = c.read(out);
            std::size_t wrong = 0;
            std::string report;
            for (std::size_t i = 0; i < in.size(); ++i) {
                const auto wanted = half_bits(static_cast<long double>(in[i]), rounding);
                if (seen[i].bits != wanted && wrong++ == 0) {
                    report = "of " + std::to_string(in[i]) + " is " + std::to_string(seen[i].bits) +
                             " where " + std::to_string(wanted) + " was expected";
                }
            }
            const std::string name = "vstore" + a + "_half" + suffix;
            if (!ledger.covers(name, "float", w, wrong != 0) && wrong != 0) {
                FAIL_CHECK(name, " of width ", w, " on ", device.id(), ": ", report, " (", wrong, " wrong)");
            }
            ++cases;
        }
    }
    ledger.check_not_stale();
    return cases;
}

std::size_t check_half_loads(const ferry::Device& device) {
    std::string text;
    for (const unsigned w : all_widths) {
        const std::string n = w == 1 ? "" : std::to_string(w);
        const std::string store = w == 1 ? "out[i] = " : "vstore" + n + "(";
        text +=
            "__kernel void l" + n +
            "(__global const half* in, __global float* out) {\n    const size_t i = get_global_id(0);\n    " +
            store + "vload_half" + n + "(i, in)" + (w == 1 ? "" : ", i, out)") + ";\n}\n";
    }
    Corpus c(device, text);
    const bool flushes = habits(device).flushes_float;
    std::vector<Half> in(49152); // every half except the NaNs and half of the negative numbers
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i].bits = (i & 0x7fff) > 0x7c00 ? std::uint16_t{0x3c00} : static_cast<std::uint16_t>(i);
    }
    auto din = c.in(in);
    for (const unsigned w : all_widths) {
        auto out = c.out<float>(in.size());
        c.run(("l" + (w == 1 ? "" : std::to_string(w))).c_str(), {in.size() / w / 8, 8}, din, out);
        std::vector<float> wanted;
        for (const Half h : in) {
            wanted.push_back(static_cast<float>(half_value(h.bits)));
        }
        INFO("vload_half of width ", w, flushes ? ", denormal floats are flushed" : "");
        check_equal(c.read(out), wanted);
    }
    return 6;
}

std::size_t check_shuffles(const ferry::Device& device, unsigned from) {
    std::string text;
    for (const unsigned to : {2U, 4U, 8U, 16U}) {
        const std::string m = std::to_string(from);
        const std::string n = std::to_string(to);
        text +=
            "__kernel void one" + n +
            "(__global const uint* a, __global const uint* b, __global const uint* m, __global uint* out) {\n"
            "    vstore" +
            n + "(shuffle(vload" + m + "(0, a), vload" + n + "(0, m)), 0, out);\n    vstore" + n +
            "(shuffle2(vload" + m + "(0, a), vload" + m + "(0, b), vload" + n + "(0, m)), 1, out);\n}\n";
    }
    Corpus c(device, text);
    for (const unsigned to : {2U, 4U, 8U, 16U}) {
        const auto a = conformance::random_values<std::uint32_t>(16);
        const auto b = conformance::random_values<std::uint32_t>(16);
        const auto mask = conformance::random_values<std::uint32_t>(16);
        std::vector<std::uint32_t> wanted(2 * to);
        for (std::size_t k = 0; k < to; ++k) {
            const std::size_t both = mask[k] % (2 * from);
            wanted[k] = a[mask[k] % from];
            wanted[to + k] = both < from ? a[both] : b[both - from];
        }
        auto da = c.in(a);
        auto db = c.in(b);
        auto dm = c.in(mask);
        auto out = c.out<std::uint32_t>(2 * to);
        c.run(("one" + std::to_string(to)).c_str(), {1, 1}, da, db, dm, out);
        INFO("shuffle from ", from, " to ", to);
        check_equal(c.read(out), wanted);
    }
    return 8;
}

std::string atomics_text(const std::string& type, const std::string& prefix) {
    const std::string f = prefix;
    const auto body = [&](const std::string& a) {
        return "    " + f + "add(" + a + ", v);\n    " + f + "sub(" + a + " + 1, v);\n    " + f + "inc(" + a +
               " + 2);\n    " + f + "dec(" + a + " + 3);\n    " + f + "min(" + a + " + 4, v);\n    " + f +
               "max(" + a + " + 5, v);\n    " + f + "and(" + a + " + 6, v | 1);\n    " + f + "or(" + a +
               " + 7, v);\n    " + f + "xor(" + a + " + 8, v);\n    " + type +
               " old, next;\n    do { old = " + a + "[9]; next = old * 3 + 1; } while (" + f + "cmpxchg(" +
               a + " + 9, old, next) != old);\n    got[get_global_id(0)] = " + f + "xchg(" + a +
               " + 10, v);\n";
    };
    return "__kernel void on_global(__global const " + type + "* in, volatile __global " + type +
           "* a, __global " + type + "* got) {\n    const " + type + " v = in[get_global_id(0)];\n" +
           body("a") + "}\n" + "__kernel void on_local(__global const " + type + "* in, volatile __global " +
           type + "* a, __global " + type + "* got) {\n    volatile __local " + type +
           " l[11];\n    if (get_local_id(0) < 11)\n        l[get_local_id(0)] = a[get_local_id(0)];\n"
           "    barrier(CLK_LOCAL_MEM_FENCE);\n    const " +
           type + " v = in[get_global_id(0)];\n" + body("l") +
           "    barrier(CLK_LOCAL_MEM_FENCE);\n    if (get_local_id(0) < 11)\n        a[get_local_id(0)] = "
           "l[get_local_id(0)];\n}\n";
}

template <class T>
std::size_t check_atomics(const ferry::Device& device, const std::string& type, const std::string& prefix,
                          const std::string& before) {
    Corpus c(device, before + atomics_text(type, prefix));
    for (const char* kernel : {"on_global", "on_local"}) {
        const std::size_t local = 29;
        const std::size_t groups = std::string(kernel) == "on_local" ? 1 : 3;
        const auto in = conformance::random_values<T>(groups * local);
        const auto start = conformance::random_values<T>(11);
        using U = std::make_unsigned_t<T>;
        std::vector<T> wanted = start;
        const auto apply = [&](std::size_t k, U value) { wanted[k] = static_cast<T>(value); };
        for (const T v : in) {
            const auto u = static_cast<U>(v);
            apply(0, static_cast<U>(wanted[0]) + u);
            apply(1, static_cast<U>(wanted[1]) - u);
            apply(2, static_cast<U>(wanted[2]) + 1);
            apply(3, static_cast<U>(wanted[3]) - 1);
            wanted[4] = std::min(wanted[4], v);
            wanted[5] = std::max(wanted[5], v);
            apply(6, static_cast<U>(wanted[6]) & (u | 1));
            apply(7, static_cast<U>(wanted[7]) | u);
            apply(8, static_cast<U>(wanted[8]) ^ u);
            apply(9, static_cast<U>(wanted[9]) * 3 + 1);
        }
        auto din = c.in(in);
        auto a = c.in(start);
        auto got = c.out<T>(in.size());
        c.run(kernel, {groups, local}, din, a, got);
        auto seen = c.read(a);
        auto chain = c.read(got);
        chain.push_back(seen[10]); // the exchanged values are the initial value and all inputs, in some order
        auto all = in;
        all.push_back(start[10]);
        std::sort(chain.begin(), chain.end());
        std::sort(all.begin(), all.end());
        INFO(prefix, "* of ", type, ", ", kernel);
        check_equal(chain, all, "exchanged");
        wanted[10] = seen[10];
        check_equal(seen, wanted, "atomics");
    }
    return 22;
}

} // namespace

KERNEL_TEST("builtin: vload and vstore in every address space") {
    std::size_t cases = 0;
    for (const Type type : all_types) {
        if (type != Type::f64 || device.info().fp64) {
            cases += check_copies(device, type);
        }
    }
    std::printf("vload and vstore on %s: %zu cases of (type, width)\n", device.id().c_str(), cases);
}
KERNEL_TEST("builtin: half in memory") {
    const std::size_t cases =
        check_half_stores(device, false) + check_half_stores(device, true) + check_half_loads(device);
    std::printf("half on %s: %zu cases of (function, width)\n", device.id().c_str(), cases);
}
KERNEL_TEST("builtin: shuffle") {
    std::size_t cases = 0;
    for (const unsigned from : {2U, 4U, 8U, 16U}) {
        cases += check_shuffles(device, from);
    }
    std::printf("shuffle on %s: %zu cases of (function, width, width)\n", device.id().c_str(), cases);
}
KERNEL_TEST("builtin: atomics") {
    std::size_t cases = check_atomics<std::int32_t>(device, "int", "atomic_", "") +
                        check_atomics<std::uint32_t>(device, "uint", "atomic_", "");
    if (device.info().int64_atomics) {
        const std::string before = "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                                   "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
        cases += check_atomics<std::int64_t>(device, "long", "atom_", before);
        cases += check_atomics<std::uint64_t>(device, "ulong", "atom_", before);
    }
    std::printf("atomics on %s: %zu cases of (function, type, address space)\n", device.id().c_str(), cases);
}
