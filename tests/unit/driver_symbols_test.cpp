// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_symbols.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace driver_symbols_test {

using namespace ferry;

namespace {

struct Table {
    driver::Symbol<double(double)> cosine{"cos"};
    driver::Symbol<double(double)> first{"ferry_no_such_first"};
    driver::Symbol<double(double)> second{"ferry_no_such_second"};
    driver::Symbol<double(double)> whole{"sin"};
    driver::Symbol<double(double)> half{"tan"};
    driver::Symbol<double(double)> other_half{"ferry_no_such_half"};

    template <class F>
    void visit(F&& f) {
        f("required", cosine);
        f("required", first);
        f("whole", whole);
        f("halved", half);
        f("halved", other_half);
        f("required", second);
    }
};

} // namespace

TEST_CASE("a symbol table lists every missing function and switches features off as a whole") {
    constexpr std::array names{"libm.so.6"};
    std::vector<ferry::BackendReason> reasons;
    const backend::Library library = backend::Library::open(names, {}, "FERRY_TEST_LIBRARY", reasons);
    REQUIRE(library);
    Table table;
    const driver::Missing missing = driver::load(library, table);
    CHECK(missing.required == std::vector<std::string>{"ferry_no_such_first", "ferry_no_such_second"});
    CHECK(missing.features == std::vector<std::string>{"halved"});
    REQUIRE(table.cosine);
    CHECK(table.cosine(0.0) == 1.0);
    CHECK(table.whole);
    CHECK(!table.half);
    CHECK(!table.other_half);
    CHECK(!table.first);
}

} // namespace driver_symbols_test
