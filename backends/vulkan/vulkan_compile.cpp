// SPDX-License-Identifier: Apache-2.0
#include "vulkan_compile.hpp"

#include "emit_spirv/emit.hpp"
#include "emit_spirv/float_controls.hpp"
#include "opencl_c/check.hpp"
#include "translate/build_flags.hpp"
#include "vulkan_device.hpp"

namespace ferry::vulkan {
namespace {

constexpr std::size_t most_log_in_message = 8192;
constexpr std::string_view target_macro = "#define FERRY_VULKAN 1\n";

[[noreturn]] void refuse(const std::string& log) {
    const std::string shown = log.size() <= most_log_in_message
                                  ? log
                                  : log.substr(0, most_log_in_message) + "\n(all " +
                                        std::to_string(log.size()) + " bytes are in Error::log())";
    throw Error(Code::build_failed, "Ferry's compiler says:\n" + shown).with_log(log);
}

} // namespace

std::unique_ptr<VulkanProgram> compile(VulkanDevice& device, const Source& source,
                                       const BuildOptions& options) {
    const translate::BuildFlags flags = translate::read_build_flags(options);
    if (!flags.problem.empty()) {
        throw Error(Code::build_failed, flags.problem);
    }
    opencl_c::Options with;
    with.name = source.name();
    with.preprocess.defines = flags.defines;
    with.preprocess.include_directories = flags.include_directories;
    with.preprocess.headers = translate::memory_headers(options);
    with.fp64 = device.info().fp64;
    with.fp16 = device.info().fp16;
    with.target = target_macro;
    opencl_c::Checked checked = opencl_c::check(source.contents(), with);
    if (!checked.tree->checked) {
        refuse(checked.messages());
    }
    const emit_spirv::Emitted made =
        emit_spirv::emit(*checked.tree, emit_spirv::Flavour::vulkan, device.traits().target);
    VulkanProgram::Refused refused;
    for (const emit_spirv::Refused& one : made.refused) {
        refused.emplace(one.kernel, "The kernel '" + std::string(one.kernel) + "' was not compiled: " +
                                        one.message + (one.image ? "; use a buffer" : ""));
        checked.diagnostics.error(checked.tree->place(one.token), one.message);
    }
    std::vector<KernelInfo> kernels = opencl_c::kernels(*checked.tree);
    if (kernels.empty()) {
        refuse(source.name() + ":1:1: error: the file has no kernel");
    }
    if (made.kernels.empty()) {
        refuse(checked.messages());
    }
    return std::make_unique<VulkanProgram>(device, made.words, std::move(kernels), std::move(refused),
                                           checked.messages(), !flags.unoptimised);
}

std::unique_ptr<VulkanProgram> load_compiled(VulkanDevice& device, const Source& source,
                                             std::span<const std::uint32_t> words,
                                             const BuildOptions& options) {
    opencl_c::Options with;
    with.name = source.name();
    with.target = target_macro;
    const opencl_c::Checked checked = opencl_c::check(source.text(), with);
    if (!checked.tree->checked) {
        refuse(checked.messages());
    }
    return std::make_unique<VulkanProgram>(
        device, emit_spirv::with_float_controls(words, device.traits().target.floats),
        opencl_c::kernels(*checked.tree), VulkanProgram::Refused(), checked.messages(),
        !translate::read_build_flags(options).unoptimised);
}

} // namespace ferry::vulkan
