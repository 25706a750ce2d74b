// SPDX-License-Identifier: Apache-2.0
#include "vulkan_kernel.hpp"

#include "emit_spirv/vulkan_interface.hpp"
#include "vulkan_device.hpp"

#include <algorithm>
#include <iterator>

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

VulkanKernel::VulkanKernel(VulkanDevice& device, ShaderModule module, EntryLayout layout, KernelInfo info,
                           bool is_compiled)
    : device_(device),
      module_(module),
      layout_(std::move(layout)),
      info_(std::move(info)),
      is_compiled_(is_compiled) {
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
    call(device_.api().vkCreatePipelineLayout, device_.device(), &layout_info, nullptr, &layout_handle_);
    made("vkCreatePipelineLayout", layout_handle_);
}

VulkanKernel::~VulkanKernel() {
    if (backend::process_is_exiting() || layout_handle_ == nullptr) {
        return;
    }
    std::vector<Pipeline> pipelines;
    std::transform(pipelines_.begin(), pipelines_.end(), std::back_inserter(pipelines),
                   [](const Made& made) { return made.pipeline; });
    device_.retired().add(std::move(pipelines), layout_handle_);
}

Pipeline VulkanKernel::pipeline(std::span<const std::uint32_t> constants) {
    const std::lock_guard lock(mutex_);
    for (const Made& one : pipelines_) {
        if (std::equal(constants.begin(), constants.end(), one.constants.begin(), one.constants.end())) {
            return one.pipeline;
        }
    }
    pipelines_.reserve(pipelines_.size() + 1);
    Made added{{constants.begin(), constants.end()}, make(constants)};
    pipelines_.push_back(std::move(added));
    return pipelines_.back().pipeline;
}

Pipeline VulkanKernel::make(std::span<const std::uint32_t> constants) {
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
    info.layout = layout_handle_;
    info.base_index = -1;
    Pipeline pipeline = nullptr;
    call(device_.api().vkCreateComputePipelines, device_.device(), PipelineCache{}, 1U, &info, nullptr,
         &pipeline);
    return made("vkCreateComputePipelines", pipeline);
}

} // namespace ferry::vulkan
