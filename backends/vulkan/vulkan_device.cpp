// SPDX-License-Identifier: Apache-2.0
#include "vulkan_device.hpp"

#include "base/uuid_text.hpp"
#include "system/process_state.hpp"
#include "vulkan_event.hpp"
#include "vulkan_graph.hpp"
#include "vulkan_memory.hpp"
#include "vulkan_memory_types.hpp"
#include "vulkan_program.hpp"
#include "vulkan_queue.hpp"
#include "vulkan_stream.hpp"

#include <algorithm>
#include <array>
#include <exception>

namespace ferry::vulkan {
namespace {

// A slow bus, until copies have been measured: 2 GB/s.
constexpr std::uint64_t assumed_copy = std::uint64_t{1} << 20;
constexpr std::uint64_t assumed_time = 500'000;

constexpr std::uint32_t flag_of(bool value) noexcept {
    return value ? 1U : 0U;
}

} // namespace

VulkanDevice::VulkanDevice(const InstanceApi& instance, PhysicalDevice physical)
    : instance_(instance),
      physical_(physical),
      traits_(read_traits(instance, physical)),
      info_(read_info(instance, physical, traits_)),
      prints_(*this),
      stamps_(*this),
      retired_(*this) {
    copy_pace_->learn(assumed_copy, assumed_time);
    measure_submits(info_.kind != DeviceKind::cpu); // lavapipe waits for the device when stamps are read.
}

VulkanDevice::~VulkanDevice() = default;

vulkan::Device VulkanDevice::device() {
    if (vulkan::Device present = device_.load(std::memory_order_acquire)) {
        return present;
    }
    const std::lock_guard lock(creation_mutex_);
    if (device_.load(std::memory_order_relaxed) == nullptr) { // Stored only under the mutex, which is held.
        const ferry::detail::ProcessState kept;               // It initialises the device.
        create();
    }
    return device_.load(std::memory_order_relaxed); // The mutex orders it after the store of any thread.
}

void VulkanDevice::create() {
    PhysicalDeviceVulkan12Features v12;
    v12.addresses = v12.timelines = 1;
    v12.storage_8 = flag_of(traits_.storage_8);
    v12.push_constant_8 = flag_of(traits_.push_constant_8);
    v12.buffer_atomics_64 = flag_of(traits_.buffer_atomics_64);
    v12.local_atomics_64 = flag_of(traits_.local_atomics_64);
    v12.fp16 = flag_of(traits_.fp16);
    v12.int8 = flag_of(traits_.int8);
    v12.scalar_layout = flag_of(traits_.scalar_layout);
    v12.sub_group_types = flag_of(traits_.sub_group_types);
    v12.memory_model = v12.memory_model_device = flag_of(traits_.memory_model);
    PhysicalDeviceVulkan11Features v11;
    v11.next = &v12;
    v11.storage_16 = flag_of(traits_.storage_16);
    v11.push_constant_16 = flag_of(traits_.push_constant_16);
    v11.variable_pointers[0] = v11.variable_pointers[1] = flag_of(traits_.variable_pointers);
    PhysicalDeviceFeatures2 features;
    features.next = &v11;
    features.features.fp64 = flag_of(traits_.fp64);
    features.features.int64 = 1;
    features.features.int16 = flag_of(traits_.int16);

    std::vector<const char*> extensions;
    if (traits_.import_alignment != 0) {
        extensions.push_back("VK_EXT_external_memory_host");
    }
    if (traits_.has_budget) {
        extensions.push_back("VK_EXT_memory_budget");
    }
    if (traits_.external_memory != 0) {
        extensions.push_back("VK_KHR_external_memory_fd");
    }
    std::array<float, 16> priorities{};
    priorities.fill(0.5F);
    const std::uint32_t last = traits_.queue_count - 1;
    if (info_.queue_priority) {
        priorities[last - 1] = 1.0F;
        priorities[last] = 0.0F;
    }
    DeviceQueueCreateInfo queues;
    queues.family = traits_.family;
    queues.count = traits_.queue_count;
    queues.priorities = priorities.data();
    DeviceCreateInfo info;
    info.next = &features;
    info.queue_count = 1;
    info.queues = &queues;
    info.extension_count = static_cast<std::uint32_t>(extensions.size());
    info.extensions = extensions.data();
    vulkan::Device created = nullptr;
    call(instance_.vkCreateDevice, physical_, &info, nullptr, &created);
    made("vkCreateDevice", created);
    if (const auto missing = api_.load(instance_, created); !missing.empty()) {
        if (api_.vkDestroyDevice) {
            api_.vkDestroyDevice.function(created, nullptr);
        }
        throw Error(Code::unavailable, "The Vulkan driver of " + info_.name + " lacks the function " +
                                           missing.front() + " of Vulkan 1.2; update or reinstall it");
    }
    for (std::uint32_t i = 0; i < traits_.queue_count; ++i) {
        NativeQueue& native = queues_.emplace_back();
        api_.vkGetDeviceQueue.function(created, traits_.family, i, &native.queue);
        made("vkGetDeviceQueue", native.queue);
    }
    if (info_.queue_priority) {
        queues_[last - 1].priority = QueuePriority::high;
        queues_[last].priority = QueuePriority::low;
    }
    device_.store(created, std::memory_order_release);
}

std::optional<std::uint64_t> VulkanDevice::free_memory() {
    if (!traits_.has_budget) {
        return std::nullopt;
    }
    PhysicalDeviceMemoryBudgetPropertiesEXT budget;
    PhysicalDeviceMemoryProperties2 memory;
    memory.next = &budget;
    instance_.vkGetPhysicalDeviceMemoryProperties2.function(physical_, &memory);
    const std::uint32_t heap = device_heap(traits_.memory);
    return budget.budgets[heap] - std::min(budget.usages[heap], budget.budgets[heap]);
}

MemoryCapabilities VulkanDevice::memory_facts(MemoryKind kind) const {
    return vulkan::memory_facts(traits_, info_, kind);
}

std::unique_ptr<backend::Memory> VulkanDevice::allocate(MemoryKind kind, std::size_t bytes) {
    return allocate_memory(*this, kind, bytes);
}

std::unique_ptr<backend::Memory> VulkanDevice::part(backend::Memory& whole, std::size_t offset, std::size_t) {
    return std::make_unique<VulkanMemory>(static_cast<VulkanMemory&>(whole), offset);
}

std::unique_ptr<backend::Memory> VulkanDevice::wrap(const backend::NativeMemory& native, std::size_t bytes,
                                                    backend::Ownership ownership) {
    return wrap_memory(*this, native, bytes, ownership);
}

std::unique_ptr<backend::Memory> VulkanDevice::import_memory(void* data, std::size_t bytes, bool read_only,
                                                             std::string& why) {
    return vulkan::import_memory(*this, data, bytes, read_only, why);
}

backend::ImportReach VulkanDevice::import_reach() const {
    return traits_.import_alignment == 0 ? backend::ImportReach::none
           : traits_.unified             ? backend::ImportReach::local
                                         : backend::ImportReach::link;
}

std::unique_ptr<backend::Memory> VulkanDevice::allocate_exportable(std::size_t bytes, std::string& why) {
    return vulkan::allocate_exportable(*this, bytes, why);
}

backend::ExternalMemory VulkanDevice::export_memory(backend::Memory& memory) {
    return vulkan::export_memory(*this, static_cast<VulkanMemory&>(memory));
}

std::unique_ptr<backend::Memory> VulkanDevice::import_external(backend::ExternalMemory external,
                                                               std::size_t bytes, std::string& why) {
    return vulkan::import_external(*this, std::move(external), bytes, why);
}

std::string VulkanDevice::external_identity() const {
    return ferry::detail::uuid_text(traits_.uuid);
}

std::unique_ptr<backend::Queue> VulkanDevice::create_queue(const QueueOptions& options) {
    device();
    const QueuePriority priority = info_.queue_priority ? options.priority : QueuePriority::normal;
    std::vector<NativeQueue*> fitting;
    for (NativeQueue& queue : queues_) {
        if (queue.priority == priority) {
            fitting.push_back(&queue);
        }
    }
    return std::make_unique<VulkanQueue>(*this, lease_stream(fitting));
}

std::unique_ptr<backend::Event> VulkanDevice::create_event(bool timing) {
    return std::make_unique<VulkanEvent>(*this, timing && info_.timing);
}

std::unique_ptr<backend::Queue> VulkanDevice::wrap_queue(void* native, const QueueOptions&) {
    NativeQueue* const only[] = {&find_queue(native)};
    auto queue = std::make_unique<VulkanQueue>(*this, lease_stream(only));
    queue->native(); // The program has the handle.
    return queue;
}

std::unique_ptr<backend::Event> VulkanDevice::wrap_event(const backend::NativeEvent& native) {
    return std::make_unique<VulkanEvent>(*this, static_cast<Semaphore>(native.handle), native.value);
}

NativeQueue& VulkanDevice::find_queue(void* native) {
    device();
    const auto found = std::find_if(queues_.begin(), queues_.end(),
                                    [&](const NativeQueue& queue) { return queue.queue == native; });
    if (found == queues_.end()) {
        throw Error(Code::invalid_argument, "The VkQueue is not one of the " +
                                                std::to_string(queues_.size()) + " that the VkDevice of " +
                                                info_.name + " has in its queue family " +
                                                std::to_string(traits_.family));
    }
    return *found;
}

void VulkanDevice::lock_native_queue(void* native) {
    NativeQueue& queue = find_queue(native);
    for_each_stream([&](Stream& stream) {
        if (stream.native() == native) {
            const std::lock_guard lock(stream.mutex());
            stream.submit();
        }
    });
    queue.mutex.lock();
}

// A barrier after the program's commands, which the next submit and the next event include.
void VulkanDevice::unlock_native_queue(void* native) noexcept {
    find_queue(native).mutex.unlock();
    if (backend::process_is_exiting()) {
        return;
    }
    for_each_stream([&](Stream& stream) {
        if (stream.native() == native && stream.is_exposed()) {
            const std::lock_guard lock(stream.mutex());
            stream.add_boundary();
        }
    });
}

backend::NativePlatform VulkanDevice::native_platform() const {
    return {instance_.instance, reinterpret_cast<void*>(instance_.lookup), traits_.family};
}

backend::Fit VulkanDevice::fit(const Source& source) const {
    return fit_source(*this, source);
}

std::unique_ptr<backend::Program> VulkanDevice::build(const Source& source, const BuildOptions& options,
                                                      const translate::Translation*) {
    return build_program(*this, source, options);
}

std::unique_ptr<backend::Graph> VulkanDevice::record(std::span<const backend::RecordedCommand> commands) {
    device();
    return std::make_unique<VulkanGraph>(*this, commands);
}

Stream& VulkanDevice::lease_stream(std::span<NativeQueue* const> queues) {
    const std::lock_guard lock(streams_mutex_);
    const auto found = std::find_if(free_streams_.begin(), free_streams_.end(), [&](const Stream* stream) {
        return std::any_of(queues.begin(), queues.end(),
                           [&](const NativeQueue* queue) { return stream->native() == queue->queue; });
    });
    if (found == free_streams_.end()) {
        free_streams_.reserve(streams_.size() + 1); // return_stream() must not fail.
        streams_.push_back(std::make_unique<Stream>(*this, *queues[streams_.size() % queues.size()]));
        return *streams_.back();
    }
    Stream& stream = **found;
    free_streams_.erase(found);
    return stream;
}

void VulkanDevice::return_stream(Stream& stream) noexcept {
    stream.set_exposed(false);
    stream.forget_error();
    const std::lock_guard lock(streams_mutex_);
    free_streams_.push_back(&stream);
}

void VulkanDevice::finish_streams() {
    std::exception_ptr first;
    for_each_stream([&](Stream& stream) { // All of them, also after an error of one.
        try {
            stream.finish_for_other();
        } catch (...) {
            first = first ? first : std::current_exception();
        }
    });
    if (first) {
        std::rethrow_exception(first);
    }
}

bool VulkanDevice::synchronize() noexcept {
    try {
        finish_streams();
        return true;
    } catch (const Error& error) {
        return error.code() == Code::device_lost; // Nothing runs there any more.
    } catch (...) {
        return false;
    }
}

} // namespace ferry::vulkan
