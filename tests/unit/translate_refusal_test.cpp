// SPDX-License-Identifier: Apache-2.0
// Features outside the language are rejected with their place and a reason.
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
    CHECK_MESSAGE(has(t.error, "k.cl:" + place + ":"), text, "\n", t.error);
    CHECK_MESSAGE(has(t.error, ": error: "), text, "\n", t.error);
    CHECK_MESSAGE(has(t.error, reason), text, "\n", t.error);
}

} // namespace

TEST_CASE("features outside the language are refused by name") {
    for (const auto& [word, reason] : std::vector<std::pair<std::string, std::string>>{
             {"pipe", "no pipes"},
             {"queue_t", "no kernels that enqueue kernels"},
             {"__generic", "no generic address space"},
             {"asm", "no assembler; keep this kernel in the vendor's own language"}}) {
        refused("// a comment\n__kernel void k(__global int* g) {\n    " + word + " x;\n}\n", "3:5", reason);
    }
    refused("__kernel void k(__global int* g) { enqueue_kernel(0); }", "1:36",
            "no kernels that enqueue kernels");
    refused("__kernel void k(__global int* g) { image2d_t x; }", "1:46", "an image can only be a parameter");
    refused("#define PICTURE image3d_t\n__kernel void k(read_only PICTURE p) {}", "2:35",
            "images; use a buffer");
}

TEST_CASE("calls that a kernel cannot make are refused") {
    refused("int f(int n) { return n ? f(n - 1) : 0; }\n__kernel void k(__global int* g) { *g = f(3); }",
            "1:5", "'f' calls itself");
    refused("int f(int n);\nint h(int n) { return f(n); }\nint f(int n) { return h(n); }\n"
            "__kernel void k(__global int* g) { *g = f(3); }",
            "3:5", "has no recursion");
    refused("__kernel void min(__global int* g) {}\n__kernel void b(__global int* g) { *g = min(*g, 3); }",
            "2:41", "'min' takes 1 argument");
    refused("void f(void) {}\nvoid f(void) {}\n__kernel void k(void) {}", "2:6", "'f' is defined twice");
    refused("__kernel void k(void) {}\n__kernel void k(void) {}", "2:15", "'k' is defined twice");
}

TEST_CASE("names that no kernel can have in OpenCL C are refused") {
    for (const char* const name : {"main", "printf", "as_uint", "as_float4"}) {
        refused("// a comment\n__kernel void " + std::string(name) + "(__global int* g) {}", "2:15",
                "a kernel cannot be called '" + std::string(name) + "' in OpenCL C");
    }
    for (const char* const name :
         {"vec_step", "NAN", "INFINITY", "HUGE_VAL", "kernel", "global", "local", "restrict"}) {
        refused("// a comment\n__kernel void " + std::string(name) + "(__global int* g) {}", "2", "");
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
    refused("__kernel void k(__global int* g) { __local }", "1", "");
    refused("__kernel void k(__global int* g) { __local int x }", "1", "");
}

TEST_CASE("pointers to functions are refused wherever they are declared") {
    const std::string reason = "the language has no pointers to functions";
    const std::string twice = "int twice(int a) { return 2 * a; }\n";
    const std::string kernel = "\n__kernel void k(__global int* g) {}";
    refused("int (*f)(int);" + kernel, "1:6", reason);
    refused(twice + "__kernel void k(__global int* g) {\n    int (*h)(int) = twice;\n    *g = h(3);\n}",
            "3:10", reason);
    refused(twice + in_kernel("int (* const h[2])(int) = {twice, twice};"), "2:58", reason);
    refused(twice + in_kernel("for (int (*h)(int) = twice; i; --i) *g = h(i);"), "2:63", reason);
    refused(twice + in_kernel("*g = (*twice)(i);"), "2:60", reason);
    refused(twice + in_kernel("*g = ((int (*)(int))twice)(i);"), "2:65", reason);
    refused("int apply(int (*f)(int), int a) { return f(a); }" + kernel, "1:16", reason);
    refused("int apply(int a, int f(int)) { return f(a); }" + kernel, "1:22", reason);
    refused("struct S {\n  int a;\n  void (*f)(struct S*);\n};" + kernel, "3:9", reason);
    refused("typedef int (*fn)(int);" + kernel, "1:14", reason);
    refused("typedef int fn(int);\n__kernel void k(__global int* g) { fn* h; }", "2", reason);
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
    refused("__kernel void k(__global int* g, int a[4]) {}", "1:38", "is a pointer to private memory");
    refused("__kernel void k(int* g) {}", "1:22", "must point to global, constant or local memory");
    refused("__kernel void k(__global int g) {}", "1:30", "a parameter is private");
    refused("__kernel void k(__global int* a,, int b) {}", "1:33", "expected a declaration");
    refused("__kernel __attribute__((reqd_work_group_size(8, 8))) void k(void) {}", "1:50",
            "expected ',' between the sizes");
    refused("__kernel __attribute__((reqd_work_group_size(8, 0, 1))) void k(void) {}", "1:49",
            "must be 1 to 4294967295");
    refused("__kernel __attribute__((reqd_work_group_size(8, N, 1))) void k(void) {}", "1:49",
            "no variable 'N'");
    CHECK(translated("typedef __global int* ints;\n__kernel void k(ints g) { *g = 1; }").error.empty());
}

TEST_CASE("objects in the wrong place are refused") {
    refused("__kernel void k(__global int* g) { __local int a = 3; }", "1:48", "cannot be initialized");
    refused("__kernel void k(__global int* g) { if (*g) { __local int a; } }", "1:58", "outermost block");
    refused("void f(void) { __local int a; }\n__kernel void k(void) { f(); }", "1:28",
            "can only be declared in a kernel");
    const std::string reason = "must be in constant memory";
    refused("int counter;\n__kernel void k(void) {}", "1:5", reason);
    refused("struct s { int i; };\nstruct s one;\n__kernel void k(void) {}", "2:10", reason);
    refused("union { int i; } a, b;\n__kernel void k(void) {}", "1:18", reason);
    for (const char* const type : {"struct s { char a; int b; }", "union { int i; float f; }",
                                   "struct __attribute__((packed)) s { char a; int b; }"}) {
        refused("\n" + std::string(type) + "\nPACKED;\n__kernel void k(void) {}", "3:1", "'PACKED'");
        CHECK(translated(std::string(type) + " __attribute__((aligned(16)));\n__kernel void k(void) {}")
                  .error.empty());
    }
    refused("enum { A, B } PACKED;\n__kernel void k(void) {}", "1:15", reason);
    CHECK(translated("struct s;\nstruct s { int i; };\nstruct s f(int i);\n"
                     "__constant struct s one = {1};\nconstant struct { int i; } t[2] = {{1}, {2}};\n"
                     "struct s f(int i) { struct s r = one; r.i += i; return r; }\n"
                     "__kernel void k(__global int* g) { *g = f(t[1].i).i; }")
              .error.empty());
}

TEST_CASE("a comma in a cast is an operator") {
    CHECK(translated(in_kernel("i = (int)(i, 3);")).error.empty());
    CHECK(translated("#define make (float)\n__kernel void k(float x) { x = make(x, 2.0f); }").error.empty());
}

TEST_CASE("texts that are no kernels are refused without harm") {
    CHECK(has(translated("").error, "k.cl:1:1: error: the file has no kernel"));
    CHECK(has(translated("int f(int a) { return a; }").error, "has no kernel"));
    CHECK(has(translated("__kernel void k(__global int* g);").error, "has no kernel"));
    CHECK(has(translated(".even global const f* r;").error, "error"));
    CHECK(has(translated("__kernel void k( {").error, "error"));
    CHECK(has(translated("__kernel void k(void) { ) }").error, "k.cl:1:25: error"));
    CHECK(has(translated("__kernel void k(void) { } }").error, "k.cl:1:27: error"));
    for (const char* const text : {"__attribute__ int f(int a) { return a; }\n__kernel void k(void) {}",
                                   "/ __attribute__ . ((x)) f(float2 v) {\n}\n__kernel void k(void) {}",
                                   "__kernel void k(void) { }\n__attribute__"}) {
        CHECK(has(translated(text).error, ": error: "));
    }
    const std::string deep = in_kernel(std::string(10000, '(') + "1" + std::string(10000, ')') + ";");
    CHECK(has(translated(deep).error, "k.cl:1:"));
    std::string garbage;
    for (unsigned i = 0, x = 1; i < 20000; ++i, x = x * 1664525u + 1013904223u) {
        garbage += static_cast<char>(x >> 24);
    }
    CHECK_FALSE(translated(garbage).error.empty());
    CHECK_FALSE(translated(std::string("\0\0__kernel", 10)).error.empty());
}

TEST_CASE("barriers that the host cannot split at are refused there and nowhere else") {
    const auto host = [](const std::string& text) { return translated(text, Dialect::host).error; };
    const std::string f = "int f(int a) { barrier(1); return a; }\n";
    const std::string early = "int f(int a) { if (a) return 1; barrier(1); return a; }\n";
    const std::string kernel = "__kernel void k(__global int* g) { ";
    for (const std::string& text :
         {in_kernel("switch (i) { case 1: barrier(1); }"), f + kernel + "while (*g || f(*g)) *g = 0; }",
          f + kernel + "*g = (*g = 3, abs(f(*g))); }", f + kernel + "if (*g) (*g = 7, *g = f(*g)); }",
          early + kernel + "*g = f(2); }",
          in_kernel("while (1) { barrier(1); if (i++ > 3) goto out; } out: i = 2;"),
          in_kernel("again: barrier(1); if (i++ < 3) goto again;"),
          in_kernel("barrier(1); { again: if (i++ < 3) goto again; } barrier(1);"),
          in_kernel("int a[][2] = {{i, 2}, 3, 4}; barrier(1); g[0] = a[1][0];")}) {
        CHECK_MESSAGE(host(text) == "", text);
        CHECK(translated(text, Dialect::cuda).error == "");
        CHECK(translated(text, Dialect::hip).error == "");
    }
    CHECK(has(host(in_kernel("{ in: i++; } barrier(1); if (i < 3) goto in;")),
              "k.cl:1:55: error: a goto that leads past a barrier into a block is not supported"));
    CHECK(has(host(in_kernel("switch (i) { case 1: while (g[0]) { case 2: barrier(1); } }")),
              ": error: a case within an if or a loop"));
    CHECK(has(host(in_kernel("i = ({ barrier(1); 3; });")), ": error: a barrier in a statement expression"));
}

TEST_CASE("an enum has the sign that its values need") {
    const std::string list = "struct s { int a; };\n#define SIZE sizeof(struct s)\n"
                             "enum e { A = SIZE - 9, B };\n__kernel void k(__global int* g) { ";
    for (const Dialect dialect : dialects) {
        CHECK(translated(list + "enum e x = B; *g = x; }", dialect).error == "");
        CHECK(translated("struct s { int a; };\nenum e { A = sizeof(struct s) };\n"
                         "__kernel void k(__global int* g) { enum e x = A; *g = x; }",
                         dialect)
                  .error == "");
    }
}

} // namespace translate_refusal_test
