// SPDX-License-Identifier: Apache-2.0
// A kernel's first test may split a row into two ends and a middle on the host. This checks the accepted
// forms of that test, and the kernels whose groups run side by side as one.
#include "translate_fixture.hpp"

namespace translate_guard_test {

using namespace ferry::translate::testing;

namespace {

enum class Form {
    none,  ///< no guard: each item runs the whole kernel
    tests, ///< all items between the ends are tested
    ends,  ///< only the ends are tested
};

Form form_of(const std::string& before, const std::string& condition, bool leaves = false) {
    const std::string text =
        user_text("__kernel void k(__global int* g, int n, uint m) { " + before + " if (" + condition + ") " +
                  (leaves ? "return; g[get_global_id(0)] = 1;" : "{ g[get_global_id(0)] = 1; }") + " }");
    return !has(text, "fy_stays_k")  ? Form::none
           : has(text, "fy_all_k (") ? Form::tests
           : has(text, "fy_all_k(")  ? Form::tests
                                     : Form::ends;
}

bool merges(const std::string& body, const std::string& parameters = "__global int* g",
            const std::string& functions = "") {
    return !has(user_text(functions + "__kernel void k(" + parameters + ") { " + body + " }"), "fy_group_k");
}

} // namespace

TEST_CASE("a guard is tested at the ends of a row if the remaining items are neighbours") {
    const std::string x = "int x = get_global_id(0), y = get_global_id(1);";
    for (const char* condition :
         {"x < n", "n > x", "x >= 3 && x <= n", "x > 0 && x < n - 1 && y > 0 && y < n - 1", "x + 1 < n",
          "x == 3", "(x < n && (y < n || y > 5))", "get_global_id(0) < m", "y != 3 && x < n", "x < min(n, 7)",
          "x < n << 1"}) {
        CAPTURE(condition);
        CHECK(form_of(x, condition) == Form::ends);
    }
    for (const char* condition :
         {"x >= n", "x < 3 || x > n", "x != 3", "x >= n || y >= n", "(x >= n) || (y == 3)"}) {
        CAPTURE(condition);
        CHECK(form_of(x, condition, true) == Form::ends);
    }
    CHECK(form_of("const uint x = get_global_id(0);", "x < m") == Form::ends);
    CHECK(form_of("size_t a = get_global_id(0), x = a;", "x < m") == Form::ends);
}

TEST_CASE("a guard is tested by every item if they may not be neighbours") {
    const std::string x =
        "int x = get_global_id(0), y = get_global_id(1), z = x * 2; uchar c = get_global_id(0);";
    for (const char* condition :
         {"x != 3", "x < 3 || x > n", "x % 2 == 0", "x < n | y < n", "z < n", "c < n", "x < y + x", "-x > n",
          "y < n ? x < 3 : x > 3", "!(x == 3)", "x < n == y < n", "min(x, n) < n", "x - 1 < n"}) {
        CAPTURE(condition);
        CHECK(form_of(x, condition) == Form::tests);
    }
    for (const char* condition : {"x == 3", "x >= 3 && x <= n", "x < n && y < n"}) {
        CAPTURE(condition);
        CHECK(form_of(x, condition, true) == Form::tests);
    }
    CHECK(form_of("uint d = 1; uint x = get_global_id(d);", "x < m") == Form::tests);
}

TEST_CASE("groups run side by side if the kernel does not distinguish them") {
    CHECK(merges(
        "g[get_global_id(0)] = get_global_size(0) + get_local_size(0) + get_group_id(1) + get_local_id(2);"));
    CHECK(merges("int x = get_global_id(0); if (x < 5) g[x] = f(x);", "__global int* g",
                 "int f(int x) { return x + (int)get_global_id(1); } "));
    CHECK(!merges("g[get_local_id(0)] = 1;"));
    CHECK(!merges("g[get_global_id(0)] = get_group_id(0);"));
    CHECK(!merges("g[get_global_id(0)] = get_sub_group_id();"));
    CHECK(!merges("uint d = 1; g[get_global_id(0)] = get_group_id(d);"));
    CHECK(!merges("g[get_global_id(0)] = f();", "__global int* g",
                  "int h(void) { return get_local_id(0); } int f(void) { return h(); } "));
    CHECK(!merges("l[get_global_id(0) % 4] = 1; g[get_global_id(0)] = l[get_global_id(0) % 4];",
                  "__global int* g, __local int* l"));
    CHECK(!merges("barrier(1); g[get_global_id(0)] = 1;"));
}

} // namespace translate_guard_test
