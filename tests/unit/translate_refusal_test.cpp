// SPDX-License-Identifier: Apache-2.0
// Features outside the language of the host are rejected with their place and a reason. tests/opencl_c has
// the errors of other targets.
#include "translate_fixture.hpp"

#include <utility>
#include <vector>

namespace translate_refusal_test {

using namespace ferry::translate;
using namespace ferry::translate::testing;

namespace {

/// Checks that the text is rejected at that line and column, with these words in the message.
void refused(const std::string& text, const std::string& place, const std::string& reason) {
    const Translation t = translated(text);
    CHECK_MESSAGE(has(t.error, "k.cl:" + place + ": error: "), text, "\n", t.error);
    CHECK_MESSAGE(has(t.error, reason), text, "\n", t.error);
}

} // namespace

TEST_CASE("features outside the language are refused by name") {
    for (const auto& [word, reason] : std::vector<std::pair<std::string, std::string>>{
             {"image2d_t", "images; use a buffer"},
             {"sampler_t", "samplers; use a buffer"},
             {"pipe", "no pipes"},
             {"queue_t", "no kernels that enqueue kernels"},
             {"__generic", "no generic address space"},
             {"asm", "no assembler; keep this kernel in the vendor's own language"}}) {
        refused("// a comment\n__kernel void k(__global int* g) {\n    " + word + " x;\n}\n", "3:5",
                reason.substr(reason.starts_with("no ") ? 3 : 0));
    }
    refused("__kernel void k(__global int* g) { enqueue_kernel(0); }", "1:36",
            "kernels that enqueue kernels");
    refused("#define PICTURE image3d_t\n__kernel void k(read_only PICTURE p) {}", "2:17", "images");
}

TEST_CASE("calls that a kernel cannot make are refused") {
    refused("int f(int n) { return n ? f(n - 1) : 0; }\n__kernel void k(__global int* g) { *g = f(3); }",
            "1:5", "'f' calls itself");
    refused("int f(int n);\nint h(int n) { return f(n); }\nint f(int n) { return h(n); }\n"
            "__kernel void k(__global int* g) { *g = f(3); }",
            "2:5", "has no recursion");
    refused("__kernel void a(__global int* g) {}\n__kernel void b(__global int* g) { a(g); }", "2:15",
            "'b' calls the kernel 'a'");
    refused("__kernel void min(__global int* g) {}\n__kernel void b(__global int* g) { *g = min(*g, 3); }",
            "2:15",
            "'b' calls the kernel 'min'; if the built-in function is meant, give the kernel another name");
    refused("void f(void) {}\nvoid f(void) {}\n__kernel void k(void) {}", "2:6",
            "is defined in line 1 already");
    refused("__kernel void k(void) {}\n__kernel void k(void) {}", "2:15", "is defined in line 1 already");
}

TEST_CASE("names that no kernel can have in OpenCL C are refused") {
    for (const char* const name : {"main", "printf", "as_uint", "as_float4", "vec_step", "NAN", "INFINITY",
                                   "HUGE_VAL", "kernel", "global", "local", "restrict"}) {
        refused("// a comment\n__kernel void " + std::string(name) + "(__global int* g) {}", "2:15",
                "a kernel cannot be called '" + std::string(name) + "' in OpenCL C");
    }
    for (const char* const name : {"as_table", "maine", "print"}) {
        for (const Dialect dialect : dialects) {
            CHECK(translated("__kernel void " + std::string(name) + "(__global int* g) {}", dialect)
                      .error.empty());
        }
    }
}

TEST_CASE("a declaration of local memory that never ends is an error, not a look beyond the text") {
    // Shortened inputs that a fuzzer found.
    CHECK_FALSE(translated("__kernel void k(__global int* g) { __local }").kernels.empty());
    CHECK_FALSE(translated("__kernel void k(__global int* g) { __local int x }").text.empty());
}

TEST_CASE("pointers to functions are refused wherever they are declared") {
    const std::string reason = "the portable kernel language has no function pointers";
    const std::string twice = "int twice(int a) { return 2 * a; }\n";
    const std::string kernel = "\n__kernel void k(__global int* g) {}";
    refused("int (*f)(int);" + kernel, "1:5", reason);
    refused(twice + "__kernel void k(__global int* g) {\n    int (*h)(int) = twice;\n    *g = h(3);\n}",
            "3:9", reason);
    refused(twice + in_kernel("int (* const h[2])(int) = {twice, twice};"), "2:57", reason);
    refused(twice + in_kernel("for (int (*h)(int) = twice; i; --i) *g = h(i);"), "2:62", reason);
    refused(twice + in_kernel("*g = (*twice)(i);"), "2:58", reason);
    refused(twice + in_kernel("*g = ((int (*)(int))twice)(i);"), "2:64", reason);
    refused("int apply(int (*f)(int), int a) { return f(a); }" + kernel, "1:15", reason);
    refused("int apply(int a, int f(int)) { return f(a); }" + kernel, "1:23", reason);
    refused("struct S {\n  int a;\n  void (*f)(struct S*);\n};" + kernel, "3:8", reason);
    refused("typedef int (*fn)(int);" + kernel, "1:13", reason);
    refused("typedef int fn(int);" + kernel, "1:15", reason);
    refused("#define FN(name) int (*name)(int)\n__kernel void k(__global int* g) { FN(h); }", "2:36", reason);
}

TEST_CASE("a text that only looks like a pointer to a function is accepted") {
    for (const Dialect dialect : dialects) {
        const std::string error =
            translated("typedef int (*rows)[4];\ntypedef struct P { int a[sizeof(int)]; } P;\n"
                       "typedef struct P (*places)[2];\ntypedef char raw[sizeof(int)];\n"
                       "typedef int wide __attribute__((aligned(16)));\n"
                       "int first(int (*t)[4], int n) { return (*t)[n]; }\n"
                       "__kernel void k(__global int* g, int i) {\n"
                       "    int t[2][4]; int (*r)[4] = t; rows q = r; int* p = t[0];\n"
                       "    if (*p) (*g)++;\n    while (*p) (void)--*p;\n    switch (*p) (void)0;\n"
                       "    for (*p = 3; *p; --*p) (*g)++;\n"
                       "    *g = first(r, i) * (*p) + (*q)[1] + sizeof(*p) * (*p);\n}\n",
                       dialect)
                .error;
        CHECK_MESSAGE(error.empty(), error);
    }
}

TEST_CASE("parameters of kernels that cannot be passed are refused") {
    refused("typedef __global int* ints;\n__kernel void k(ints g) {}", "2:17",
            "hides a pointer in a typedef");
    refused("__kernel void k(__global int* g, int a[4]) {}", "1:34", "not an array");
    refused("__kernel void k(int* g) {}", "1:17", "needs __global, __constant or __local");
    refused("__kernel void k(__global int g) {}", "1:17", "must be a pointer");
    refused("__kernel void k(__global int* a,, int b) {}", "1:33", "is empty");
    refused("__kernel __attribute__((reqd_work_group_size(8, 8))) void k(void) {}", "1:25",
            "takes three positive integers");
    refused("__kernel __attribute__((reqd_work_group_size(8, 0, 1))) void k(void) {}", "1:25",
            "takes three positive integers");
    refused("__kernel __attribute__((reqd_work_group_size(8, N, 1))) void k(void) {}", "1:49",
            "is no integer constant");
}

TEST_CASE("objects in the wrong place are refused") {
    refused("__kernel void k(__global int* g) { __local int a = 3; }", "1:50", "cannot be initialised");
    refused("__kernel void k(__global int* g) { if (*g) { __local int a; } }", "1:46", "outermost block");
    refused("void f(void) { __local int a; }\n__kernel void k(void) { f(); }", "1:16", "outermost block");
    refused("int counter;\n__kernel void k(void) {}", "1:1", "must be __constant");
    refused("struct s { int i; };\nstruct s one;\n__kernel void k(void) {}", "2:1", "must be __constant");
    refused("union { int i; } a, b;\n__kernel void k(void) {}", "1:1", "must be __constant");
    for (const char* const type : {"struct s { char a; int b; }", "union { int i; float f; }",
                                   "struct __attribute__((packed)) s { char a; int b; }"}) {
        refused("\n" + std::string(type) + "\nPACKED;\n__kernel void k(void) {}", "3:1",
                "'PACKED' is meant as a macro for an attribute, it is not defined");
        CHECK(translated(std::string(type) + " __attribute__((aligned(16)));\n__kernel void k(void) {}")
                  .error.empty());
    }
    refused("enum { A, B } PACKED;\n__kernel void k(void) {}", "1:1", "must be __constant");
    CHECK(translated("struct s;\nstruct s { int i; };\nstruct s f(int i);\n"
                     "__constant struct s one = {1};\nconstant struct { int i; } t[2] = {{1}, {2}};\n"
                     "struct s f(int i) { struct s r = one; r.i += i; return r; }\n"
                     "__kernel void k(__global int* g) { *g = f(t[1].i).i; }")
              .error.empty());
    refused("int fy_a(int n) { return n; }\n__kernel void k(void) {}", "1:5", "reserved");
}

TEST_CASE("a comma that C++ would take for an operator is refused") {
    refused(in_kernel("i = (int)(i, 3);"), "1:62", "which is no vector type");
    refused("#define make (float)\n__kernel void k(float x) { x = make(x, 2.0f); }", "2:36",
            "the comma operator in a cast to 'float'");
}

TEST_CASE("texts that are no kernels are refused without harm") {
    CHECK(has(translated("").error, "k.cl:1:1: error: the file has no kernel"));
    CHECK(has(translated("int f(int a) { return a; }").error, "has no kernel"));
    CHECK(has(translated("__kernel void k(__global int* g);").error, "has no kernel"));
    CHECK(has(translated(".even global const f* r;").error, "error"));
    CHECK(has(translated("__kernel void k( {").error, "error"));
    CHECK(has(translated("__kernel void k(void) { ) }").error, "does not match"));
    CHECK(has(translated("__kernel void k(void) { } }").error, "closes nothing"));
    for (const char* const text : {"__attribute__ int f(int a) { return a; }\n__kernel void k(void) {}",
                                   "/ __attribute__ . ((x)) f(float2 v) {\n}\n__kernel void k(void) {}",
                                   "__kernel void k(void) { }\n__attribute__"}) {
        CHECK(has(translated(text).error, "'__attribute__' is not followed by '(('"));
    }
    const std::string deep = in_kernel(std::string(10000, '(') + "1" + std::string(10000, ')') + ";");
    CHECK(has(translated(deep).error, "nested deeper than 256 levels"));
    std::string garbage;
    for (unsigned i = 0, x = 1; i < 20000; ++i, x = x * 1664525u + 1013904223u) {
        garbage += static_cast<char>(x >> 24);
    }
    CHECK_FALSE(translated(garbage).error.empty());
    CHECK_FALSE(translated(std::string("\0\0__kernel", 10)).error.empty());
}

TEST_CASE("barriers that the host cannot split at are refused there and nowhere else") {
    const auto host = [](const std::string& text) { return translated(text, Dialect::host).error; };
    const std::string in_switch = in_kernel("switch (i) { case 1: barrier(1); }");
    const std::string in_condition = "int f(int a) { barrier(1); return a; }\n__kernel void k(__global int* "
                                     "g) { while (*g || f(*g)) *g = 0; }";
    const std::string behind_comma = "int f(int a) { barrier(1); return a; }\n"
                                     "__kernel void k(__global int* g) { *g = (*g = 3, abs(f(*g))); }";
    const std::string behind_head = "int f(int a) { barrier(1); return a; }\n"
                                    "__kernel void k(__global int* g) { if (*g) (*g = 7, *g = f(*g)); }";
    const std::string early = "int f(int a) { if (a) return 1; barrier(1); return a; }\n"
                              "__kernel void k(__global int* g) { *g = f(2); }";
    CHECK(has(host(in_switch), "k.cl:1:74: error: a barrier "));
    CHECK(has(host(in_condition), "k.cl:2:49: error: the host backend cannot split the function 'f'"));
    CHECK(has(host(behind_comma), "k.cl:2:54: error: the host backend cannot split the function 'f'"));
    CHECK(host(behind_head).empty());
    CHECK(has(host(early), "k.cl:2:41: error: the host backend cannot split the function 'f'"));
    const std::string far = in_kernel("while (1) { barrier(1); if (i++ > 3) goto out; } out: i = 2;");
    CHECK(has(host(far), "k.cl:1:90: error: a goto that leads past a barrier cannot be"));
    CHECK(host(in_kernel("barrier(1); { again: if (i++ < 3) goto again; } barrier(1);")).empty());
    CHECK(host(in_kernel("int a[][2] = {i, 2, 3, 4}; barrier(1); g[0] = a[1][0];")).empty());
    CHECK(has(host(in_kernel("int a[][2] = {{i, 2}, 3, 4}; barrier(1); g[0] = a[1][0];")),
              "write the number between its brackets"));
    const auto structs = [&](const std::string& values) {
        return host("struct s { int a, b; };\nstruct s f(int i) { struct s r = {i, 1}; return r; }\n"
                    "__kernel void k(__global int* g) {\n struct s p = f(3), *q = &p; int n = *g, m = n;\n"
                    "    struct s t[] = " +
                    values + "; barrier(1); g[0] = t[1].a; }");
    };
    for (const char* const values :
         {"{1, 2, 3, 4}", "{n, m, n, m + 1}", "{{1, 2}, {n}}", "{p, *q, q[0], f(n)}",
          "{max(n, m), (int)1.5f}", "{(struct s){n, m}, p}"}) {
        CHECK_MESSAGE(structs(values) == "", values);
    }
    for (const char* const values : {"{p, 1, 2}", "{{1, 2}, 3, 4}", "{q->a, p.b}", "{(n ? p : *q), p}"}) {
        CHECK_MESSAGE(
            has(structs(values), "k.cl:5:14: error: the host backend does not see how many elements 't' has"),
            values);
    }
    for (const std::string& text : {in_switch, in_condition, behind_comma, behind_head, early, far}) {
        CHECK(translated(text, Dialect::cuda).error == "");
        CHECK(translated(text, Dialect::hip).error == "");
    }
}

TEST_CASE("an enum of unclear sign is refused if it matters") {
    const std::string list = "struct s { int a; };\n#define SIZE sizeof(struct s)\n"
                             "enum e { A = SIZE - 9, B };\n__kernel void k(__global int* g) { ";
    refused(list + "enum e x = B; *g = x; }", "3:10", "whether 'A' is negative");
    for (const Dialect dialect : dialects) {
        CHECK(translated(list + "*g = B; }", dialect).error == "");
        CHECK(translated("struct s { int a; };\nenum e { A = sizeof(struct s) };\n"
                         "__kernel void k(__global int* g) { enum e x = A; *g = x; }",
                         dialect)
                  .error == "");
    }
    refused("struct s { int a; union { int i; float f; }; };\n"
            "__kernel void k(__global int* g) { struct s x = {.a = 1, .i = 2}; *g = x.i; }",
            "2:50", "the type that this designator belongs to is not clear");
}

TEST_CASE("a strided copy with an unknown local side is refused") {
    const std::string text = "void f(__global int* to, __global int* from) {\n"
                             "    async_work_group_strided_copy(to, from, 4, 2, 0);\n}\n"
                             "__kernel void k(__global int* g) { f(g, g); }";
    CHECK(has(translated(text, Dialect::host).error,
              "k.cl:2:5: error: the host cannot see which side of async_work_group_strided_copy"));
}

} // namespace translate_refusal_test
