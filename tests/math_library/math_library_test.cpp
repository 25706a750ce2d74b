// SPDX-License-Identifier: Apache-2.0
#include "../conformance/random.hpp"
#include "../kernels/builtin_math.hpp"
#include "../kernels/builtin_run.hpp"
#include "edge_cases.hpp"
#include "library.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstdio>
#include <numbers>
#include <set>
#include <string>
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace {

using namespace kernels;
using math_library::Function;

/// Instructions of SPIR-V or GLSL.std.450, and functions that call others of the table.
bool is_elsewhere(const std::string& name) {
    static const std::set<std::string> names{"ceil", "fabs",         "floor",      "fmax", "fmax(scalar)",
                                             "fmin", "fmin(scalar)", "ldexp(int)", "mad",  "rint"};
    return names.contains(name) || name.starts_with("half_") || name.starts_with("native_");
}

std::vector<Builtin> rows() {
    std::vector<Builtin> result = math_builtins();
    std::erase_if(result, [](const Builtin& row) { return is_elsewhere(row.name); });
    result.push_back(math("divide", 0.5L, [](long double x, long double y) { return x / y; }));
    for (Builtin& row : result) {
        if (row.name == "sqrt") {
            row = math("sqrt", 0.5L, [](long double x) { return std::sqrt(x); });
        }
    }
    return result;
}

const Function& find(std::span<const Function> functions, const std::string& name) {
    const auto found = std::ranges::find(functions, name, &Function::name);
    if (found == functions.end()) {
        FAIL("the library has no function '", name, "'");
    }
    return *found;
}

/// Subnormal operands and results of the processor's instructions become 0.
class Flushing {
public:
    Flushing() {
#ifdef __SSE2__
        _mm_setcsr(before_ | 0x8040U);
#endif
    }
    ~Flushing() {
#ifdef __SSE2__
        _mm_setcsr(before_);
#endif
    }
    Flushing(const Flushing&) = delete;
    Flushing& operator=(const Flushing&) = delete;

private:
#ifdef __SSE2__
    unsigned before_ = _mm_getcsr();
#endif
};

class Check {
public:
    Check(const Builtin& row, const Function& function, Type type, bool flushes)
        : row_(row), function_(function), type_(type), flushes_(flushes) {
        for (const char letter : row.arguments) {
            edges_.push_back(edge_values(letter_type(letter, type, 2)));
        }
    }

    /// All combinations of edge values, and `count` random arguments.
    void run(std::size_t count) {
        std::size_t combinations = 1;
        for (const auto& edges : edges_) {
            combinations *= edges.size();
        }
        for (std::size_t i = 0; i < combinations + count; ++i) {
            std::array<Value, 3> in{};
            std::size_t rest = i;
            for (std::size_t a = 0; a < edges_.size(); ++a) {
                const bool random = i >= combinations && conformance::random_below(8) != 0;
                const std::size_t at =
                    i < combinations ? rest % edges_[a].size() : conformance::random_below(edges_[a].size());
                in[a] = random ? random_value(letter_type(row_.arguments[a], type_, 2)) : edges_[a][at];
                rest /= edges_[a].size();
            }
            check(in);
        }
        report();
    }

    /// The same for given values of the first argument.
    void run(const std::vector<long double>& values) {
        for (const long double value : values) {
            check({real(round_to_float(type_, value, Rounding::nearest_even)), {}, {}});
        }
        report();
    }

    long double worst() const { return worst_; }

private:
    void report() const {
        if (wrong_ != 0) {
            const std::string text =
                "fy_" + row_.name + " for " + name_of(type_) + (flushes_ ? ", flushing" : "");
            FAIL_CHECK(text, ": ", wrong_, " wrong results; the first: ", report_);
        }
    }

    void check(const std::array<Value, 3>& in) {
        Value got[2];
        const std::array<Wanted, 2> wanted = answers(in);
        std::array<Wanted, 2> flushed_wanted = wanted;
        if (flushes_) {
            std::array<Value, 3> flushed = in;
            for (std::size_t i = 0; i < row_.arguments.size(); ++i) {
                const Type type = letter_type(row_.arguments[i], type_, 1);
                if (is_float(type) && is_denormal(type, in[i].f)) {
                    flushed[i].f = std::copysign(0.0L, in[i].f);
                }
            }
            flushed_wanted = answers(flushed);
            const Flushing flushing;
            function_.call(type_, in.data(), got);
        } else {
            function_.call(type_, in.data(), got);
        }
        for (std::size_t i = 0; i < row_.results.size(); ++i) {
            long double error = 0;
            long double other = 0;
            const Type type = letter_type(row_.results[i], type_, 1);
            if (!accept(type, wanted[i], got[i], flushes_, error) &&
                !accept(type, flushed_wanted[i], got[i], flushes_, other)) {
                ++wrong_;
                report_ = report_.empty() ? text(in, wanted[i], got[i], type) : report_;
            } else if (wanted[i].absolute == 0 && !wanted[i].any && std::isfinite(got[i].f)) {
                worst_ = std::max(worst_, std::fabs(error));
            }
        }
    }

    std::array<Wanted, 2> answers(const std::array<Value, 3>& in) const {
        std::array<Wanted, 2> wanted;
        Call call;
        call.type = type_;
        for (std::size_t i = 0; i < 3; ++i) {
            call.in[i] = &in[i];
        }
        for (std::size_t i = 0; i < row_.results.size(); ++i) {
            call.out[i] = &wanted[i];
        }
        row_.reference(call);
        return wanted;
    }

    std::string text(const std::array<Value, 3>& in, const Wanted& wanted, const Value& got,
                     Type type) const {
        std::string result;
        for (std::size_t a = 0; a < row_.arguments.size(); ++a) {
            result += (a == 0 ? "" : ", ") + text_of(letter_type(row_.arguments[a], type_, 1), in[a]);
        }
        return "(" + result + ") gave " + text_of(type, got) + ", not " + text_of(type, wanted.value);
    }

    const Builtin& row_;
    const Function& function_;
    Type type_;
    bool flushes_;
    std::vector<std::vector<Value>> edges_;
    std::size_t wrong_ = 0;
    std::string report_;
    long double worst_ = 0;
};

void check_all(std::span<const Function> functions, bool flushes, std::size_t count, bool print) {
    conformance::seed_random("math library");
    MESSAGE("FERRY_TEST_SEED=", conformance::process_seed());
    std::set<std::string_view> seen;
    for (const Builtin& row : rows()) {
        seen.insert(row.name);
        const Function& function = find(functions, row.name);
        long double worst[2] = {};
        for (const Type type : row.types) {
            Check check(row, function, type, flushes);
            check.run(count);
            worst[type == Type::f64 ? 1 : 0] = check.worst();
        }
        if (print) {
            std::printf("%-10s %6.2Lf %6.2Lf\n", row.name.c_str(), worst[0], worst[1]);
        }
    }
    for (const Function& function : functions) {
        CHECK_MESSAGE(seen.contains(function.name), "no row tests fy_", function.name);
    }
}

constexpr std::size_t some = 15000;

} // namespace

TEST_CASE("math library: within the limits of OpenCL C; the largest errors in units in the last place") {
    check_all(math_library::exact_functions(), false, some, true);
}

TEST_CASE("math library: with divisions and roots that are as inaccurate as Vulkan allows") {
    check_all(math_library::weak_functions(), false, some, false);
}

#ifdef __SSE2__
TEST_CASE("math library: with subnormal numbers flushed") {
    check_all(math_library::exact_functions(), true, some, false);
}
#endif

#ifdef FERRY_CONTRACTED_LIBRARY
TEST_CASE("math library: with contracted products") {
    if (__builtin_cpu_supports("fma") == 0) {
        MESSAGE("this processor has no FMA");
        return;
    }
    check_all(math_library::contracted_functions(), false, some, false);
}
#endif

TEST_CASE("math library: angles next to multiples of a right angle") {
    // Two numbers that are nearest to a multiple of pi / 2, one of float and one of double.
    std::vector<long double> angles{0x1.f37c8ap95L, 0x1.6ac5b262ca1ffp849L};
    for (int n = 1; n < 1400; ++n) {
        const long double angle = static_cast<long double>(n) * std::numbers::pi_v<long double> / 2;
        for (const long double side : {-1.0L, 0.0L, 1.0L}) {
            angles.push_back(angle * (1 + side * 0x1p-24L));
            angles.push_back(angle * (1 + side * 0x1p-53L));
        }
    }
    for (const Builtin& row : rows()) {
        if (row.name == "sin" || row.name == "cos" || row.name == "tan" || row.name == "sincos") {
            for (const Type type : row.types) {
                Check(row, find(math_library::exact_functions(), row.name), type, false).run(angles);
                Check(row, find(math_library::weak_functions(), row.name), type, false).run(angles);
            }
        }
    }
}

TEST_CASE("math library: a small term of fma decides a tie") {
    conformance::seed_random("fma");
    const Function& fused = find(math_library::exact_functions(), "fma");
    for (const Type type : float_types()) {
        // The product of two odd numbers has one bit more than the type.
        const int digits = type == Type::f32 ? 24 : 53;
        for (int i = 0; i < 2000; ++i) {
            const int bits = digits / 2 + 1;
            const auto one =
                static_cast<long double>(conformance::random_below(std::size_t{1} << (bits - 1)) * 2 + 1);
            const long double most = std::floor(std::scalbn(1.0L, digits + 1) / one);
            const long double other = most - (std::fmod(most, 2.0L) == 0 ? 1 : 0);
            const auto sign = static_cast<long double>(conformance::random_below(3)) - 1;
            const long double small =
                sign * std::scalbn(1.0L, -static_cast<int>(conformance::random_below(120)) - 1);
            const Value in[3] = {real(one), real(other), real(small)};
            Value out[2];
            fused.call(type, in, out);
            const bool is_float = type == Type::f32;
            const auto wanted =
                is_float
                    ? static_cast<long double>(std::fma(static_cast<float>(one), static_cast<float>(other),
                                                        static_cast<float>(small)))
                    : static_cast<long double>(std::fma(static_cast<double>(one), static_cast<double>(other),
                                                        static_cast<double>(small)));
            REQUIRE_MESSAGE(out[0].f == wanted, "fma for ", name_of(type), " of ", text_of(type, in[0]), ", ",
                            text_of(type, in[1]), ", ", text_of(type, in[2]), " gave ", text_of(type, out[0]),
                            ", not ", text_of(type, real(wanted)));
        }
    }
}

TEST_CASE("math library: the signs and special values of OpenCL C's edge cases") {
    for (const math_library::EdgeCase& edge : math_library::edge_cases()) {
        for (const Type type : float_types()) {
            const Value in[3] = {real(edge.x), real(edge.y), {}};
            const Value with_int[3] = {
                real(edge.x), integer(std::isfinite(edge.y) ? static_cast<Wide>(edge.y) : 0), {}};
            Value out[2];
            const std::string name(edge.name);
            const bool takes_int = name == "pown" || name == "rootn" || name == "ldexp";
            find(math_library::exact_functions(), name).call(type, takes_int ? with_int : in, out);
            const bool same =
                std::isnan(edge.wanted)
                    ? std::isnan(out[0].f)
                    : out[0].f == edge.wanted && std::signbit(out[0].f) == std::signbit(edge.wanted);
            CHECK_MESSAGE(same, name, " for ", name_of(type), " of ", text_of(type, in[0]), ", ",
                          text_of(type, in[1]), " gave ", text_of(type, out[0]), ", not ",
                          text_of(type, real(edge.wanted)));
        }
    }
}
