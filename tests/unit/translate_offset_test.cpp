// SPDX-License-Identifier: Apache-2.0
// Kernels that support launches with an offset.
#include "translate/declared.hpp"
#include "translate_fixture.hpp"

#include <ferry/compile.hpp>
#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace translate_offset_test {

using namespace ferry;
using namespace ferry::translate;
using namespace ferry::translate::testing;

namespace {

constexpr const char* text = "size_t far(uint d) { return get_global_id(d); }\n"
                             "uint other(uint d) { return get_local_id(d) + d; }\n"
                             "uint deaf(uint d) { return 2 * d; }\n"
                             "__kernel void work(__global ulong* out, __local uint* part, uint n) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    part[get_local_id(0)] = other(get_work_dim());\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    out[i - get_global_offset(0)] = far(1) + deaf(n) + part[0];\n"
                             "}\n"
                             "__kernel void none(void) {}\n";

Translation with_offsets(std::string_view source, Dialect dialect) {
    Request request;
    request.dialect = dialect;
    request.name = "k.cl";
    request.text = source;
    request.offsets = true;
    return emit_cpp::translate(request);
}

std::string without_blanks(std::string cpp) {
    std::erase_if(cpp, [](char c) { return c == ' ' || c == '\n'; });
    return cpp;
}

} // namespace

TEST_CASE("offsets: programs without offsets are unchanged") {
    for (const Dialect dialect : dialects) {
        const Translation t = translated(text, dialect);
        CHECK_MESSAGE(t.error.empty(), t.error);
        CHECK_FALSE(has(t.text, "fy_origin"));
        CHECK_FALSE(has(t.text, "fy_moved"));
        CHECK_FALSE(has(t.text, "#define FY_OFFSETS"));
        CHECK(has(t.text, "fy_this_module = {FY_ABI(4),") == (dialect == Dialect::host));
        CHECK_FALSE(t.kernels.at(0).takes_offset);
    }
}

TEST_CASE("offsets: on GPUs a last parameter is passed to functions that use the ids") {
    for (const Dialect dialect : {Dialect::cuda, Dialect::hip}) {
        const Translation t = with_offsets(text, dialect);
        CHECK_MESSAGE(t.error.empty(), t.error);
        REQUIRE(t.kernels.size() == 2);
        CHECK(t.kernels[0].takes_offset);
        CHECK(t.kernels[1].takes_offset);
        CHECK(t.kernels[0].info.parameters.size() == 3);
        CHECK(t.kernels[1].info.parameters.empty());
        const std::string cpp = without_blanks(t.text);
        CHECK(has(cpp, "f_far(constfy_originfy_,uintv_d){returnfy_moved_id(fy_,v_d);"));
        CHECK(has(cpp, "f_other(uintv_d){")); // It does not use the offset.
        CHECK(has(cpp, "f_deaf(uintv_d){"));
        CHECK(has(cpp, "uintv_n,constfy_originfy_){"));
        CHECK(has(cpp, "none(constfy_originfy_){"));
        CHECK(has(cpp, "ulongv_i=fy_moved_id_x(fy_);"));
        CHECK(has(cpp, "v_part[fy_local_id_x()]=f_other(fy_moved_dim(fy_));"));
        CHECK(has(cpp, "v_out[v_i-fy_moved_by(fy_,0u)]=f_far(fy_,1u)+"));
    }
}

TEST_CASE("offsets: on the host the group has it, and the module says so") {
    const Translation t = with_offsets(text, Dialect::host);
    CHECK_MESSAGE(t.error.empty(), t.error);
    CHECK(has(t.text, "#define FY_OFFSETS 1\n"));
    CHECK(has(t.text, "fy_this_module = {FY_ABI(5),"));
    CHECK_FALSE(t.kernels.at(0).takes_offset);
}

TEST_CASE("offsets: the parameter is hidden from the user, and must exist") {
    TranslatedKernel kernel;
    kernel.info.name = "k";
    kernel.takes_offset = true;
    kernel.info.parameters.resize(1);
    kernel.info.parameters[0].kind = ParameterKind::value;
    kernel.info.parameters[0].bytes = 4;
    KernelInfo compiled;
    compiled.parameters_known = true;
    compiled.parameters.resize(2);
    compiled.parameters[0].bytes = 4;
    compiled.parameters[1].bytes = 24;
    CHECK(complete(compiled, kernel).parameters.size() == 1);
    compiled.parameters[1].bytes = 8;
    CHECK_THROWS_AS((void)complete(compiled, kernel), Error);
    compiled.parameters.resize(1);
    CHECK_THROWS_AS((void)complete(compiled, kernel), Error);
    compiled.parameters.clear();
    CHECK_THROWS_AS((void)complete(compiled, kernel), Error);
}

TEST_CASE("offsets: precompiled code that contradicts its Source") {
    const auto refusal = [](bool said, std::vector<std::size_t> sizes,
                            std::size_t declared) -> std::optional<Code> {
        TranslatedKernel kernel;
        kernel.info.name = "k";
        kernel.takes_offset = said;
        kernel.info.parameters.resize(declared);
        KernelInfo compiled;
        compiled.parameters_known = true;
        compiled.parameters.resize(sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            compiled.parameters[i].bytes = sizes[i];
        }
        try {
            (void)complete(compiled, kernel);
        } catch (const Error& error) {
            CHECK(has(error.what(), "kernel 'k'"));
            CHECK(has(error.what(), "Source::with_global_offsets()") == (error.code() == Code::build_failed));
            return error.code();
        }
        return std::nullopt;
    };
    CHECK(refusal(false, {8, 4, 24}, 2) == Code::build_failed);
    CHECK(refusal(false, {24}, 0) == Code::build_failed);
    CHECK(refusal(true, {8, 4}, 2) == Code::build_failed);
    CHECK(refusal(true, {}, 0) == Code::build_failed);
    CHECK(refusal(true, {8, 24}, 2) == Code::build_failed); // the text has its own struct of that size
    CHECK(refusal(false, {8, 4, 8}, 2) == Code::internal);
    CHECK(refusal(false, {8}, 2) == Code::internal);
    CHECK(refusal(true, {8, 4, 8}, 2) == Code::internal);
    CHECK(refusal(true, {8, 4, 24, 24}, 2) == Code::internal);
    CHECK(refusal(false, {8, 4}, 2) == std::nullopt);
    CHECK(refusal(true, {8, 4, 24}, 2) == std::nullopt);
}

TEST_CASE("offsets: a function that needs one is not called past it") {
    const std::string head = "size_t far(uint d) { return get_global_id(d); }\n"
                             "size_t both(uint d, uint n) { return get_global_id(d) + n; }\n"
                             "uint deaf(uint d) { return 2 * d; }\n"
                             "__kernel void k(__global ulong* out, uint n) {\n";
    const auto said = [&](const std::string& body, Dialect dialect, bool offsets) {
        const std::string whole = head + body + "\n}\n";
        return (offsets ? with_offsets(whole, dialect) : translated(whole, dialect)).error;
    };
    for (const char* body :
         {"out[0] = (get_global_id)(0);", "out[0] = ((get_global_id))(0);",
          "out[0] = 1 + (int)(get_global_offset)(n);", "if (n) (far)(1);", "out[0] = (both)(1, 2);",
          "out[(n ? get_global_id : far)(0)] = deaf((n));", "out[deaf((get_work_dim)())] = 1;"}) {
        for (const Dialect dialect : dialects) {
            for (const bool offsets : {false, true}) {
                CAPTURE(body);
                CHECK(has(said(body, dialect, offsets), "k.cl:5:"));
                CHECK(has(said(body, dialect, offsets), "is not called here"));
            }
        }
    }
    // Other things with that name, and other functions.
    for (const char* body :
         {"uint far = n; out[far] = far + (far) * (n + (far)) ; if (far) (out[far])++;",
          "uint2 far = (uint2)(n, 1); out[(far.x)] = deaf((far).x) + ((uint)(far.y)) * (far.x);",
          "struct { uint far; } s = {.far = n}; out[(s.far)] = deaf(s.far);",
          "uint far = n; for (; (far) < 9; (far)++) (out)[far] = (ulong)(far);",
          "out[sizeof(far(0))] = deaf((uint)far(n)); while (far(0)) (*out)++;"}) {
        for (const Dialect dialect : dialects) {
            CAPTURE(body);
            CHECK(said(body, dialect, true) == "");
        }
    }
}

TEST_CASE("offsets: compile() asks the source as well as the options") {
    CompileRequest request;
    request.backends = {Backend::cuda, Backend::hip, Backend::host};
    const Source source =
        Source::opencl_c("__kernel void k(__global uint* out) { out[get_global_id(0)] = 1; }");
    for (const bool offsets : {false, true}) {
        for (const CompileResult& r : compile(offsets ? source.with_global_offsets() : source, request)) {
            INFO(to_string(r.backend), ": ", r.diagnostics);
            CHECK(r.ok == r.available);
            const bool host = r.backend == Backend::host;
            CHECK(has(r.translation, host ? "fy_this_module = {FY_ABI(5)," : "fy_moved_id_x") == offsets);
        }
    }
}

TEST_CASE("offsets: every compiler of this machine takes them") {
    CompileRequest request;
    request.backends = {Backend::cuda, Backend::hip, Backend::host};
    request.options.global_offsets = true;
    for (const CompileResult& r : compile(Source::opencl_c(text, "k.cl"), request)) {
        INFO(to_string(r.backend), ": ", r.diagnostics);
        CHECK(r.translated);
        CHECK(r.ok == r.available);
        REQUIRE(r.kernels.size() == 2);
        CHECK(r.kernels[0].parameters.size() == 3);
        CHECK(r.kernels[1].parameters.empty());
    }
}

} // namespace translate_offset_test
