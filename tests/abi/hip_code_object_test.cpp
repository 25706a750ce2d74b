// SPDX-License-Identifier: Apache-2.0
// Tests the compiler wrapper and the metadata reader with AMD's own hipRTC, which needs no device. It runs in
// a separate process, because hipRTC and an OpenCL driver each contain an LLVM.
#include "hip/hip_metadata.hpp"
#include "hip/hip_vendor.hpp"

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace ferry;

namespace {

constexpr const char* text = R"(
struct Pair { float a; float b; float c; };
extern "C" __global__ void scale(float* data, float factor, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}
extern "C" __global__ void __launch_bounds__(128) mixed(const Pair* in, double* out, Pair value, char c, unsigned int offset) {
    extern __shared__ char block[];
    __shared__ float fixed[32];
    float* part = (float*)(block + offset);
    fixed[threadIdx.x % 32] = in[threadIdx.x].a;
    part[threadIdx.x] = value.b;
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x ^ 1] + c + fixed[(threadIdx.x + 1) % 32];
}
extern "C" __global__ void nothing() {}
)";

using Compiler = driver::Compiler<hip::Vendor>;

void open(Compiler& compiler) {
    const char* name = std::getenv("FERRY_HIPRTC_LIBRARY");
    REQUIRE(name != nullptr);
    std::vector<ferry::BackendReason> reasons;
    constexpr const char* variable = "FERRY_HIPRTC_LIBRARY";
    const auto library = backend::Library::open({}, {name, variable}, variable, reasons);
    REQUIRE(library);
    REQUIRE(compiler.take(library));
    MESSAGE(compiler.note());
}

const KernelInfo& find(const hip::CodeObject& object, const std::string& name) {
    const auto found = std::find_if(object.kernels.begin(), object.kernels.end(),
                                    [&](const KernelInfo& kernel) { return kernel.name == name; });
    REQUIRE(found != object.kernels.end());
    return *found;
}

} // namespace

TEST_CASE("the metadata of a code object made by AMD's compiler") {
    Compiler compiler;
    open(compiler);
    for (const std::string architecture : {"gfx90a", "gfx1030"}) {
        CAPTURE(architecture);
        const driver::Compiled compiled =
            compiler.compile(Source::hip(text, "parameters.hip"), {}, architecture);
        const hip::CodeObject object = hip::parse_code_object(compiled.image, architecture);
        CHECK(hip::runs_on(object.architecture, architecture));
        REQUIRE(object.kernels.size() == 3);

        const KernelInfo& scale = find(object, "scale");
        CHECK(scale.parameters_known);
        REQUIRE(scale.parameters.size() == 3);
        CHECK(scale.parameters[0].kind == ParameterKind::buffer);
        CHECK(scale.parameters[0].bytes == 8);
        CHECK(scale.parameters[1].kind == ParameterKind::unknown);
        CHECK(scale.parameters[1].bytes == 4);
        CHECK(scale.parameters[2].bytes == 4);

        const KernelInfo& mixed = find(object, "mixed");
        REQUIRE(mixed.parameters.size() == 5);
        CHECK(mixed.parameters[1].kind == ParameterKind::buffer);
        CHECK(mixed.parameters[2].kind == ParameterKind::value);
        CHECK(mixed.parameters[2].bytes == 12);
        CHECK(mixed.parameters[3].bytes == 1);
        CHECK(mixed.parameters[4].bytes == 4);
        CHECK(find(object, "nothing").parameters.empty());
        CHECK(find(object, "nothing").parameters_known);

        // With damage of every kind, nothing crashes or reads outside the bytes (AddressSanitizer would
        // report it).
        for (std::size_t length = 0; length < compiled.image.size(); length += 97) {
            hip::parse_code_object(std::string(compiled.image, 0, length), architecture);
        }
        unsigned int random = 12345;
        for (int round = 0; round < 2000; ++round) {
            std::string damaged = compiled.image;
            for (int i = 0; i < 8; ++i) {
                random = random * 1664525U + 1013904223U;
                damaged[(random >> 8) % std::min<std::size_t>(damaged.size(), 4096)] =
                    static_cast<char>(random);
            }
            hip::parse_code_object(damaged, architecture);
        }
    }
}

TEST_CASE("a compile error carries AMD's words") {
    Compiler compiler;
    open(compiler);
    BuildOptions options;
    options.defines = {"MISSING=not_declared"};
    try {
        compiler.compile(
            Source::hip("extern \"C\" __global__ void f(int* p) { *p = MISSING; }", "broken.hip"), options,
            "gfx90a");
        FAIL("it compiled");
    } catch (const Error& error) {
        CHECK(error.code() == Code::build_failed);
        CHECK(error.log().find("not_declared") != std::string::npos);
        CHECK(error.log().find("broken.hip") != std::string::npos);
        REQUIRE(error.vendor() != nullptr);
        CHECK(error.vendor()->call == "hiprtcCompileProgram");
        CHECK(error.vendor()->code == 6);
    }
}

TEST_CASE("an architecture that is not the device's never reaches the compiler") {
    Compiler compiler;
    open(compiler);
    BuildOptions options;
    options.hip = "-O3 --gpu-architecture=gfx0000";
    CHECK_THROWS_AS(compiler.compile(Source::hip(text), options, "gfx90a"), Error);
}

TEST_CASE("several threads compile at a time") {
    Compiler compiler;
    open(compiler);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            const driver::Compiled compiled = compiler.compile(Source::hip(text), {}, "gfx90a");
            CHECK(hip::parse_code_object(compiled.image).kernels.size() == 3);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}
