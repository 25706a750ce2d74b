// SPDX-License-Identifier: Apache-2.0
#include "translate_fixture.hpp"

#include <algorithm>
#include <vector>

namespace translate_test {

using namespace ferry;
using namespace ferry::translate;
using namespace ferry::translate::testing;

namespace {

const ParameterInfo& parameter(const Translation& t, std::size_t n) {
    REQUIRE(t.kernels.size() == 1);
    REQUIRE(n < t.kernels[0].info.parameters.size());
    return t.kernels[0].info.parameters[n];
}

} // namespace

TEST_CASE("reflection gives names, types, kinds and sizes") {
    for (const Dialect dialect : dialects) {
        const Translation t =
            translated("typedef float real;\ntypedef struct { int a; float4 b; } item;\n"
                       "#define OUT __global real*\n"
                       "__kernel __attribute__((reqd_work_group_size(16 / 2, (2), 1 << 2)))\n"
                       "void work(const OUT restrict out, __constant uchar3* table,\n"
                       "          __local int* scratch, const double4 v, real r, item s,\n"
                       "          unsigned int n, __global const item* items) {}",
                       dialect);
        CHECK_MESSAGE(t.error.empty(), t.error);
        REQUIRE(t.kernels.size() == 1);
        const KernelInfo& info = t.kernels[0].info;
        CHECK(info.name == "work");
        CHECK(info.parameters_known);
        CHECK(info.required_local[0] == 8);
        CHECK(info.required_local[1] == 2);
        CHECK(info.required_local[2] == 4);
        REQUIRE(info.parameters.size() == 8);
        CHECK(parameter(t, 0).name == "out");
        CHECK(parameter(t, 0).kind == ParameterKind::buffer);
        CHECK(parameter(t, 0).type_name == "real*");
        CHECK(parameter(t, 1).kind == ParameterKind::buffer);
        CHECK(parameter(t, 1).type_name == "uchar3*");
        CHECK(parameter(t, 2).kind == ParameterKind::local);
        CHECK(parameter(t, 3).kind == ParameterKind::value);
        CHECK(parameter(t, 3).bytes == 32);
        CHECK(parameter(t, 4).type_name == "real");
        CHECK(parameter(t, 4).bytes == 4);
        CHECK(parameter(t, 5).type_name == "item");
        CHECK(parameter(t, 5).bytes == 32);
        CHECK(parameter(t, 6).type_name == "unsigned int");
        CHECK(parameter(t, 6).bytes == 4);
        CHECK(parameter(t, 7).type_name == "item*");
    }
}

TEST_CASE("kernels may have no parameters, a hundred, long names, names of functions and of keywords") {
    std::string many = "__kernel void many(";
    for (int i = 0; i < 100; ++i) {
        many += (i == 0 ? "int a" : ", int a") + std::to_string(i);
    }
    const std::string name(1500, 'n');
    for (const Dialect dialect : dialects) {
        const Translation t = translated("__kernel void none(void) {}\n__kernel void empty() {}\n" + many +
                                             ") {}\n__kernel void " + name +
                                             "(int p) {}\n__kernel void dot(int p) {}\n"
                                             "__kernel void template(int class) {}",
                                         dialect);
        CHECK_MESSAGE(t.error.empty(), t.error);
        REQUIRE(t.kernels.size() == 6);
        CHECK(t.kernels[0].info.parameters.empty());
        CHECK(t.kernels[1].info.parameters.empty());
        CHECK(t.kernels[2].info.parameters.size() == 100);
        CHECK(t.kernels[3].info.name == name);
        CHECK(t.kernels[4].info.name == "dot");
        CHECK(t.kernels[5].info.name == "template");
        CHECK(t.kernels[5].symbol != "template");
        CHECK(t.kernels[5].info.parameters[0].name == "class");
    }
}

TEST_CASE("vector literals, swizzles and halves become functions of the prelude") {
    const std::string text =
        user_text(in_kernel("v = (float4)(1.0f, v.zy, 2.0f); v.xz = v.s32; v.hi = v.lo; v.xy.y = v.s3;"));
    CHECK(has(text, "float4(1.0f, v_v.fy_get<2, 1>(), 2.0f)"));
    CHECK(has(text, "v_v.fy_ref<0, 2>() = v_v.fy_get<3, 2>()"));
    CHECK(has(text, "v_v.fy_ref<2, 3>() = v_v.fy_get<0, 1>()"));
    CHECK(has(text, "v_v.y = v_v.w"));
    CHECK(has(user_text(in_kernel("int4 w = i; w.xy++; ++w.zw; w.even--;")), "v_w.fy_ref<0, 1>()++"));
}

TEST_CASE("a swizzle brings the width that it makes, and no other") {
    const auto widths = [](std::string_view statements, std::string_view before = "") {
        const std::string text = std::string(before) + in_kernel(statements);
        const Translation t = translated(text);
        CHECK_MESSAGE(t.error.empty(), t.error);
        std::string found;
        for (const char* width : {"2", "3", "4", "8", "16"}) {
            found += has(t.text, "FY_VECTOR(" + std::string(width) + ", ") ? width + std::string(" ") : "";
        }
        return found;
    };
    CHECK(widths("g[0] = (int)v.x;") == "4 ");
    CHECK(widths("g[0] = (int)dot(v.xyz, v.wwx);") == "3 4 ");
    CHECK(widths("v.zw *= 2.0f;") == "2 4 ");
    CHECK(widths("g[0] = (int)fabs(v.s01230123).s6;") == "4 8 ");
    CHECK(widths("g[0] = (int)fabs(v.s0123012301230123).sF;") == "4 16 ");
    CHECK(widths("R r = {1}; g[0] = r.xy + (int)v.xy.x;", "typedef struct { int xy; } R;\n") == "4 ");
}

TEST_CASE("on GPUs a dimension that the text says is no argument") {
    const std::string text = in_kernel(
        "g[get_global_id(0)] = get_local_size(1) + get_group_id(2) + get_local_id(i) + get_num_groups(3);");
    for (const Dialect dialect : {Dialect::cuda, Dialect::hip}) {
        CHECK(has(user_text(text, dialect), "g[fy_global_id_x()] = int(fy_local_size_y() + fy_group_id_z() + "
                                            "get_local_id(uint(v_i)) + get_num_groups(3u)"));
    }
    CHECK_FALSE(has(user_text(text, Dialect::host), "fy_global_id_x"));
    CHECK(has(user_text(in_kernel("\n#define D 0\n g[get_global_size(D)] = 1;"), Dialect::cuda),
              "fy_global_size_x()"));
}

TEST_CASE("CUDA's compiler gets the group size that a kernel requires") {
    const std::string text = "__attribute__((reqd_work_group_size(16, 2, 1))) " + in_kernel("");
    CHECK(has(user_text(text, Dialect::cuda), "__launch_bounds__(32) k("));
    CHECK(has(user_text(text, Dialect::cuda), "FY_GROUP_IS(16, 2, 1);"));
    CHECK_FALSE(has(user_text(in_kernel(""), Dialect::cuda), "FY_GROUP_IS"));
}

TEST_CASE("members of structs that are named like swizzles stay members") {
    const std::string text = user_text(
        "typedef struct { int lo, xy, s1; } range;\n" +
        in_kernel("range r = {1, 2, 3}; range* p = &r; r.lo = v.hi.x; g[r.xy] = p->s1; v.lo += v.xy;"));
    CHECK(has(text, "v_r.m_lo = int(v_v.z)"));
    CHECK(has(text, "v_g[v_r.m_xy] = v_p->m_s1"));
    CHECK(has(text, "v_v.fy_ref<0, 1>() += v_v.fy_get<0, 1>()"));
}

TEST_CASE("the words of C++ are names, and builtins may be shadowed") {
    const std::string text =
        user_text("int max(int a, int b) { return a + b; }\n"
                  "__kernel void k(__global int* new) { int this = 1; new[0] = max(this, 2); }");
    CHECK(has(text, "int v_this = 1; v_new[0] = f_max(v_this, 2);"));
    CHECK(has(user_text(in_kernel("g[0] = sizeof('a') + sizeof(i < 3);")), "4ul + 4ul"));
}

TEST_CASE("a declared function's name may be in parentheses") {
    const std::string text =
        user_text("#define MAKE(name) int (name)(int a) { return a; }\nMAKE(f)\nint *(g)(int *p);\n"
                  "__kernel void k(__global int* to) { to[0] = f(2); }");
    CHECK(has(text, "int f_f(int v_a) {"));
}

TEST_CASE("the count of a shift is less than the width") {
    CHECK(has(user_text(in_kernel("i = i << g[0];")), "v_i << (v_g[0] & 31)"));
    CHECK(has(user_text(in_kernel("i >>= i + 1;")), "v_i >>= (v_i + 1 & 31)"));
    CHECK(has(user_text(in_kernel("i = i << 3 >> 31;")), "v_i << 3 >> 31"));
    CHECK(has(user_text(in_kernel("i = i << 32;")), "v_i << (32 & 31)"));
}

TEST_CASE("conditional operators that may have a vector condition are calls") {
    CHECK(has(user_text(in_kernel("v = v > 1.0f ? v : -v;")), "fy_choose"));
    CHECK_FALSE(has(user_text(in_kernel("i = v.x > 1.0f ? i : -i;")), "fy_choose"));
    CHECK_FALSE(has(user_text(in_kernel("i = any(v > 1.0f) ? i : -i;")), "fy_choose"));
    CHECK_FALSE(has(user_text(in_kernel("i = i ? i : g[i] ? 1 : 2;")), "fy_choose"));
}

TEST_CASE("printf of vectors has a conversion for each component") {
    CHECK(has(user_text(in_kernel("printf(\"%d %5.2v4hlf %%v2d\\n\", i, v);")),
              "fy_printf(\"%d %5.2f,%5.2f,%5.2f,%5.2f %%v2d\\012\""));
    CHECK(has(user_text(in_kernel("printf(\"%v\", v);")), "fy_printf"));
    CHECK_FALSE(has(user_text(in_kernel("printf(\"%f\\n\", v.x);")), "fy_printf"));
}

TEST_CASE("designated initialisers are put in order") {
    const std::string type = "typedef struct { int a, b[2]; float4 c; } record;\n"
                             "typedef union { int whole; float4 part; } either;\n";
    const auto made = [&](const std::string& statement) {
        std::string text = user_text(type + in_kernel(statement));
        std::erase(text, ' ');
        return text;
    };
    CHECK(has(made("record r = {.c = v, .a = 1}; g[0] = r.a;"), "{1,{},v_v}"));
    CHECK(has(made("int t[] = {[2] = 5, [0] = 1}; g[0] = t[i];"), "[3]={1,{},5}"));
    CHECK(has(made("record r = {.b[1] = 3}; g[0] = r.a;"), "{{},{{},3}}"));
    CHECK(has(made("record s = {3}, r[] = {[1].b = {4}, [1].a = 2, [0] = s}; g[0] = r[0].a;"),
              "[2]={v_s,{2,{4}}}"));
    CHECK(has(made("record r[2] = {{.b = {[1] = 6}}, {7}}; g[0] = r[0].a;"), "{{{},{{},6}},{7}}"));
    CHECK(has(made("record r = {1, 2, .c = v}; g[0] = r.a;"), "{1,{2},v_v}"));
    CHECK(has(made("either e = {.part = v}; g[0] = e.whole;"), "v_e.m_part=v_v"));
    for (const std::string list : {"{1, 2, 3, .c = v}", "{.b[0] = 1, 2}", "{.b = {1}, .b[1] = 2}"}) {
        CHECK_MESSAGE(translated(type + in_kernel("record r = " + list + "; g[0] = r.a;")).error.empty(),
                      list);
    }
    for (const std::string list : {"{.b[i] = 2}", "{.b[70000] = 2}", "{.d = 2}", "{.a = 2, [1] = 3}"}) {
        CHECK_MESSAGE(
            has(translated(type + in_kernel("record r = " + list + "; g[0] = r.a;")).error, "k.cl:3:"), list);
    }
    const std::string constant =
        type + "__constant either e = {.part = 1.0f};\n" + in_kernel("g[0] = e.whole;");
    CHECK(translated(constant).error.empty());
}

TEST_CASE("an assignment to a swizzle of a swizzle, or in parentheses, reaches the vector") {
    const auto made = [](const std::string& statement) {
        std::string text = user_text(in_kernel("int4 w = i; " + statement));
        std::erase(text, ' ');
        return text;
    };
    CHECK(has(made("v.lo.y = 1;"), "v_v.y=float(1)"));
    CHECK(has(made("v.zw.lo += 1;"), "v_v.z+=float(1)"));
    CHECK(has(made("i = v.lo.x == v.xyz.hi.x;"), "v_v.x==v_v.z"));
    CHECK(has(made("(v.xy) = v.zw;"), "v_v.fy_ref<0,1>()=v_v.fy_get<2,3>()"));
    CHECK(has(made("((v.hi)) *= 2;"), "v_v.fy_ref<2,3>()*="));
    CHECK(has(made("--(w.zyx.lo.y);"), "--v_w.y"));
    CHECK(has(made("if (v.x > 1) v.lo.yx = 2;"), "v_v.fy_ref<1,0>()="));
}

TEST_CASE("functions with barriers are put into the host's kernels") {
    const std::string text =
        "float sum(__local float* a, float n) {\n    a[0] += n;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n    return a[0];\n}\n"
        "__kernel void k(__global float* g, __local float* b) { float n = 2 * sum(b, *g); *g = n; }";
    const std::string host = user_text(text);
    CHECK_FALSE(has(host, "sum"));
    CHECK_FALSE(has(host, "barrier"));
    CHECK(has(user_text(text, Dialect::cuda), "sum("));
    CHECK_FALSE(has(user_text(text.substr(0, text.find("__kernel")) + in_kernel("*g = i;")), "sum"));
    for (const std::string head : {"while", "switch"}) {
        const std::string hoisted = user_text(
            text.substr(0, text.find("__kernel")) +
            "__kernel void k(__global float* g, __local float* b) {\n    " + head + " ((int)sum(b, *g)) " +
            (head == "switch" ? "{ case 1: *g = 1; }\n}\n" : "{ *g = 1; }\n}\n"));
        CHECK_FALSE(has(hoisted, "sum"));
    }
}

TEST_CASE("messages of the compilers point into the user's file") {
    const std::string source =
        "// line 1\n__kernel void k(__global int* g, int wrong) {\n    g[0] = wrong;\n}\n";
    const Translation t = translated(source);
    REQUIRE(t.error.empty());
    const std::size_t at = t.text.find("v_wrong;");
    REQUIRE(at != std::string::npos);
    const std::size_t begin = t.text.rfind('\n', at) + 1;
    const std::string line = std::to_string(
        std::count(t.text.begin(), t.text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
    const std::string column = std::to_string(at - begin + 1);
    const std::string shown = t.text.substr(begin, t.text.find('\n', at) - begin);
    const std::string indent(at - begin - std::min(shown.find_first_not_of(' '), at - begin), ' ');
    for (const std::string& log :
         {"x.cu:" + line + ":" + column + ": error: 'wrong' was not declared\n   12 | " + shown + "\n",
          "x.cu:" + line + ":" + column + ": error: 'wrong' was not declared\n" + shown + "\n   ^\n",
          "x.cu(" + line + "): error: 'wrong' was not declared\n  " +
              shown.substr(shown.find_first_not_of(' ')) + "\n  " + indent + "^\n"}) {
        const std::string said = t.explain(log, "x.cu");
        CHECK_MESSAGE(has(said, "k.cl:3:12: error: 'wrong' was not declared"), log, "\n->\n", said);
        CHECK(has(said, "    g[0] = wrong;"));
    }
    CHECK(t.explain("", "x.cu").empty());
    CHECK(t.explain("ld: cannot find -lx\n", "x.cu") == "ld: cannot find -lx");
    CHECK(has(t.explain("x.cu:999999:1: error: far\n", "x.cu"), "far"));
}

TEST_CASE("messages of the compilers about the prelude point to the user's line") {
    const Translation t =
        translated("__kernel void k(__global float4* v) {\n    v[0] = cross(v[1], v[2]);\n}\n");
    const auto place = [&](const char* what) {
        const std::size_t at = t.text.find(what);
        REQUIRE(at != std::string::npos);
        const auto begin = t.text.begin() + static_cast<std::ptrdiff_t>(at);
        return std::pair(std::to_string(1 + std::count(t.text.begin(), begin, '\n')),
                         std::to_string(at - t.text.rfind('\n', at)));
    };
    const auto [line, column] = place("cross(v_v[1]");
    const auto [hidden, hidden_column] = place("struct fy_vec");
    const std::string user = "x.cu:" + line + ":" + column + ": ";
    const std::string prelude = "x.cu:" + hidden + ":" + hidden_column + ": ";
    const std::string in_prelude = "<ferry prelude>:" + hidden;
    const std::string first = "k.cl:2:12: error: bad vector\n        v[0] = cross(v[1], v[2]);\n";
    for (const std::string& log :
         {"x.cu: In instantiation of 'struct fy_vec4<float>':\n" + user + "  required from here\n" + prelude +
              "error: bad vector\n   12 | struct fy_vec\n      | ^\n",
          prelude + "error: bad vector\nstruct fy_vec\n^\n" + user + "note: in instantiation of fy_vec4\n",
          "x.cu(" + hidden +
              "): error: bad vector\n  struct fy_vec\n  ^\n          detected during:\n"
              "            instantiation of class \"fy_vec4\" at line " +
              line + "\n"}) {
        const std::string said = t.explain(log, "x.cu");
        INFO(log, "\n->\n", said);
        const bool has_column = log.find("at line") == std::string::npos;
        CHECK(said.starts_with(has_column ? first : "k.cl:2: error: bad vector\n        v[0] = cross("));
        CHECK(has(said, in_prelude));
        CHECK_FALSE(has(said, "x.cu:"));
        CHECK_FALSE(has(said, "x.cu("));
        CHECK_FALSE(has(said, "at line"));
    }
    // No line of the user's text leads there.
    CHECK(t.explain(prelude + "warning: odd\n", "x.cu")
              .starts_with(in_prelude + ":" + hidden_column + ": warning: odd"));
}

} // namespace translate_test
