// SPDX-License-Identifier: Apache-2.0
// The C++ that is emitted from the typed tree for CUDA and HIP. tests/kernels runs it.
#include "emit_cpp/emit.hpp"
#include "translate_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace emit_cpp_test {

using ferry::translate::Dialect;
using ferry::translate::Request;
using ferry::translate::Translation;
using ferry::translate::testing::has;
using ferry::translate::testing::user_text;

namespace {

Translation translated(std::string_view text, Dialect dialect = Dialect::hip, bool offsets = false) {
    Request request;
    request.dialect = dialect;
    request.name = "k.cl";
    request.text = text;
    request.offsets = offsets;
    return ferry::emit_cpp::Unit(request).translate();
}

/// The body of a kernel with these statements and a few parameters.
std::string body(const std::string& statements, const std::string& before = "") {
    const std::string text = before +
                             "kernel void k(global int* p, global float4* v, int i, uint u, float f) { " +
                             statements + " }";
    const std::string all = user_text(translated(text));
    const std::size_t begin = all.find('{', all.find("__global__"));
    return all.substr(std::min(begin, all.size()));
}

void check_body(const std::string& statements, const std::string& expected) {
    const std::string seen = body(statements);
    CHECK_MESSAGE(has(seen, expected), statements << "\n" << seen);
}

void check_refused(const std::string& text, std::string_view part, Dialect dialect = Dialect::hip) {
    const Translation t = translated(text, dialect);
    CHECK_MESSAGE(has(t.error, part), text << "\n" << t.error);
    CHECK(t.text.empty());
    CHECK(t.kernels.empty());
}

} // namespace

TEST_CASE("emit_cpp: a kernel with local memory") {
    const Translation t = translated("__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
                                     "void sum(__global const float* restrict in, __local float* part) {\n"
                                     "    part[get_local_id(0)] = in[get_global_id(0)];\n"
                                     "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                     "}\n");
    CHECK(has(user_text(t),
              "extern \"C\" __global__ void __launch_bounds__(64) sum(const float * __restrict__ v_in, "
              "unsigned int fy_at_v_part) { float *v_part = (float *)(fy_dyn + fy_at_v_part); "
              "FY_GROUP_IS(64, 1, 1); v_part[fy_local_id_x()] = v_in[fy_global_id_x()]; "
              "barrier(1u); }"));
    REQUIRE(t.kernels.size() == 1);
    CHECK(t.kernels[0].symbol == "sum");
    CHECK(t.kernels[0].any_order);
    CHECK(t.kernels[0].info.parameters.at(1).kind == ferry::ParameterKind::local);
}

TEST_CASE("emit_cpp: every conversion is written, and no operator has another meaning than in C") {
    check_body("p[0] = i < 3;", "v_p[0] = int(v_i < 3);");
    check_body("p[0] = (i < 3) + !i;", "v_p[0] = int(v_i < 3) + int(!v_i);");
    check_body("f = i;", "v_f = float(v_i);");
    check_body("p[0] = i << u;", "v_p[0] = v_i << (v_u & 31);");
    check_body("p[0] = i << 3;", "v_p[0] = v_i << 3;");
    check_body("p[0] = i - (u - 1);", "v_p[0] = int(uint(v_i) - (v_u - 1u));");
    check_body("char c = i; c += 200;", "char v_c = char(v_i); v_c += 200;");
    check_body("v[0] = (float4)(f, v[1].xyz);", "v_v[0] = float4(v_f, v_v[1].fy_get<0, 1, 2>());");
    check_body("v[0].xw = v[1].hi;", "v_v[0].fy_ref<0, 3>() = v_v[1].fy_get<2, 3>();");
    check_body("v[0].wzyx.x = f;", "v_v[0].w = v_f;");
    check_body("f = v[0].zw[1] + v->s3210[3];", "v_f = v_v[0].w + v_v->x;");
    check_body("v[0][i] = f;", "((float*)&v_v[0])[v_i] = v_f;");
    check_body("p[0] = i ? 1 : u ? 2 : 3;", "v_p[0] = v_i ? 1 : v_u ? 2 : 3;");
    check_body("bool b = f; b++;", "bool v_b = bool(v_f); [&](bool *fy_x) {");
    check_body("(int)f; i;", "(void)v_f; (void)v_i;");
    check_body("enum e { A, B }; p[0] = (enum e)(u & 7u) == A;", "int((v_u & 7u) == 0u)");
    check_body("enum e { A, B } t; while ((t = u) != B) ;", "(v_t = v_u) != 1u");
    check_body("long r = (i = 3, u);", "long v_r = long((v_i = 3, v_u))");
    check_body("f = (i++, i);", "v_f = float((v_i++, v_i))");
}

TEST_CASE("emit_cpp: names never clash with those of C++ or of the prelude") {
    check_body(
        "int class = 1, fy_vec = 2, max = 3; { int class = 4; p[0] = class; }",
        "int v_class = 1; int v_fy_vec = 2; int v_max = 3; { int v_class_2 = 4; v_p[0] = v_class_2; }");
    check_body("for (int i = 0; i < 3; ++i) { int i = 2; p[0] = i; }",
               "{ int v_i_2 = 0; for (; v_i_2 < 3; ++v_i_2) { int v_i_3 = 2; v_p[0] = v_i_3; } }");
    const std::string text = user_text(translated("constant float blur[2] = {1, 2};\n"
                                                  "void step(global float* x) { x[0] = blur[1]; }\n"
                                                  "kernel void c_blur(global float* x) { step(x); }\n"
                                                  "kernel void f_step(global float* x) { step(x); }\n"));
    CHECK(has(text, "c_blur_2[2]"));
    CHECK(has(text, "void f_step_2("));
    CHECK(translated("kernel void malloc(global float* x) { x[0] = 1; }").kernels.at(0).symbol ==
          "fy_k_malloc");
}

TEST_CASE("emit_cpp: a block that may be entered in its middle does not initialise") {
    check_body("switch (i) { case 1: ; int a = i; p[0] = a; }", "int v_a; v_a = v_i; v_p[0] = v_a;");
    check_body("int b = i; switch (i) { default: p[0] = b; }", "int v_b = v_i; switch");
    check_body("goto end; int c = 1; end: p[0] = c;", "goto l_end; int v_c; v_c = 1; l_end:; v_p[0] = v_c;");
    check_body("int d[3] = {1, [2] = 3}; p[0] = d[2];", "int v_d[3] = {1, {}, 3};");
}

TEST_CASE("emit_cpp: records have the layout of C, and unions begin with the member that constants set") {
    const std::string packed =
        body("struct s a; p[0] = a.x;", "struct __attribute__((packed)) s { char c; int x; };\n");
    CHECK(has(packed, "v_p[0] = v_a.m_x;"));
    const Translation t = translated("struct __attribute__((packed)) s { char c; int x; };\n"
                                     "typedef union { int i; float f; } either;\n"
                                     "constant either table[2] = {{.f = 1.0f}, {.f = 2.0f}};\n"
                                     "kernel void k(global struct s* a) { a->x = (int)table[1].f; }\n");
    const std::string text = user_text(t);
    CHECK(has(text, "struct __attribute__((packed, aligned(1))) s_s { char m_c; int m_x; };"));
    CHECK(has(text, "static_assert(sizeof(s_s) == 5"));
    CHECK(has(text, "union s_either { float m_f; int m_i; };"));
    CHECK(has(text, "__constant__ const s_either c_table[2] = {{1.0f}, {2.0f}};"));
}

TEST_CASE("emit_cpp: only reached functions and constants are emitted, before their users") {
    const std::string text = user_text(translated("constant int a[2] = {1, 2};\nconstant int unused = 3;\n"
                                                  "constant int* constant where = a + 1;\n"
                                                  "int later(int x);\nint idle(int x) { return x; }\n"
                                                  "kernel void k(global int* p) { p[0] = later(*where); }\n"
                                                  "int later(int x) { return x + 1; }\n"));
    CHECK(text.find("c_a[2]") < text.find("c_where"));
    CHECK(text.find("inline int f_later(int)") < text.find("__global__"));
    CHECK_FALSE(has(text, "unused"));
    CHECK_FALSE(has(text, "idle"));
}

TEST_CASE("emit_cpp: launches at an offset") {
    const std::string text =
        "size_t at(uint d) { return get_global_id(d); }\n"
        "kernel void k(global ulong* p) { p[get_global_id(0)] = at(1) + get_global_offset(0); }\n";
    const Translation t = translated(text, Dialect::cuda, true);
    const std::string seen = user_text(t);
    CHECK(has(seen, "k(ulong *v_p, const fy_origin fy_)"));
    CHECK(has(seen, "v_p[fy_moved_id_x(fy_)] = f_at(fy_, 1u) + fy_moved_by(fy_, 0u);"));
    CHECK(t.kernels.at(0).takes_offset);
    CHECK_FALSE(has(user_text(translated(text, Dialect::cuda)), "fy_origin"));
}

TEST_CASE("emit_cpp: printf with vectors") {
    check_body("printf(\"%d %v4hlf\\n\", i, v[0]);", "fy_printf(\"%d %f,%f,%f,%f\\012\", v_i, v_v[0]);");
    const Translation t = translated("kernel void k(int i) { printf(\"%d\", i); }");
    CHECK_FALSE(t.kernels.at(0).any_order);
}

TEST_CASE("emit_cpp: constructs without a form are errors at their place") {
    check_refused("kernel void k(global int* p) {\n  p[0] = work_group_reduce_add(p[0]);\n}", "k.cl:2:");
    check_refused("kernel void k(read_only image2d_t i) {}", "no images");
    check_refused("kernel void k(global int* p) {\n  p[0] = ({ return; 1; });\n}", "k.cl:2:");
    check_refused("kernel void k(global int* p) { p[0] = 1", "k.cl:1:");
    const std::string packed = "struct __attribute__((packed)) a { char c; float4 v; };\n";
    check_refused(packed + "kernel void k(global int* p,\n global struct a* q) { q->c = 1; }",
                  "k.cl:3:19: error: a struct with a vector cannot be packed");
    check_refused(packed + "struct b { struct a i; };\nkernel void k(global struct b* q) { q->i.c = 1; }",
                  "k.cl:3:");
    check_refused("int f(void) { return 1; }", "the file has no kernel");
}

TEST_CASE("emit_cpp: a compiler's message is moved to the user's line") {
    const Translation t = translated("kernel void k(global int* p) {\n    p[0] =\n        p[1] + 2;\n}\n");
    std::size_t line = 1;
    std::size_t at = t.text.find("v_p[0] = v_p[1]");
    REQUIRE(at != std::string::npos);
    line += static_cast<std::size_t>(
        std::count(t.text.begin(), t.text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    const std::size_t column = at - t.text.rfind('\n', at) + std::string("v_p[0] = ").size();
    const std::string log = "k:" + std::to_string(line) + ":" + std::to_string(column) + ": error: bad\n";
    CHECK_MESSAGE(has(t.explain(log, "k"), "k.cl:3:"), t.explain(log, "k"));
    Translation cached; // It has no positions.
    cached.text = t.text;
    cached.again = [&] { return t; };
    CHECK(cached.explain(log, "k") == t.explain(log, "k"));
}

} // namespace emit_cpp_test
