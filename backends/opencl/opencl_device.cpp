// SPDX-License-Identifier: Apache-2.0
#include "opencl_device.hpp"

#include "opencl_error.hpp"
#include "opencl_event.hpp"
#include "opencl_kernel.hpp"
#include "opencl_memory.hpp"
#include "opencl_memory_facts.hpp"
#include "opencl_program.hpp"
#include "opencl_query.hpp"
#include "opencl_queue.hpp"
#include "system/process_state.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace ferry::opencl {

OpenclDevice::OpenclDevice(const Api& api, cl_platform_id platform, cl_device_id device, Traits traits,
                           DeviceInfo info)
    : api_(api), platform_(platform), id_(device), traits_(std::move(traits)), info_(std::move(info)) {}

OpenclDevice::~OpenclDevice() = default;

std::shared_ptr<LaunchRecord> OpenclDevice::launch_record(const std::string& program_text,
                                                          const std::string& kernel) {
    if (!traits_.miscounts_grids) {
        return nullptr;
    }
    const std::lock_guard lock(records_mutex_);
    auto& record = records_[std::to_string(std::hash<std::string>()(program_text)) + ' ' + kernel];
    if (!record) {
        record = std::make_shared<LaunchRecord>();
    }
    const std::shared_ptr<LaunchRecord> result = record;
    std::erase_if(records_, [this](const auto& one) { // those without a kernel
        LaunchRecord& other = *one.second;
        if (one.second.use_count() != 1) {
            return false;
        }
        const std::lock_guard held(other.mutex);
        return other.is_done(api_);
    });
    return result;
}

cl_context OpenclDevice::context() {
    if (cl_context present = context_.load(std::memory_order_acquire)) {
        return present;
    }
    const std::lock_guard lock(creation_mutex_);
    if (cl_context present = context_.load(std::memory_order_acquire)) {
        return present;
    }
    const std::array<cl_context_properties, 3> properties{
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform_), 0};
    cl_int code = CL_SUCCESS;
    const ferry::detail::ProcessState kept; // It initialises the device.
    cl_context created = api_.clCreateContext(properties.data(), 1, &id_, nullptr, nullptr, &code);
    made(created, code, "clCreateContext");
    context_.store(created, std::memory_order_release);
    return created;
}

cl_command_queue OpenclDevice::create_native_queue(bool timing, QueuePriority priority) {
    const cl_command_queue_properties flags = timing && info_.timing ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = nullptr;
    if (api_.clCreateCommandQueueWithProperties != nullptr) {
        std::array<cl_queue_properties, 5> properties{CL_QUEUE_PROPERTIES, flags, 0, 0, 0};
        if (priority != QueuePriority::normal && info_.queue_priority) {
            properties[2] = CL_QUEUE_PRIORITY_KHR;
            properties[3] =
                priority == QueuePriority::high ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR;
        }
        queue = api_.clCreateCommandQueueWithProperties(context(), id_, properties.data(), &code);
        made(queue, code, "clCreateCommandQueueWithProperties");
    } else {
        queue = api_.clCreateCommandQueue(context(), id_, flags, &code);
        made(queue, code, "clCreateCommandQueue");
    }
    return queue;
}

bool OpenclDevice::is_given_up() noexcept {
    try {
        const cl_command_queue queue = create_native_queue(false);
        const cl_int code = api_.clFinish(queue);
        static_cast<void>(api_.clReleaseCommandQueue(queue));
        return code != CL_SUCCESS && portable_code(code) == Code::device_lost;
    } catch (const Error& error) {
        return error.code() == Code::device_lost;
    } catch (...) { // Out of memory.
        return false;
    }
}

cl_command_queue OpenclDevice::service_queue() {
    if (cl_command_queue present = service_queue_.load(std::memory_order_acquire)) {
        return present;
    }
    cl_command_queue created = create_native_queue(false);
    cl_command_queue expected = nullptr;
    if (!service_queue_.compare_exchange_strong(expected, created)) {
        static_cast<void>(api_.clReleaseCommandQueue(created));
        return expected;
    }
    return created;
}

std::optional<std::uint64_t> OpenclDevice::free_memory() {
    constexpr cl_device_info free_memory_amd = 0x4039;
    if (has_word(device_text(api_, id_, CL_DEVICE_EXTENSIONS), "cl_amd_device_attribute_query")) {
        const auto kibibytes = device_values<std::size_t>(api_, id_, free_memory_amd);
        if (!kibibytes.empty()) {
            return std::uint64_t{kibibytes[0]} * 1024;
        }
    }
    return std::nullopt;
}

std::size_t OpenclDevice::view_alignment() const {
    constexpr cl_uint least_bits = 1024; // The standard's, for a device that does not answer.
    const auto bits = device_value<cl_uint>(api_, id_, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
    return backend::plausible_alignment(Backend::opencl, "clGetDeviceInfo(CL_DEVICE_MEM_BASE_ADDR_ALIGN)",
                                        "as alignment of sub-buffers", (bits == 0 ? least_bits : bits) / 8);
}

MemoryCapabilities OpenclDevice::memory_facts(MemoryKind kind) const {
    MemoryAnswers answers;
    answers.cpu = info_.kind == DeviceKind::cpu;
    answers.host_unified = device_value<cl_bool>(api_, id_, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
    answers.svm = traits_.svm;
    if (api_.clHostMemAllocINTEL != nullptr) {
        const auto ask = [this](cl_device_info what) { return device_value<cl_bitfield>(api_, id_, what); };
        answers.usm_host = ask(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL);
        answers.usm_shared = ask(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL);
        answers.usm_system = ask(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL);
    }
    answers.base_alignment = view_alignment();
    answers.max_allocation = info_.max_allocation;
    answers.imports = traits_.imports;
    answers.host_storage = storage_for(*this, MemoryKind::host);
    answers.shared_storage = storage_for(*this, MemoryKind::shared);
    return opencl::memory_facts(answers, kind);
}

std::unique_ptr<backend::Memory> OpenclDevice::allocate(MemoryKind kind, std::size_t bytes) {
    return allocate_memory(*this, kind, bytes);
}

// Memory that stays mapped is mapped and unmapped as a whole, and a view of a part would be a sub-buffer that
// overlaps the part's.
bool OpenclDevice::has_parts(MemoryKind kind) const {
    const Storage storage = storage_for(*this, kind);
    return storage != Storage::mapped && storage != Storage::mirrored &&
           !(storage == Storage::buffer && traits_.parts_go_wrong);
}

std::unique_ptr<backend::Memory> OpenclDevice::part(backend::Memory& whole, std::size_t offset,
                                                    std::size_t bytes) {
    return std::make_unique<OpenclMemory>(static_cast<OpenclMemory&>(whole), offset, bytes);
}

bool OpenclDevice::synchronize() noexcept {
    return finish_queues(true);
}

std::unique_ptr<backend::Memory> OpenclDevice::wrap(const backend::NativeMemory& native, std::size_t bytes,
                                                    backend::Ownership ownership) {
    return wrap_memory(*this, native.handle, bytes, ownership);
}

std::unique_ptr<backend::Memory> OpenclDevice::import_memory(void* data, std::size_t bytes, bool read_only,
                                                             std::string& why) {
    return opencl::import_memory(*this, data, bytes, read_only, why);
}

std::unique_ptr<backend::Memory> OpenclDevice::import_unmapped(void* data, std::size_t bytes) {
    return opencl::import_unmapped(*this, data, bytes);
}

backend::ImportReach OpenclDevice::import_reach() const {
    return shares_memory() && traits_.imports != InPlace::never ? backend::ImportReach::local
                                                                : backend::ImportReach::copy;
}

std::unique_ptr<backend::Queue> OpenclDevice::create_queue(const QueueOptions& options) {
    return std::make_unique<OpenclQueue>(*this, options);
}

std::unique_ptr<backend::Event> OpenclDevice::create_event(bool) {
    return std::make_unique<OpenclEvent>(*this);
}

std::unique_ptr<backend::Queue> OpenclDevice::wrap_queue(void* native, const QueueOptions&) {
    return std::make_unique<OpenclQueue>(*this, static_cast<cl_command_queue>(native));
}

std::unique_ptr<backend::Event> OpenclDevice::wrap_event(const backend::NativeEvent& native) {
    return std::make_unique<OpenclEvent>(*this, static_cast<cl_event>(native.handle));
}

backend::Fit OpenclDevice::fit(const Source& source) const {
    return fit_source(*this, source);
}

std::unique_ptr<backend::Program> OpenclDevice::build(const Source& source, const BuildOptions& options,
                                                      const translate::Translation*) {
    return build_program(*this, source, options);
}

void OpenclDevice::add(OpenclQueue& queue) {
    const std::lock_guard lock(queues_mutex_);
    queues_.push_back(&queue);
    queue.number = ++last_number_;
}

void OpenclDevice::remove(OpenclQueue& queue) noexcept {
    const std::lock_guard lock(queues_mutex_);
    queues_.erase(std::remove(queues_.begin(), queues_.end(), &queue), queues_.end());
}

namespace {

// The wait is not under the mutex, because the awaited work may depend on a thread that needs it. If the
// driver refuses to retain a queue, the mutex keeps it alive. Returns false if the driver rejects the wait.
bool wait_and_release(const OpenclQueue::Work& work, bool waits,
                      std::unique_lock<std::mutex>& lock) noexcept {
    if (work.is_kept) {
        lock.unlock();
    }
    const bool done = !waits || proves_done(work.finish()); // The queue reports its failures.
    work.release();
    return done;
}

} // namespace

bool OpenclDevice::finish_queues(bool foreign) noexcept {
    bool done = true;
    std::uint64_t number = 0;
    while (true) {
        std::unique_lock lock(queues_mutex_);
        const auto next = std::find_if(queues_.begin(), queues_.end(),
                                       [&](const OpenclQueue* queue) { return queue->number > number; });
        if (next == queues_.end()) {
            return done;
        }
        number = (*next)->number;
        const OpenclQueue::Work work = (*next)->work();
        done = wait_and_release(work, foreign || !work.is_done(), lock) && done;
    }
}

void OpenclDevice::wait_for_launches(const LaunchRecord& record, OpenclQueue& queue) {
    std::vector<cl_event> events;
    const auto release = [this](std::vector<cl_event>* those) {
        for (cl_event event : *those) {
            static_cast<void>(api_.clReleaseEvent(event));
        }
    };
    const std::unique_ptr<std::vector<cl_event>, decltype(release)> released(&events, release);
    {
        const std::lock_guard lock(queues_mutex_);
        events.reserve(queues_.size());
        for (const OpenclQueue* other : queues_) {
            if (other != &queue && record.is_used_by(other->number)) {
                events.push_back(other->marker());
            }
        }
    }
    queue.wait_for_all(events);
}

void OpenclDevice::wait_for_reads(const void* memory, std::size_t bytes, Pages pages) noexcept {
    std::uint64_t number = 0;
    while (true) {
        std::unique_lock lock(queues_mutex_);
        const auto next = std::find_if(queues_.begin(), queues_.end(), [&](const OpenclQueue* queue) {
            return queue->number > number && queue->host_reads().are_pending(memory, bytes, pages);
        });
        if (next == queues_.end()) {
            return;
        }
        number = (*next)->number;
        const OpenclQueue::Work work = (*next)->work();
        static_cast<void>(wait_and_release(work, true, lock));
    }
}

void OpenclDevice::flush(cl_command_queue native) noexcept {
    const std::lock_guard lock(queues_mutex_);
    for (OpenclQueue* queue : queues_) {
        if (queue->native() == native) {
            static_cast<void>(api_.clFlush(native)); // If it fails, the wait reports the error.
        }
    }
}

} // namespace ferry::opencl
