// SPDX-License-Identifier: Apache-2.0
#include "../support/float_mode.hpp"
#include "emit_spirv/emit.hpp"
#include "opencl_c/check.hpp"
#include "texts.hpp"

#include <ferry/compile.hpp>
#include <ferry/error.hpp>
#include <ferry/spirv.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

// The SPIR-V emitter. spirv-val checks the modules of the corpus in the test kernels.spirv, and the tests
// kernels.intel-spirv.* run them.
namespace {

using namespace ferry;

std::vector<std::uint32_t> words_of(const SpirvResult& result) {
    std::vector<std::uint32_t> words(result.module.size() / 4);
    std::memcpy(words.data(), result.module.data(), result.module.size());
    return words;
}

std::size_t count(const SpirvResult& result, std::uint32_t opcode) {
    const std::vector<std::uint32_t> words = words_of(result);
    std::size_t found = 0;
    for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
        REQUIRE((words[at] >> 16) != 0);
        found += (words[at] & 0xffff) == opcode ? 1 : 0;
    }
    return found;
}

SpirvResult compiled(const std::string& text) {
    return compile_spirv(Source::opencl_c(text, "k.cl"));
}

TEST_CASE("spirv: right texts are emitted, but those with images") {
    std::size_t emitted = 0;
    for (const std::string& line : opencl_c_tests::lines("right.txt")) {
        const SpirvResult result = compiled(opencl_c_tests::framed(line));
        const bool image = line.find("image2d_t") != std::string::npos;
        CHECK_MESSAGE(result.ok == !image, line << "\n" << result.diagnostics);
        emitted += result.ok ? 1 : 0;
    }
    CHECK(emitted > 50);
}

TEST_CASE("spirv: a kernel with an image is left out with its line, the others stay") {
    const SpirvResult result =
        compiled("kernel void first(global int* o) { o[0] = 1; }\n"
                 "float texel(read_only image2d_t i, sampler_t s) {\n"
                 "    return read_imagef(i, s, (int2)(0)).x; }\n"
                 "kernel void second(read_only image2d_t i, sampler_t s, global float* o) {\n"
                 "    o[0] = texel(i, s); }\n"
                 "kernel void third(global int* o) { o[0] = 3; }\n");
    CHECK_FALSE(result.ok);
    REQUIRE(result.kernels.size() == 2);
    CHECK(result.kernels[0].name == "first");
    CHECK(result.kernels[1].name == "third");
    CHECK(result.diagnostics.find("error: the kernel 'second' is left out: images") != std::string::npos);
    constexpr std::uint32_t entry_point = 15;
    CHECK(count(result, entry_point) == 2);
}

TEST_CASE("spirv: a text with an error gives no module") {
    const SpirvResult result = compiled("kernel void k(global int* o) { o[0] = missing; }");
    CHECK_FALSE(result.ok);
    CHECK(result.module.empty());
    CHECK(result.kernels.empty());
    CHECK(result.diagnostics.find("k.cl:1:39: error") != std::string::npos);
}

TEST_CASE("spirv: FP_CONTRACT OFF forbids contraction") {
    const std::string kernel = "kernel void k(global float* o) { o[0] = o[1] * o[2] + o[3]; }";
    constexpr std::uint32_t execution_mode = 16;
    CHECK(count(compiled(kernel), execution_mode) == 0);
    CHECK(count(compiled("#pragma OPENCL FP_CONTRACT OFF\n" + kernel), execution_mode) == 1);
}

TEST_CASE("spirv: FERRY_OPENCL names the target") {
    const SpirvResult result = compiled("#if defined(FERRY_OPENCL) && !defined(FERRY_HOST)\n"
                                        "kernel void k(global int* o) { o[0] = 1; }\n#endif\n");
    CHECK(result.kernels.size() == 1);
}

TEST_CASE("spirv: a kernel that is called is a function in addition to its entry point") {
    const SpirvResult result = compiled("kernel void one(global int* o) { o[0] = 1; }\n"
                                        "kernel void two(global int* o) { one(o); }\n");
    REQUIRE(result.ok);
    constexpr std::uint32_t function = 54;
    CHECK(count(result, function) == 3);
}

TEST_CASE("spirv: a union in constant memory has the bytes of its initializer") {
    const SpirvResult result = compiled("typedef union { float f; uint u; uchar4 c; } bits;\n"
                                        "constant bits table[2] = {{1.5f}, {.c = (uchar4)(1, 2, 3, 4)}};\n"
                                        "kernel void k(global uint* o, int i) { o[0] = table[i].u; }\n");
    REQUIRE_MESSAGE(result.ok, result.diagnostics);
    const std::vector<std::uint32_t> words = words_of(result);
    for (const std::uint32_t value : {0x3fc00000U, 0x04030201U}) {
        CHECK(std::find(words.begin(), words.end(), value) != words.end());
    }
}

TEST_CASE("spirv: constants have the same bits, whatever floating-point mode the calling thread is in") {
    const Source source =
        Source::opencl_c("constant float third = 1.0f / 3.0f, tiny = 1e-40f * 0.7f;\n"
                         "constant double tenth = 0.1 * 0.1, least = 1e-310 / 3.0;\n"
                         "kernel void k(global float* f, global double* d) {\n"
                         "  f[0] = third; f[1] = tiny; f[2] = 1e20f * -1e20f; f[3] = 2.3e-44f;\n"
                         "  f[4] = vload_half(0, (global half*)f) * (half)0.1f;\n"
                         "  d[0] = tenth; d[1] = least; d[2] = (float)0.1 + 0.3; d[3] = 1.7f / 0.3;\n"
                         "}\n");
    const auto all = [&] {
        std::vector<std::vector<std::byte>> modules;
        for (const SpirvTarget target : {SpirvTarget::vulkan, SpirvTarget::opencl}) {
            const SpirvResult result = compile_spirv(source, {}, target);
            REQUIRE_MESSAGE(result.ok, result.diagnostics);
            modules.push_back(result.module);
        }
        CHECK(check(source).ok);
        return modules;
    };
    const auto wanted = all();
    for (const std::string& mode : float_mode::modes()) {
        CAPTURE(mode);
        std::thread([&] {
            float_mode::set(mode);
            const float_mode::State before = float_mode::state();
            CHECK(all() == wanted);
            CHECK(float_mode::state() == before);
        }).join();
    }
}

TEST_CASE("spirv: compile_spirv() takes OpenCL C only") {
    CHECK_THROWS_WITH_AS(static_cast<void>(compile_spirv(Source::cuda("", "k.cu"))),
                         doctest::Contains("compile_spirv() takes OpenCL C; the source is CUDA C++"), Error);
}

} // namespace
