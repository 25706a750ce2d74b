// SPDX-License-Identifier: Apache-2.0
#include "vulkan_kernel.hpp"

#include "emit_spirv/vulkan_interface.hpp"
#include "system/float_environment.hpp"
#include "system/no_cancellation.hpp"
#include "vulkan_device.hpp"
#include "vulkan_pipeline_cache.hpp"

#include <algorithm>
#include <utility>

namespace ferry::vulkan {
namespace {

namespace convention = emit_spirv::vulkan;

} // namespace

KernelInfo describe(const VulkanDevice& device, const EntryLayout& layout) {
    KernelInfo info;
    info.name = layout.name;
    info.parameters_known = true;
    std::size_t member = 0;
    const std::size_t count = layout.members.size() + layout.locals.size();
    for (std::uint32_t i = 0; i < count; ++i) {
        ParameterInfo parameter;
        if (std::binary_search(layout.locals.begin(), layout.locals.end(), i)) {
            parameter.kind = ParameterKind::local;
            parameter.space = AddressSpace::local;
            parameter.bytes = sizeof(void*);
        } else {
            const MemberLayout& from = layout.members[member++];
            parameter.kind = from.pointer     ? ParameterKind::buffer
                             : from.may_point ? ParameterKind::unknown
                                              : ParameterKind::value;
            parameter.space = from.pointer     ? AddressSpace::global
                              : from.may_point ? AddressSpace::unknown
                                               : AddressSpace::none;
            parameter.name = from.name;
            parameter.bytes = from.bytes;
        }
        info.parameters.push_back(std::move(parameter));
    }
    std::copy(layout.fixed_group.begin(), layout.fixed_group.end(), info.required_local.begin());
    info.max_group_size = device.info().max_group_size;
    info.preferred_multiple = device.info().sub_group_width;
    info.local_bytes = layout.local_bytes;
    return info;
}

struct VulkanEntry::Objects final : UsedObjects {
    struct Made {
        std::vector<std::uint32_t> constants;
        Pipeline pipeline = nullptr;
    };

    explicit Objects(VulkanDevice& on) : device(on) {}
    ~Objects() override {
        if (backend::process_is_exiting()) {
            return;
        }
        const DeviceApi& api = device.api();
        for (const Made& one : pipelines) {
            api.vkDestroyPipeline.function(device.device(), one.pipeline, nullptr);
        }
        if (layout != nullptr) {
            api.vkDestroyPipelineLayout.function(device.device(), layout, nullptr);
        }
    }

    VulkanDevice& device;
    PipelineLayout layout = nullptr;
    std::vector<Made> pipelines;
};

VulkanEntry::VulkanEntry(VulkanDevice& device, ShaderModule module, std::string program, EntryLayout layout,
                         std::shared_ptr<const emit_spirv::PrintTexts> print_texts, KernelInfo info,
                         bool is_compiled, bool optimised)
    : device_(device),
      module_(module),
      program_(std::move(program)),
      layout_(std::move(layout)),
      print_texts_(std::move(print_texts)),
      info_(std::move(info)),
      is_compiled_(is_compiled),
      optimised_(optimised),
      pace_(std::make_shared<Pace>(info_.name)),
      objects_(std::make_unique<Objects>(device)) {
    if (layout_.push_bytes > device.traits().max_push_bytes) {
        throw Error(Code::unsupported,
                    "The kernel '" + info_.name + "' has " + std::to_string(layout_.push_bytes) +
                        " bytes of push constants; the device takes " +
                        std::to_string(device.traits().max_push_bytes) + " (maxPushConstantsSize)");
    }
    for (std::uint32_t i = 0; i < info_.parameters.size(); ++i) {
        if (info_.parameters[i].kind == ParameterKind::local) {
            local_parameters_.push_back(i);
        }
    }
    const PushConstantRange range{static_cast<std::uint32_t>(constant::compute_stage), 0, layout_.push_bytes};
    PipelineLayoutCreateInfo layout_info;
    layout_info.range_count = layout_.push_bytes != 0 ? 1 : 0;
    layout_info.ranges = &range;
    call(device_.api().vkCreatePipelineLayout, device_.device(), &layout_info, nullptr, &objects_->layout);
    made("vkCreatePipelineLayout", objects_->layout);
}

VulkanEntry::~VulkanEntry() {
    if (!backend::process_is_exiting()) {
        device_.retired().add(std::move(objects_));
    }
}

PipelineLayout VulkanEntry::pipeline_layout() const noexcept {
    return objects_->layout;
}

Pipeline VulkanEntry::pipeline(const LaunchConstants& constants) {
    const std::span<const std::uint32_t> wanted = constants.span();
    const std::lock_guard lock(mutex_);
    for (const Objects::Made& one : objects_->pipelines) {
        if (std::equal(wanted.begin(), wanted.end(), one.constants.begin(), one.constants.end())) {
            return one.pipeline;
        }
    }
    objects_->pipelines.reserve(objects_->pipelines.size() + 1);
    Objects::Made added{{wanted.begin(), wanted.end()}, make(wanted)};
    objects_->pipelines.push_back(std::move(added));
    return objects_->pipelines.back().pipeline;
}

std::size_t VulkanEntry::pipelines() {
    const std::lock_guard lock(mutex_);
    return objects_->pipelines.size();
}

Pipeline VulkanEntry::make(std::span<const std::uint32_t> constants) {
    const ferry::detail::NoCancellation not_cancelled; // The pipeline is kept in a file.
    std::vector<SpecializationMapEntry> entries;
    for (std::uint32_t i = 0; i < constants.size(); ++i) {
        const std::uint32_t id = i < 3 ? convention::group_size_spec_id + i
                                       : convention::local_bytes_spec_id + local_parameters_[i - 3];
        entries.push_back({id, static_cast<std::uint32_t>(i * sizeof(std::uint32_t)), sizeof(std::uint32_t)});
    }
    SpecializationInfo specialised;
    specialised.count = static_cast<std::uint32_t>(entries.size());
    specialised.entries = entries.data();
    specialised.bytes = constants.size_bytes();
    specialised.data = constants.data();
    ComputePipelineCreateInfo info;
    info.stage.stage = constant::compute_stage;
    info.stage.module = module_;
    info.stage.name = layout_.name.c_str();
    info.stage.constants = &specialised;
    info.layout = objects_->layout;
    info.base_index = -1;
    info.flags = optimised_ ? 0U : constant::pipeline_unoptimised;
    const ferry::detail::DefaultFloatEnvironment floats; // The driver's compiler computes constants.
    CachedPipeline cached(device_.api(), device_.device(), device_.traits().cache_owner, key(constants));
    Pipeline pipeline = nullptr;
    call(device_.api().vkCreateComputePipelines, device_.device(), cached.cache(), 1U, &info, nullptr,
         &pipeline);
    made("vkCreateComputePipelines", pipeline);
    cached.keep();
    return pipeline;
}

cache::Key VulkanEntry::key(std::span<const std::uint32_t> constants) const {
    const auto text = [](const auto& numbers) {
        const auto bytes = std::as_bytes(std::span(numbers));
        return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    const PipelineCacheOwner& owner = device_.traits().cache_owner;
    cache::Key key;
    key.add("form", "Vulkan pipeline")
        .add("vendor", owner.vendor)
        .add("device", owner.device)
        .add("cache", text(owner.uuid))
        .add("uuid", device_.info().uuid)
        .add("driver", device_.info().driver_version)
        .add("version", device_.info().api_version)
        .add("module", program_)
        .add("optimised", optimised_ ? 1U : 0U)
        .add("kernel", layout_.name)
        .add("constants", text(constants));
    return key;
}

void VulkanKernel::prepare(const Dim3& local, std::span<const std::size_t> local_bytes) {
    if (const std::size_t takes = entry_.local_parameters(); takes != local_bytes.size()) {
        throw Error(Code::invalid_argument, "Kernel '" + info().name + "' takes sizes for " +
                                                std::to_string(takes) + " local parameters, " +
                                                std::to_string(local_bytes.size()) + " were given");
    }
    LaunchConstants constants(local);
    for (const std::size_t bytes : local_bytes) {
        constants.add_local(bytes);
    }
    entry_.pipeline(constants);
}

} // namespace ferry::vulkan
