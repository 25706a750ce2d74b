// SPDX-License-Identifier: Apache-2.0
#include "vulkan_program.hpp"

#include "base/digest.hpp"
#include "vulkan_compile.hpp"
#include "vulkan_device.hpp"
#include "vulkan_kernel.hpp"
#include "vulkan_module.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace ferry::vulkan {
namespace {

/// The highest version of SPIR-V in Vulkan 1.2, for which the instance is made.
constexpr int highest_spirv = 15;

std::vector<std::uint32_t> words_of(const Source& source) {
    std::vector<std::uint32_t> words(source.contents().size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), source.contents().data(), words.size() * sizeof(std::uint32_t));
    return words;
}

/// A capability of SPIR-V that depends on a feature of the device.
struct FeatureCapability {
    std::uint32_t number;
    const char* name;
    bool Traits::*feature;
};
constexpr FeatureCapability feature_capabilities[] = {
    {9, "Float16", &Traits::fp16},
    {10, "Float64", &Traits::fp64},
    {22, "Int16", &Traits::int16},
    {39, "Int8", &Traits::int8},
    {4433, "StorageBuffer16BitAccess", &Traits::storage_16},
    {4435, "StoragePushConstant16", &Traits::push_constant_16},
    {4441, "VariablePointersStorageBuffer", &Traits::variable_pointers},
    {4442, "VariablePointers", &Traits::variable_pointers},
    {4448, "StorageBuffer8BitAccess", &Traits::storage_8},
    {4450, "StoragePushConstant8", &Traits::push_constant_8},
    {5345, "VulkanMemoryModel", &Traits::memory_model},
};

backend::Fit fit_spirv(const VulkanDevice& device, const Source& source) {
    const std::vector<std::uint32_t> words = words_of(source);
    const int version = spirv_version(words);
    const auto text = [](int number) {
        return std::to_string(number / 10) + "." + std::to_string(number % 10);
    };
    if (version == 0 || source.contents().size() % sizeof(std::uint32_t) != 0) {
        return {backend::rank::none,
                "not a SPIR-V module: it does not consist of words of 32 bits that begin with 0x07230203"};
    }
    if (version > highest_spirv) {
        return {backend::rank::none,
                "SPIR-V " + text(version) + "; the driver takes up to " + text(highest_spirv)};
    }
    try {
        const Module module(words);
        reflect(module);
        if (const std::string missing = missing_capabilities(module, device.traits()); !missing.empty()) {
            return {backend::rank::none, "SPIR-V with capabilities that the device lacks: " + missing};
        }
    } catch (const Error& error) {
        return {backend::rank::none, error.what()};
    }
    return {backend::rank::source, "SPIR-V " + text(version) + " for Vulkan"};
}

} // namespace

std::string missing_capabilities(const Module& module, const Traits& traits) {
    std::string list;
    for (const std::uint32_t number : module.capabilities()) {
        const auto* const row =
            std::find_if(std::begin(feature_capabilities), std::end(feature_capabilities),
                         [&](const FeatureCapability& one) { return one.number == number; });
        if (row != std::end(feature_capabilities) && !(traits.*row->feature)) {
            list += (list.empty() ? "" : ", ") + std::string(row->name);
        }
    }
    return list;
}

VulkanProgram::VulkanProgram(VulkanDevice& device, std::span<const std::uint32_t> words, Described described,
                             Refused refused, std::string log, bool optimised)
    : device_(device),
      words_(words.begin(), words.end()),
      described_(std::move(described)),
      refused_(std::move(refused)),
      log_(std::move(log)),
      optimised_(optimised) {
    if (words.empty()) {
        return;
    }
    const Module module(words);
    layouts_ = reflect(module);
    print_texts_ = std::make_shared<const emit_spirv::PrintTexts>(module.print_texts());
    const auto bytes = std::as_bytes(words);
    digest_ = cache::hex(cache::digest({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    ShaderModuleCreateInfo info;
    info.bytes = words.size_bytes();
    info.words = words.data();
    vulkan::Device on = device.device();
    call(device.api().vkCreateShaderModule, on, &info, nullptr, &module_);
    made("vkCreateShaderModule", module_);
}

VulkanProgram::~VulkanProgram() {
    if (!backend::process_is_exiting() && module_ != nullptr) {
        device_.api().vkDestroyShaderModule.function(device_.device(), module_, nullptr);
    }
}

std::unique_ptr<backend::Kernel> VulkanProgram::kernel(const std::string& name) {
    const auto refused = refused_.find(name);
    if (refused != refused_.end()) {
        throw Error(Code::unsupported, refused->second);
    }
    const auto layout = std::find_if(layouts_.begin(), layouts_.end(),
                                     [&](const EntryLayout& one) { return one.name == name; });
    if (layout == layouts_.end()) {
        return nullptr;
    }
    const std::lock_guard lock(mutex_);
    std::unique_ptr<VulkanEntry>& entry = entries_[name];
    if (entry == nullptr) {
        entry = make_entry(*layout);
    }
    return std::make_unique<VulkanKernel>(*entry);
}

std::unique_ptr<VulkanEntry> VulkanProgram::make_entry(const EntryLayout& layout) const {
    KernelInfo info = describe(device_, layout);
    const auto described = std::find_if(described_.begin(), described_.end(),
                                        [&](const KernelInfo& kernel) { return kernel.name == layout.name; });
    if (described != described_.end()) {
        info.parameters = described->parameters;
        info.required_local = described->required_local;
    }
    return std::make_unique<VulkanEntry>(device_, module_, digest_, layout, print_texts_, std::move(info),
                                         described != described_.end(), optimised_);
}

std::vector<std::string> VulkanProgram::kernel_names() {
    std::vector<std::string> names;
    for (const EntryLayout& layout : layouts_) {
        names.push_back(layout.name);
    }
    return names;
}

std::vector<std::byte> VulkanProgram::binary() {
    const auto bytes = std::as_bytes(std::span(words_));
    return {bytes.begin(), bytes.end()};
}

backend::Fit fit_source(const VulkanDevice& device, const Source& source) {
    switch (source.language()) {
    case Language::opencl_c:
        return {backend::rank::portable, "compiled to SPIR-V by Ferry"};
    case Language::spirv:
        return fit_spirv(device, source);
    default:
        return {backend::rank::none, "the vulkan backend takes OpenCL C and SPIR-V for Vulkan"};
    }
}

std::unique_ptr<backend::Program> build_program(VulkanDevice& device, const Source& source,
                                                const BuildOptions& options) {
    if (source.language() == Language::opencl_c) {
        return compile(device, source, options);
    }
    if (!source.text().empty()) {
        return load_compiled(device, source, words_of(source), options);
    }
    return std::make_unique<VulkanProgram>(device, words_of(source), VulkanProgram::Described(),
                                           VulkanProgram::Refused(), std::string());
}

} // namespace ferry::vulkan
