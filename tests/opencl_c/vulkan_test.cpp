// SPDX-License-Identifier: Apache-2.0
#include "emit_spirv/emit.hpp"
#include "emit_spirv/float_controls.hpp"
#include "emit_spirv/vulkan_interface.hpp"
#include "module_reader.hpp"
#include "opencl_c/check.hpp"
#include "texts.hpp"

#include <ferry/error.hpp>
#include <ferry/spirv.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

// The modules for Vulkan: their form. spirv-val checks those of the corpus in the test kernels.vulkan, and
// the tests of the Vulkan backend run them.
namespace {

using namespace ferry;
namespace interface = ferry::emit_spirv::vulkan;
using opencl_c_tests::Module;

SpirvResult compiled(const std::string& text) {
    return compile_spirv(Source::opencl_c(text, "k.cl"), {}, SpirvTarget::vulkan);
}

Module module_of(const std::string& text) {
    const SpirvResult result = compiled(text);
    REQUIRE_MESSAGE(result.ok, result.diagnostics);
    return Module(result);
}

TEST_CASE("vulkan: right texts are emitted, but those with images") {
    std::size_t emitted = 0;
    for (const std::string& line : opencl_c_tests::lines("right.txt")) {
        const SpirvResult result = compiled(opencl_c_tests::framed(line));
        const bool refused = line.find("image2d_t") != std::string::npos;
        CHECK_MESSAGE(result.ok == !refused, line << "\n" << result.diagnostics);
        emitted += result.ok ? 1 : 0;
    }
    CHECK(emitted > 50);
}

TEST_CASE("vulkan: each refusal is a sentence with a place, and other kernels stay") {
    struct Refused {
        std::string body, sentence;
    };
    const Refused all[] = {
        {"goto in; { in: o[0] = 1; }", "a goto into a block has no form in Vulkan's SPIR-V"},
        {"int i = 0; again: i += ({ if (i < 3) goto again; 1; }); o[0] = i;",
         "a goto in a statement expression has no form in Vulkan's SPIR-V"},
        {"printf(\"%d %k\", o[0], o[1]);",
         "the '%' at character 4 of the format of 'printf' begins no conversion of OpenCL C"},
        {"printf(\"all of %\");",
         "the '%' at character 8 of the format of 'printf' begins no conversion of OpenCL C"},
        {"printf(\"%d%%, %v4f\\n\", o[0]);", "the format of 'printf' has more conversions than values (1)"},
        {"char text[4]; printf(\"%s\", text);", "%s in the format of 'printf' takes a constant string"},
        {"o[0] = work_group_any(1);",
         "the built-in function 'work_group_any' is not emitted as Vulkan's SPIR-V"},
        {"switch (o[1]) { case 1: if (o[2]) { case 2: o[0] = 3; } }",
         "a label of a switch within an if or a loop has no form in Vulkan's SPIR-V"},
    };
    for (const Refused& r : all) {
        const SpirvResult result = compiled("kernel void first(global int* o) { o[0] = 1; }\n"
                                            "kernel void second(global int* o) { " +
                                            r.body +
                                            " }\n"
                                            "kernel void third(global int* o) { o[0] = 3; }\n");
        CHECK_FALSE(result.ok);
        REQUIRE(result.kernels.size() == 2);
        CHECK(result.kernels[0].name == "first");
        CHECK(result.kernels[1].name == "third");
        CHECK(result.diagnostics.find("error: the kernel 'second' is left out: " + r.sentence) !=
              std::string::npos);
        CHECK_MESSAGE(result.diagnostics.find("k.cl:2:") != std::string::npos, result.diagnostics);
        CHECK(Module(result).entry_points().size() == 2);
    }
}

TEST_CASE("vulkan: parameters have the offsets of OpenCL C and the launch follows them") {
    const Module m =
        module_of("struct three { char a; int b; char c; };\n"
                  "kernel void k(global int* o, char c, float3 v, local float* s, struct three t,\n"
                  "              constant float* w) { o[0] = c + (int)v.x + t.b + (int)(w[0] + s[0]); }\n");
    const auto block = m.push_constants("k");
    CHECK(m.offsets(block) == std::vector<std::uint32_t>{0, 8, 16, 32, 48, 56});
    CHECK(m.name(m.members(block).back()) == interface::launch_name);
    CHECK(m.offsets(m.members(block).back()) ==
          std::vector<std::uint32_t>{0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48});
    CHECK(m.spec_constants() == std::map<std::uint32_t, std::uint32_t>{
                                    {0, 1}, {1, 1}, {2, 1}, {interface::local_bytes_spec_id + 3, 4}});
}

TEST_CASE("vulkan: only a kernel that prints has the address of a print buffer") {
    const Module m = module_of("void say(int i) { printf(\"%d\", i); }\n"
                               "kernel void prints(global int* o) { say(o[0]); }\n"
                               "kernel void prints_not(global int* o) { o[0] = 1; }\n");
    const auto launch_of = [&](const char* kernel) { return m.members(m.push_constants(kernel)).back(); };
    CHECK(m.name(launch_of("prints")) == interface::printing_launch_name);
    CHECK(m.offsets(launch_of("prints")) ==
          std::vector<std::uint32_t>{0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56});
    CHECK(m.name(launch_of("prints_not")) == interface::launch_name);
}

TEST_CASE("vulkan: printf of floats needs no doubles") {
    const auto capabilities = [](const std::string& arguments) {
        return module_of("kernel void k(global float* o) { printf(" + arguments + "); }").capabilities();
    };
    constexpr std::uint32_t float64 = 10;
    CHECK_FALSE(capabilities("\"%f %v4hlf %g\", o[0], (float4)(o[1]), 0.1").contains(float64));
    CHECK(capabilities("\"%f\", (double)o[0] / 3").contains(float64));
}

TEST_CASE("vulkan: parameters that exceed the push constants are behind a pointer") {
    const std::string few = "kernel void k(global int* o, float16 v) { o[0] = (int)v.s3; }\n";
    const Module small = module_of(few); // 8 bytes, 56 of padding, and 64 exceed the limit with the launch.
    CHECK(small.name(small.pointee(small.members(small.push_constants("k"))[0])) ==
          interface::arguments_name);
    const Module m =
        module_of("kernel void k(global int* o, int16 a, int16 b, int c) { o[0] = a.s1 + b.s2 + c; }\n");
    const auto block = m.push_constants("k");
    REQUIRE(m.members(block).size() == 2);
    CHECK(m.offsets(block) == std::vector<std::uint32_t>{0, 8});
    CHECK(m.name(m.members(block)[1]) == interface::launch_name);
    const auto arguments = m.pointee(m.members(block)[0]);
    CHECK(m.name(arguments) == interface::arguments_name);
    CHECK(m.offsets(arguments) == std::vector<std::uint32_t>{0, 64, 128, 192});
    const Module fits =
        module_of("kernel void k(global int* o, int4 a, int2 b, int c) { o[0] = a.s1 + b.s1 + c; }\n");
    CHECK(fits.offsets(fits.push_constants("k")) == std::vector<std::uint32_t>{0, 16, 32, 40, 48});
}

TEST_CASE("vulkan: the group size is reqd_work_group_size, unless kernels differ") {
    const std::string eight =
        "kernel __attribute__((reqd_work_group_size(8, 4, 2))) void a(global int* o) { o[0] = 1; }\n";
    const auto one = module_of(eight).spec_constants();
    CHECK(one == std::map<std::uint32_t, std::uint32_t>{{0, 8}, {1, 4}, {2, 2}});
    const auto both = module_of(eight + "kernel void b(global int* o) { o[0] = 1; }\n").spec_constants();
    CHECK(both == std::map<std::uint32_t, std::uint32_t>{{0, 1}, {1, 1}, {2, 1}});
}

TEST_CASE("vulkan: a function is emitted once for each set of variables") {
    const std::string start = "int sum(const int* p) { return p[0] + p[1]; }\n"
                              "kernel void k(global int* o) { int a[4] = {1, 2}, b[2] = {3, 4}; ";
    constexpr std::uint32_t function = 54;
    CHECK(module_of(start + "o[0] = sum(a) + sum(a + 1); }").count(function) == 2);
    CHECK(module_of(start + "o[0] = sum(a) + sum(b); }").count(function) == 3);
    CHECK(module_of("int twice(int x) { return 2 * x; }\n"
                    "kernel void a(global int* o) { o[0] = twice(1); }\n"
                    "kernel void b(global int* o) { o[0] = twice(2); }\n")
              .count(function) == 3);
}

TEST_CASE("vulkan: only the functions of the library that a kernel reaches are emitted") {
    constexpr std::uint32_t function = 54;
    CHECK(module_of("kernel void k(global float* o) { o[0] = fabs(o[1]) + floor(o[2]); }").count(function) ==
          1);
    const std::size_t sine =
        module_of("kernel void k(global float* o) { o[0] = sin(o[1]); }").count(function);
    CHECK(sine > 1);
    CHECK(module_of("kernel void k(global float* o) { o[0] = sin(o[1]) + sin(o[2]); }").count(function) ==
          sine);
    CHECK(module_of("kernel void k(global float* o) { o[0] = sin(o[1]) + cbrt(o[2]); }").count(function) >
          sine);
}

TEST_CASE("vulkan: FP_CONTRACT OFF forbids contraction") {
    const std::string kernel = "kernel void k(global float* o) { o[0] = o[1] * o[2] + o[3]; }";
    constexpr std::uint32_t no_contraction = 42;
    CHECK(module_of(kernel).decorated(no_contraction) == 0);
    CHECK(module_of("#pragma OPENCL FP_CONTRACT OFF\n" + kernel).decorated(no_contraction) == 2);
}

TEST_CASE("vulkan: capabilities are those that the kernels use") {
    constexpr std::uint32_t shader = 1;
    constexpr std::uint32_t float64 = 10;
    constexpr std::uint32_t int64 = 11;
    constexpr std::uint32_t int8 = 39;
    constexpr std::uint32_t storage_8 = 4448;
    constexpr std::uint32_t physical = 5347;
    CHECK(module_of("kernel void k(global float4* o, float a) { o[0] *= a; }").capabilities() ==
          std::set<std::uint32_t>{shader, int64, physical});
    CHECK(module_of("kernel void k(global char* o) { o[0] = 1; }").capabilities() ==
          std::set<std::uint32_t>{shader, int64, int8, storage_8, physical});
    CHECK(module_of("kernel void k(global double* o) { o[0] += 1; }").capabilities() ==
          std::set<std::uint32_t>{shader, float64, int64, physical});
}

TEST_CASE("vulkan: the promises of a device become execution modes") {
    const std::string kernels = "kernel void a(global float* o) { o[0] += 1; }\n"
                                "kernel void b(global double* o) { o[0] += 1; }\n";
    const opencl_c::Checked checked = opencl_c::check(kernels, {});
    REQUIRE(checked.tree->checked);
    emit_spirv::VulkanTarget target;
    target.floats.of_32 = {true, true, false};
    target.floats.of_64 = {true, false, true};
    const Module m(emit_spirv::emit(*checked.tree, emit_spirv::Flavour::vulkan, target).words);
    for (const std::uint32_t capability :
         {4464U, 4466U, 4467U}) { // DenormPreserve, SignedZeroInfNanPreserve, RTE
        CHECK(m.capabilities().contains(capability));
    }
    constexpr std::uint32_t denorm_preserve = 4459;
    constexpr std::uint32_t special_preserve = 4461;
    constexpr std::uint32_t nearest = 4462;
    for (const char* const kernel : {"a", "b"}) {
        const auto modes = m.modes(kernel);
        CHECK(modes.contains({denorm_preserve, 32}));
        CHECK_FALSE(modes.contains({denorm_preserve, 64}));
        CHECK(modes.contains({special_preserve, 32}));
        CHECK(modes.contains({nearest, 64}));
        CHECK_FALSE(modes.contains({nearest, 32}));
    }
}

TEST_CASE("vulkan: a module gets the promises of a device after it was made") {
    const opencl_c::Checked checked =
        opencl_c::check("kernel void a(global float* o) { o[0] += 1; }\nkernel void b() {}\n", {});
    REQUIRE(checked.tree->checked);
    const emit_spirv::VulkanTarget any;
    emit_spirv::VulkanTarget target;
    target.floats.of_32 = {true, true, true};
    target.floats.of_64 = {true, true, true};
    const auto plain = emit_spirv::emit(*checked.tree, emit_spirv::Flavour::vulkan, any).words;
    const auto promised = emit_spirv::emit(*checked.tree, emit_spirv::Flavour::vulkan, target).words;
    CHECK(emit_spirv::with_float_controls(plain, target.floats) == promised);
    CHECK(emit_spirv::with_float_controls(plain, any.floats) == plain);
    const Module m(promised);
    using Modes = std::set<std::pair<std::uint32_t, std::uint32_t>>;
    CHECK(m.modes("b") == Modes{{17, 1}, {4459, 32}, {4461, 32}, {4462, 32}}); // 17: LocalSize
}

TEST_CASE("vulkan: FERRY_VULKAN names the target") {
    const SpirvResult result = compiled("#if defined(FERRY_VULKAN) && !defined(FERRY_OPENCL)\n"
                                        "kernel void k(global int* o) { o[0] = 1; }\n#endif\n");
    CHECK(result.kernels.size() == 1);
}

} // namespace
