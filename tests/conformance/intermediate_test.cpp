// SPDX-License-Identifier: Apache-2.0
// Intermediate code for drivers: SPIR-V and PTX.
#include "check.hpp"
#include "devices.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace intermediate_test {

using namespace conformance;
using ferry::Code;
using ferry::Language;
using ferry::Source;

namespace {

// clang-format off
constexpr std::uint32_t value_spirv[] = {
    0x07230203, 0x00010000, 0, 9, 0,            // magic number, version 1.0, no generator, ids below 9
    0x00020011, 4,                              // OpCapability Addresses
    0x00020011, 6,                              // OpCapability Kernel
    0x0003000e, 2, 2,                           // OpMemoryModel Physical64 OpenCL
    0x0005000f, 6, 1, 0x756c6176, 0x00000065,   // OpEntryPoint Kernel %1 "value"
    0x00020013, 2,                              // %2 = OpTypeVoid
    0x00040015, 3, 32, 0,                       // %3 = OpTypeInt 32 0
    0x00040020, 4, 5, 3,                        // %4 = OpTypePointer CrossWorkgroup %3
    0x00040021, 5, 2, 4,                        // %5 = OpTypeFunction %2 %4
    0x0004002b, 3, 6, 321,                      // %6 = OpConstant %3 321
    0x00050036, 2, 1, 0, 5,                     // %1 = OpFunction %2 None %5
    0x00030037, 4, 7,                           // %7 = OpFunctionParameter %4
    0x000200f8, 8,                              // %8 = OpLabel
    0x0005003e, 7, 6, 2, 4,                     // OpStore %7 %6 Aligned 4
    0x000100fd,                                 // OpReturn
    0x00010038};                                // OpFunctionEnd

constexpr std::uint32_t placed_spirv[] = {
    0x07230203, 0x00010000, 0, 17, 0,           // magic number, version 1.0, no generator, ids below 17
    0x00020011, 4,                              // OpCapability Addresses
    0x00020011, 6,                              // OpCapability Kernel
    0x00020011, 11,                             // OpCapability Int64
    0x0003000e, 2, 2,                           // OpMemoryModel Physical64 OpenCL
    0x0006000f, 6, 1, 0x756c6176, 0x00000065, 12, // OpEntryPoint Kernel %1 "value" %12
    0x00040047, 12, 11, 28,                     // OpDecorate %12 BuiltIn GlobalInvocationId
    0x00020013, 2,                              // %2 = OpTypeVoid
    0x00040015, 3, 32, 0,                       // %3 = OpTypeInt 32 0
    0x00040020, 4, 5, 3,                        // %4 = OpTypePointer CrossWorkgroup %3
    0x00040021, 5, 2, 4,                        // %5 = OpTypeFunction %2 %4
    0x0004002b, 3, 6, 321,                      // %6 = OpConstant %3 321
    0x00040015, 9, 64, 0,                       // %9 = OpTypeInt 64 0
    0x00040017, 10, 9, 3,                       // %10 = OpTypeVector %9 3
    0x00040020, 11, 1, 10,                      // %11 = OpTypePointer Input %10
    0x0004003b, 11, 12, 1,                      // %12 = OpVariable %11 Input
    0x00050036, 2, 1, 0, 5,                     // %1 = OpFunction %2 None %5
    0x00030037, 4, 7,                           // %7 = OpFunctionParameter %4
    0x000200f8, 8,                              // %8 = OpLabel
    0x0006003d, 10, 13, 12, 2, 32,              // %13 = OpLoad %10 %12 Aligned 32
    0x00050051, 9, 14, 13, 0,                   // %14 = OpCompositeExtract %9 %13 0
    0x00050046, 4, 15, 7, 14,                   // %15 = OpInBoundsPtrAccessChain %4 %7 %14
    0x0005003e, 15, 6, 2, 4,                    // OpStore %15 %6 Aligned 4
    0x000100fd,                                 // OpReturn
    0x00010038};                                // OpFunctionEnd
// clang-format on

constexpr const char* value_ptx = R"(
.version 6.0
.target sm_60
.address_size 64
.visible .entry value(.param .u64 out)
{
    .reg .b32 %word;
    .reg .b64 %at;
    ld.param.u64 %at, [out];
    cvta.to.global.u64 %at, %at;
    mov.u32 %word, 321;
    st.global.u32 [%at], %word;
    ret;
}
)";

std::uint32_t run_value(const ferry::Device& device, const ferry::Program& program) {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 1};
    queue.launch(program.kernel("value"), {1, 1}, out);
    return queue.read(out).at(0);
}

Source spirv(std::span<const std::uint32_t> words) {
    return Source::spirv(std::as_bytes(words));
}

} // namespace

FERRY_TEST("intermediate: SPIR-V is built and run") {
    const ferry::Program program{device, spirv(value_spirv)};
    CHECK(program.language() == Language::spirv);
    CHECK(program.explain().find("SPIR-V 1.0") != std::string::npos);
    CHECK(run_value(device, program) == 321);
    expect_error(Code::not_found, {"valve"}, [&] { (void)program.kernel("valve"); });

    const std::vector<Source> both{
        spirv(value_spirv),
        Source::opencl_c("__kernel void value(__global uint* out) { out[0] = 20; }", "value.cl")};
    const ferry::Program better{device, both};
    CHECK(better.language() == Language::opencl_c);
    CHECK(run_value(device, better) == 20);
}

FERRY_TEST("intermediate: SPIR-V runs at an offset, with and without the option") {
    constexpr std::uint32_t poison = 0xEEEEEEEEU;
    for (const bool asked : {false, true}) {
        const ferry::Program program{device, spirv(placed_spirv), {.global_offsets = asked}};
        const ferry::Kernel value = program.kernel("value");
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> out{device, 61};
        for (const std::size_t offset : {0U, 1U, 17U, 49U}) {
            queue.fill(out, poison);
            queue.launch(value, {3, 4, {offset, 0, 0}}, out);
            const auto seen = queue.read(out);
            for (std::size_t i = 0; i < seen.size(); ++i) {
                CHECK(seen[i] == (i >= offset && i < offset + 12 ? 321 : poison));
            }
        }
    }
}

FERRY_TEST("intermediate: SPIR-V of a version that the driver does not take is refused, naming it") {
    const ferry::Program good{device, spirv(value_spirv)};
    const Unchanged unchanged{device};
    std::vector<std::uint32_t> words(std::begin(value_spirv), std::end(value_spirv));
    words[1] = 0x00010900;
    expect_error(Code::unsupported, {device.id(), "SPIR-V 1.9", "takes up to 1."},
                 [&] { const ferry::Program built(device, spirv(words)); });
    words[0] = 0x07230204;
    expect_error(Code::unsupported, {device.id(), "0x07230203"},
                 [&] { const ferry::Program built(device, spirv(words)); });
    expect_error(Code::unsupported, {device.id(), "0x07230203"},
                 [&] { const ferry::Program built(device, Source::spirv({})); });
}

FERRY_TEST("intermediate: PTX is built and run") {
    const ferry::Program program{device, Source::ptx(value_ptx)};
    CHECK(program.language() == Language::ptx);
    CHECK(run_value(device, program) == 321);
    expect_error(Code::not_found, {"valve"}, [&] { (void)program.kernel("valve"); });
}

FERRY_TEST("intermediate: PTX that is broken is refused with the compiler's words") {
    const ferry::Program good{device, Source::ptx(value_ptx)};
    const Unchanged unchanged{device};
    std::string broken = value_ptx;
    broken.replace(broken.find("mov.u32"), 7, "mow.u32");
    const ferry::Error error = expect_error(Code::build_failed, {device.id()},
                                            [&] { const ferry::Program built(device, Source::ptx(broken)); });
    CHECK(error.log().find("mow") != std::string::npos);
}

} // namespace intermediate_test
