// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/emit.hpp"

#include <doctest/doctest.h>

#include <string>

namespace translate_names_test {

using namespace ferry::translate;

namespace {

Translation with(const std::string& expression, Dialect dialect) {
    const std::string text = "kernel void k(global float* p) { p[0] = " + expression + "; }\n";
    Request request;
    request.dialect = dialect;
    request.text = text;
    return ferry::emit_cpp::translate(request);
}

} // namespace

TEST_CASE("names: every predefined constant can be used") {
    for (const Dialect dialect : {Dialect::cuda, Dialect::hip, Dialect::host}) {
        for (const char* name : {"NAN", "INFINITY", "HUGE_VALF", "HUGE_VAL", "MAXFLOAT", "FLT_MIN", "DBL_MAX",
                                 "M_PI_F", "M_PI", "CHAR_MIN", "LONG_MIN", "ULONG_MAX", "FP_ILOGBNAN"}) {
            CAPTURE(name);
            CHECK(with(name, dialect).error == "");
        }
    }
}

TEST_CASE("names: a kernel called like a function that compilers declare of themselves has another symbol") {
    for (const char* name : {"rhypot", "cyl_bessel_i0", "cyl_bessel_i0f", "cyl_bessel_i1", "cyl_bessel_i1f",
                             "fdivide", "fdividef", "sincospi", "sincospif"}) {
        CAPTURE(name);
        Request request;
        request.dialect = Dialect::cuda;
        const std::string text = "kernel void " + std::string(name) + "(global float* p) { p[0] = 1; }\n";
        request.text = text;
        const Translation translation = ferry::emit_cpp::translate(request);
        REQUIRE(translation.kernels.size() == 1);
        CHECK(translation.kernels[0].info.name == name);
        CHECK(translation.kernels[0].symbol == "fy_k_" + std::string(name));
    }
}

} // namespace translate_names_test
