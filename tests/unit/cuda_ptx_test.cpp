// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_cubin.hpp"
#include "cuda/cuda_ptx.hpp"
#include "cuda/cuda_vendor.hpp"

#include <doctest/doctest.h>

#include <string>

namespace cuda_ptx_test {

using namespace ferry;

namespace {

constexpr const char* text = R"(
// .entry not_this_one(
/* .target sm_10 */
.version 8.0
.target sm_80, debug
.address_size 64

.extern .func helper ( .param .b64 helper_param_0 );

.visible .entry scale(
    .param .u64 .ptr .global .align 4 scale_param_0,
    .param .f32 scale_param_1,
    .param .u32 scale_param_2
)
{
    .reg .pred %p<2>;
    ret;
}
.visible .entry mixed(.param .u64 mixed_param_0, .param .align 4 .b8 mixed_param_1[12],
    .param .u8 mixed_param_2)
.maxntid 128, 1, 1
.reqntid 64, 2, 1
{
    ret;
}
.entry nothing()
{ ret; }
.entry bare { ret; }
)";

} // namespace

TEST_CASE("entry points and parameters of PTX") {
    CHECK(cuda::is_ptx(text));
    CHECK(cuda::is_ptx(std::string(text) + '\0'));
    const cuda::Ptx ptx = cuda::parse_ptx(text);
    CHECK(ptx.target == 80);
    CHECK(ptx.version == 80);
    REQUIRE(ptx.kernels.size() == 4);

    const KernelInfo& scale = ptx.kernels[0];
    CHECK(scale.name == "scale");
    CHECK(scale.parameters_known);
    REQUIRE(scale.parameters.size() == 3);
    CHECK(scale.parameters[0].kind == ParameterKind::buffer);
    CHECK(scale.parameters[0].bytes == 8);
    CHECK(scale.parameters[1].kind == ParameterKind::value);
    CHECK(scale.parameters[1].type == ScalarType::f32);
    CHECK(scale.parameters[2].kind == ParameterKind::unknown);
    CHECK(scale.parameters[2].bytes == 4);

    const KernelInfo& mixed = ptx.kernels[1];
    CHECK(mixed.name == "mixed");
    REQUIRE(mixed.parameters.size() == 3);
    CHECK(mixed.parameters[1].kind == ParameterKind::value);
    CHECK(mixed.parameters[1].bytes == 12);
    CHECK(mixed.parameters[2].bytes == 1);
    CHECK(mixed.required_local == std::array<std::size_t, 3>{64, 2, 1});

    CHECK(ptx.kernels[2].name == "nothing");
    CHECK(ptx.kernels[2].parameters_known);
    CHECK(ptx.kernels[2].parameters.empty());
    CHECK(ptx.kernels[3].name == "bare");
}

TEST_CASE("a text that is not PTX, and truncated PTX") {
    CHECK(!cuda::is_ptx(std::string("\177ELF\0.version", 13)));
    CHECK(!cuda::is_ptx(""));
    CHECK(cuda::parse_ptx("").kernels.empty());
    const std::string whole = text;
    for (std::size_t length = 0; length < whole.size(); ++length) {
        cuda::parse_ptx(whole.substr(0, length));
    }
    CHECK(!cuda::parse_ptx(".entry cut(.param .u64 a, .param .u3").kernels[0].parameters_known);
}

TEST_CASE("PTX that is newer than the driver is refused with both versions") {
    DeviceInfo info;
    info.architecture = "sm_90";
    const Source source = Source::ptx(text); // PTX 8.0, introduced by CUDA 12.0
    for (const char* driver : {"12.0", "12.9", "13.0", "20.1", ""}) {
        info.api_version = driver;
        CHECK(cuda::Vendor::fit_binary(source, info).rank == backend::rank::intermediate);
    }
    for (const char* driver : {"11.8", "11.0"}) {
        info.api_version = driver;
        const backend::Fit fit = cuda::Vendor::fit_binary(source, info);
        CHECK(fit.rank == backend::rank::none);
        CHECK(fit.why == "PTX 8.0, which drivers for CUDA 12.0 and later take; this driver is for CUDA " +
                             std::string(driver));
    }
    CHECK(cuda::first_cuda_for(85) == "12.5");
    CHECK(cuda::first_cuda_for(70).empty());
    // For an unknown version, the driver decides.
    CHECK(cuda::ptx_too_new({90, 999, {}}, "12.0").empty());
    CHECK(cuda::parse_ptx(".version 7.8\n.target sm_52").version == 78);
    CHECK(cuda::parse_ptx(".version").version == 0);
}

TEST_CASE("a file that is not a cubin gives no facts") {
    CHECK(cuda::read_cubin("").empty());
    CHECK(cuda::read_cubin("\177ELF").empty());
    CHECK(cuda::read_cubin(std::string(64, '\377')).empty());
}

} // namespace cuda_ptx_test
