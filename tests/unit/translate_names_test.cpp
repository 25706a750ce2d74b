// SPDX-License-Identifier: Apache-2.0
#include "translate/translate.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ferry::translate;

namespace {

Translation with(const std::string& expression, Dialect dialect) {
    const std::string text = "kernel void k(global float* p) { p[0] = " + expression + "; }\n";
    Request request;
    request.dialect = dialect;
    request.text = text;
    return translate(request);
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

TEST_CASE("names: those that begin with fy_ are the translator's") {
    for (const char* name : {"fy_x", "FY_FN", "fy_item"}) {
        CHECK(with(name, Dialect::host).error.find("names that begin with fy_ are reserved") !=
              std::string::npos);
    }
}
