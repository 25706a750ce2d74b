// SPDX-License-Identifier: Apache-2.0
// An architecture unknown to hipRTC is refused before hipRTC gets it.
#include "hip/hip_comgr.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using ferry::hip::check_architecture;

TEST_CASE("an architecture that comgr does not list is an error that names it and the others") {
    const std::vector<std::string> known{"gfx900", "gfx90a"};
    check_architecture("gfx900", known);
    check_architecture("gfx90a:sramecc+:xnack-", known);
    check_architecture("gfx1100", {}); // no comgr is installed
    for (const std::string wrong : {"gfx1100", "gfx90", "gfx90ab", "gfx942:xnack+", "sm_90", "nonsense"}) {
        try {
            check_architecture(wrong, known);
            FAIL_CHECK(wrong, " was taken");
        } catch (const ferry::Error& error) {
            CHECK(error.code() == ferry::Code::build_failed);
            const std::string what = error.what();
            CHECK(what.find("'" + wrong + "'") != std::string::npos);
            CHECK(what.find("gfx900, gfx90a") != std::string::npos);
        }
    }
}

TEST_CASE("the comgr that is here, if one is, lists architectures and no triples") {
    for (const std::string& name : ferry::hip::known_architectures("libamdhip64.so.5")) {
        CHECK(name.starts_with("gfx"));
    }
}
