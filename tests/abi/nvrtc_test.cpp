// SPDX-License-Identifier: Apache-2.0
// Tests the compiler wrapper and the PTX reader with NVIDIA's own NVRTC, which needs no device.
#include "cuda/cuda_cubin.hpp"
#include "cuda/cuda_ptx.hpp"
#include "cuda/cuda_vendor.hpp"
#include "driver/driver_helpers.hpp"

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

using namespace ferry;

namespace {

constexpr const char* text = R"(
#include <cuda_fp16.h>
extern "C" __global__ void mixed(float* data, int n, short4 vector, float x, double d, char c) {
    data[n] = N * vector.x * x + d + c + __half2float(__float2half(x));
}
extern "C" __global__ void nothing() {}
)";

using Compiler = driver::Compiler<cuda::Vendor>;

void open(Compiler& compiler) {
    const char* name = std::getenv("FERRY_NVRTC_LIBRARY");
    REQUIRE(name != nullptr);
    std::vector<ferry::BackendReason> reasons;
    constexpr const char* variable = "FERRY_NVRTC_LIBRARY";
    const auto library = backend::Library::open({}, {name, variable}, variable, reasons);
    REQUIRE(library);
    REQUIRE(compiler.take(library));
    MESSAGE(compiler.note());
}

BuildOptions defines() {
    BuildOptions options;
    options.defines = {"N=3"};
    return options;
}

} // namespace

TEST_CASE("machine code for an architecture that NVRTC knows") {
    Compiler compiler;
    open(compiler);
    const driver::Compiled compiled = compiler.compile(Source::cuda(text, "mixed.cu"), defines(), "sm_80");
    CHECK(compiled.image.starts_with("\177ELF"));
    CHECK(!cuda::is_ptx(compiled.image));
}

TEST_CASE("machine code has the registers, local memory and stack") {
    Compiler compiler;
    open(compiler);
    const char* const shared = R"(
extern "C" __global__ void group(float* data) {
    __shared__ float part[256];
    part[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = part[threadIdx.x ^ 1];
}
extern "C" __global__ void indexed(int* data, int n) {
    int own[64];
    for (int i = 0; i < 64; ++i) own[i] = data[i];
    for (int i = 0; i < n; ++i) own[data[i] & 63] += i;
    data[threadIdx.x] = own[data[n] & 63];
}
)";
    const driver::Compiled compiled = compiler.compile(Source::cuda(shared, "group.cu"), {}, "sm_80");
    const auto kernels = cuda::read_cubin(compiled.image);
    REQUIRE(kernels.size() == 2);
    CHECK(kernels.at("group").registers > 3);
    CHECK(kernels.at("group").registers < 64);
    CHECK(kernels.at("group").local_bytes == 1024);
    CHECK(kernels.at("group").stack == 0);
    CHECK(kernels.at("group").code_bytes % 16 == 0);
    CHECK(kernels.at("indexed").local_bytes == 0);
    CHECK(kernels.at("indexed").stack == 256);
    // Every truncated file is read without a fault, and gives no additional facts.
    for (std::size_t length = 0; length < compiled.image.size(); length += 7) {
        CHECK(cuda::read_cubin(compiled.image.substr(0, length)).size() <= 2);
    }
}

TEST_CASE("PTX of the latest known architecture for a later device, and on request") {
    Compiler compiler;
    open(compiler);
    const driver::Compiled later = compiler.compile(Source::cuda(text, "mixed.cu"), defines(), "sm_999");
    REQUIRE(cuda::is_ptx(later.image));
    CHECK(cuda::parse_ptx(later.image).target >= 80);

    BuildOptions options = defines();
    options.cuda = "-arch compute_80 --use_fast_math";
    const driver::Compiled asked = compiler.compile(Source::cuda(text, "mixed.cu"), options, "sm_90");
    REQUIRE(cuda::is_ptx(asked.image));
    const cuda::Ptx ptx = cuda::parse_ptx(asked.image);
    CHECK(ptx.target == 80);
    REQUIRE(ptx.kernels.size() == 2);
    CHECK(ptx.kernels[0].name == "mixed");
    REQUIRE(ptx.kernels[0].parameters.size() == 6);
    const std::vector<std::size_t> sizes{8, 4, 8, 4, 8, 1};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        CHECK(ptx.kernels[0].parameters[i].bytes == sizes[i]);
    }
    CHECK(ptx.kernels[0].parameters[3].type == ScalarType::f32);
    CHECK(ptx.kernels[1].parameters_known);
}

TEST_CASE("the PTX of Ferry's own kernels is of their text") {
    Compiler compiler;
    open(compiler);
    BuildOptions options;
    options.cuda = "-arch compute_80";
    const driver::Compiled compiled =
        compiler.compile(Source::cuda(driver::helper_text, "helpers.cu"), options, "sm_80");
    const cuda::Ptx made = cuda::parse_ptx(compiled.image);
    const cuda::Vendor::Api no_library;
    const cuda::Ptx kept = cuda::parse_ptx(cuda::Vendor::helper_image(no_library, compiler, {}));
    CHECK(kept.target == 50);
    REQUIRE(kept.kernels.size() == 2);
    REQUIRE(made.kernels.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
        CHECK(kept.kernels[k].name == made.kernels[k].name);
        REQUIRE(kept.kernels[k].parameters.size() == made.kernels[k].parameters.size());
        for (std::size_t i = 0; i < kept.kernels[k].parameters.size(); ++i) {
            CHECK(kept.kernels[k].parameters[i].bytes == made.kernels[k].parameters[i].bytes);
        }
    }
    CHECK(kept.kernels[0].name == "ferry_fill");
    CHECK(kept.kernels[0].parameters.back().bytes == driver::Helpers<cuda::Vendor>::largest_pattern);
    CHECK(kept.kernels[1].parameters.front().bytes == sizeof(driver::Helpers<cuda::Vendor>::Copies));
}

TEST_CASE("a compile error carries NVIDIA's words") {
    Compiler compiler;
    open(compiler);
    try {
        compiler.compile(
            Source::cuda("extern \"C\" __global__ void f(int* p) { *p = missing; }", "broken.cu"), {},
            "sm_80");
        FAIL("it compiled");
    } catch (const Error& error) {
        CHECK(error.code() == Code::build_failed);
        CHECK(error.log().find("broken.cu(1)") != std::string::npos);
        REQUIRE(error.vendor() != nullptr);
        CHECK(error.vendor()->call == "nvrtcCompileProgram");
        CHECK(error.vendor()->name == "NVRTC_ERROR_COMPILATION");
    }
}
