// SPDX-License-Identifier: Apache-2.0
#include "base/uuid_text.hpp"
#include "driver/driver_compiler.hpp"
#include "driver/driver_info.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace driver_compiler_test {

using namespace ferry;
using Words = std::vector<std::string>;

TEST_CASE("options for a run-time compiler") {
    CHECK(driver::split_options("  -O3\t--use_fast_math \n") == Words{"-O3", "--use_fast_math"});
    CHECK(driver::split_options("").empty());
    BuildOptions options;
    options.defines = {"N=4", "FAST"};
    options.include_directories = {"some folder/include"};
    CHECK(driver::compile_options(options, {"-O3"}) ==
          Words{"-DN=4", "-DFAST", "-Isome folder/include", "-O3"});

    CHECK(!driver::architecture_option({"-O3", "-archaic"}).has_value());
    CHECK(driver::architecture_option({"-O3", "--gpu-architecture=sm_90a"}) == "sm_90a");
    CHECK(driver::architecture_option({"-arch", "compute_80"}) == "compute_80");
    CHECK(driver::architecture_option({"--offload-arch=gfx90a:xnack-"}) == "gfx90a:xnack-");
    CHECK(!driver::architecture_option({"-arch"}).has_value());
}

TEST_CASE("a compile error has the call, the architecture and the compiler's words") {
    const Error error =
        driver::compile_error("sm_90", {Backend::cuda, "nvrtcCompileProgram", 6, "NVRTC_ERROR_COMPILATION"},
                              "blur.cu(3): error: identifier \"x\" is undefined");
    CHECK(error.code() == Code::build_failed);
    CHECK(std::string(error.what()) == "nvrtcCompileProgram returned 6 (NVRTC_ERROR_COMPILATION) for "
                                       "sm_90\nblur.cu(3): error: identifier \"x\" is undefined");
    CHECK(error.log() == "blur.cu(3): error: identifier \"x\" is undefined");
}

TEST_CASE("vendor errors keep call, number, name and text") {
    const Error error = driver::vendor_error({Backend::cuda, "cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                             "out of memory", "7 bytes of device memory cannot be allocated");
    CHECK(error.code() == Code::out_of_memory);
    CHECK(std::string(error.what()) ==
          "7 bytes of device memory cannot be allocated: cuMemAlloc_v2 returned 2 "
          "(CUDA_ERROR_OUT_OF_MEMORY): out of memory");
    REQUIRE(error.vendor() != nullptr);
    CHECK(error.vendor()->call == "cuMemAlloc_v2");
    // HIP 5's hipGetErrorString returns the name of the error.
    CHECK(driver::describe({Backend::hip, "hipInit", 100, "hipErrorNoDevice"}, "hipErrorNoDevice") ==
          "hipInit returned 100 (hipErrorNoDevice)");
}

TEST_CASE("device identities as text") {
    std::array<unsigned char, 16> uuid{};
    CHECK(detail::uuid_text(uuid).empty());
    for (unsigned char i = 0; i < 16; ++i) {
        uuid[i] = static_cast<unsigned char>(0xf0 + i);
    }
    CHECK(detail::uuid_text(uuid) == "f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
    CHECK(driver::pci_text("0000:3B:00.0") == "0000:3b:00.0");
}

} // namespace driver_compiler_test
