// SPDX-License-Identifier: Apache-2.0
#include "opencl_queue.hpp"

#include "opencl_blocking.hpp"
#include "opencl_device.hpp"
#include "opencl_error.hpp"
#include "opencl_event.hpp"
#include "opencl_mapping.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

namespace ferry::opencl {
namespace {

cl_command_queue checked(OpenclDevice& device, cl_command_queue queue) {
    const auto ask = [&](cl_command_queue_info what, auto value) {
        constexpr std::size_t size =
            sizeof(decltype(value)); // NOLINT(bugprone-sizeof-expression): of the handle
        check(device.api().clGetCommandQueueInfo(queue, what, size, &value, nullptr),
              "clGetCommandQueueInfo");
        return value;
    };
    const auto refuse = [&](const std::string& why) {
        throw Error(Code::invalid_argument, "The cl_command_queue " + why);
    };
    if (ask(CL_QUEUE_CONTEXT, cl_context{}) != device.context()) {
        refuse("belongs to another cl_context than Ferry's for " + device.info().name +
               "; create it in the context that the device's native handle names");
    }
    if (ask(CL_QUEUE_DEVICE, cl_device_id{}) != device.id()) {
        refuse("belongs to another cl_device_id than " + device.info().name);
    }
    if ((ask(CL_QUEUE_PROPERTIES, cl_command_queue_properties{}) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) !=
        0) {
        refuse("is out of order, and a Ferry queue is in order; create it without "
               "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
    }
    return queue;
}

} // namespace

OpenclQueue::OpenclQueue(OpenclDevice& device, const QueueOptions& options)
    : device_(device),
      api_(device.api()),
      queue_(device.create_native_queue(options.timing, options.priority)) {
    lent_.reserve(8);
    stand_ins_.reserve(8);
    device_.add(*this);
}

OpenclQueue::OpenclQueue(OpenclDevice& device, cl_command_queue borrowed)
    : device_(device), api_(device.api()), queue_(checked(device, borrowed)) {
    lent_.reserve(8);
    stand_ins_.reserve(8);
    check(api_.clRetainCommandQueue(queue_), "clRetainCommandQueue");
    device_.add(*this);
}

OpenclQueue::~OpenclQueue() {
    device_.remove(*this);
    if (!backend::process_is_exiting()) {
        release_marker();
        static_cast<void>(api_.clReleaseCommandQueue(queue_));
    }
}

[[gnu::hot]] void OpenclQueue::write(const void* from, backend::Place to, std::size_t bytes) {
    write_from(from, Pages::ordinary, to, bytes);
}

[[gnu::hot]] void OpenclQueue::read(backend::Place from, void* to, std::size_t bytes) {
    read_to(from, to, Pages::ordinary, bytes);
}

void OpenclQueue::will_write_from(const void* memory, std::size_t extent, Pages pages, std::size_t bytes) {
    if (pages == Pages::ordinary && device_.traits().captures_writes &&
        bytes < HostReads::smallest_sound_write) {
        device_.wait_for_reads(memory, extent, Pages::ordinary);
    }
}

void OpenclQueue::has_read_to(const void* memory, std::size_t extent, Pages pages) {
    if (device_.packs_batches() || (pages == Pages::ordinary && device_.traits().captures_writes)) {
        host_reads_.add(memory, extent, pages, commands_.count());
    }
}

void OpenclQueue::copy_pointers(const OpenclMemory& memory, void* to, const void* from, std::size_t bytes) {
    if (memory.storage == Storage::usm) {
        submit(bytes, api_.clEnqueueMemcpyINTEL, CL_FALSE, to, from, bytes, 0, nullptr, nullptr);
    } else {
        submit(bytes, api_.clEnqueueSVMMemcpy, CL_FALSE, to, from, bytes, 0, nullptr, nullptr);
    }
}

[[gnu::hot]] void OpenclQueue::write_from(const void* from, Pages pages, backend::Place to,
                                          std::size_t bytes) {
    OpenclMemory& memory = memory_of(to);
    will_write_from(from, bytes, pages, bytes);
    if (pointer_only(memory)) {
        copy_pointers(memory, memory.pointer + to.offset, from, bytes);
    } else {
        const OpenclMemory::Origin object = memory.origin();
        lent_.clear();
        will_use(to, bytes, Use::writes);
        hand_over([&] {
            submit(bytes, api_.clEnqueueWriteBuffer, object.mem, CL_FALSE, object.offset + to.offset, bytes,
                   from, 0, nullptr, nullptr);
        });
    }
}

[[gnu::hot]] void OpenclQueue::read_to(backend::Place from, void* to, Pages pages, std::size_t bytes) {
    OpenclMemory& memory = memory_of(from);
    if (pointer_only(memory)) {
        copy_pointers(memory, to, memory.pointer + from.offset, bytes);
    } else {
        const OpenclMemory::Origin object = memory.origin();
        lent_.clear();
        will_use(from, bytes, Use::reads);
        hand_over([&] {
            submit(bytes, api_.clEnqueueReadBuffer, object.mem, CL_FALSE, object.offset + from.offset, bytes,
                   to, 0, nullptr, nullptr);
        });
    }
    has_read_to(to, bytes, pages);
}

[[gnu::hot]] void OpenclQueue::copy(backend::Place from, backend::Place to, std::size_t bytes) {
    OpenclMemory& source = memory_of(from);
    OpenclMemory& destination = memory_of(to);
    // Between page-locked memory and a buffer: the transfer commands, which keep the former mapped.
    if (by_address(source) && !by_address(destination)) {
        write_from(source.pointer + from.offset, pages_of(source), to, bytes);
        return;
    }
    if (by_address(destination) && !by_address(source)) {
        read_to(from, destination.pointer + to.offset, pages_of(destination), bytes);
        return;
    }
    // Only the extension's own commands know memory that it allocated.
    if (source.storage == Storage::usm && destination.storage == Storage::system) {
        read_to(from, destination.pointer + to.offset, pages_of(destination), bytes);
        return;
    }
    if (pointer_only(source) || pointer_only(destination)) {
        write_from(source.pointer + from.offset, pages_of(source), to, bytes);
        return;
    }
    const OpenclMemory::Origin origin = source.origin();
    const OpenclMemory::Origin target = destination.origin();
    lent_.clear();
    will_use(from, bytes, Use::reads);
    will_use(to, bytes, Use::writes);
    hand_over([&] {
        submit(bytes, api_.clEnqueueCopyBuffer, origin.mem, target.mem, origin.offset + from.offset,
               target.offset + to.offset, bytes, 0, nullptr, nullptr);
    });
}

void OpenclQueue::prefetch(backend::Place place, std::size_t bytes, Prefetch to) {
    const auto& memory = static_cast<const OpenclMemory&>(*place.memory);
    const void* range = memory.pointer + place.offset;
    const cl_mem_migration_flags flags = to == Prefetch::to_host ? CL_MIGRATE_MEM_OBJECT_HOST : 0;
    if (memory.storage == Storage::usm) {
        submit(bytes, api_.clEnqueueMigrateMemINTEL, range, bytes, flags, 0, nullptr, nullptr);
    } else if (memory.storage == Storage::svm) {
        submit(bytes, api_.clEnqueueSVMMigrateMem, 1, &range, &bytes, flags, 0, nullptr, nullptr);
    }
}

[[gnu::hot]] void OpenclQueue::record(backend::Event& event) {
    cl_event marker = nullptr;
    submit(0, api_.clEnqueueMarkerWithWaitList, 0, nullptr, &marker);
    static_cast<OpenclEvent&>(event).set(marker, queue_, progress_, commands_.count());
}

[[gnu::hot]] bool OpenclQueue::can_wait(const backend::Event& event) const {
    return &static_cast<const OpenclEvent&>(event).device() == &device_; // A device is a context.
}

[[gnu::hot]] void OpenclQueue::wait(backend::Event& event) {
    auto& recorded = static_cast<OpenclEvent&>(event);
    cl_event native = recorded.native();
    if (native == nullptr || recorded.queue() == queue_) {
        return;
    }
    if (recorded.succeeded()) { // Flushes if there is something to wait for.
        return;
    }
    wait_for_all({&native, 1});
}

cl_event OpenclQueue::new_marker() const {
    cl_event event = nullptr;
    check(Commands::mark(api_, queue_, &event), "clEnqueueMarkerWithWaitList");
    return event;
}

cl_event OpenclQueue::marker() const {
    cl_event const event = new_marker();
    static_cast<void>(api_.clFlush(queue_)); // If it fails, the wait reports the error.
    return event;
}

void OpenclQueue::wait_for_all(std::span<const cl_event> events) {
    if (!events.empty()) {
        submit(0, api_.clEnqueueBarrierWithWaitList, static_cast<cl_uint>(events.size()), events.data(),
               nullptr);
    }
}

void OpenclQueue::flush() {
    check(api_.clFlush(queue_), "clFlush");
}

OpenclQueue::Work OpenclQueue::work() const noexcept {
    const bool is_kept = api_.clRetainCommandQueue(queue_) == CL_SUCCESS;
    return {device_, queue_, progress_, commands_.count(), is_kept};
}

Finished OpenclQueue::Work::finish() const noexcept {
    const Finished finished = opencl::finish(device, queue);
    if (proves_done(finished)) {
        progress->reached(count);
    }
    return finished;
}

void OpenclQueue::Work::release() const noexcept {
    if (is_kept) {
        static_cast<void>(device.api().clReleaseCommandQueue(queue));
    }
}

bool OpenclQueue::is_done(cl_event& marker) const {
    try {
        if (marker == nullptr) {
            marker = new_marker();
            check(api_.clFlush(queue_), "clFlush");
        }
        return status_of(api_, marker) <= CL_COMPLETE;
    } catch (const Error&) {
        return true; // clFinish waits nevertheless, and reports it.
    }
}

void OpenclQueue::finish(WaitPolicy policy) {
    Finished finished;
    cl_event marker = nullptr;
    poll_or_block(
        device_.info(), policy, progress_->forecast(), [&] { return is_done(marker); },
        [&] { static_cast<void>(api_.clFlush(queue_)); }, // clFinish reports
        [&] {
            finished = Work{device_, queue_, progress_, commands_.count(), false}.finish();
        });
    if (marker != nullptr) {
        static_cast<void>(api_.clReleaseEvent(marker));
    }
    if (finished.code != CL_SUCCESS) {
        const Code portable = portable_code(finished.code);
        throw vendor_error(portable == Code::device_lost ? portable : Code::command_failed, finished.call,
                           finished.code);
    }
}

bool OpenclQueue::is_end(const Error& error) const noexcept {
    return error.code() == Code::device_lost ||
           (error.vendor() != nullptr && error.vendor()->call == status_call);
}

bool OpenclQueue::prove_done() noexcept {
    const std::uint64_t count = commands_.count();
    if (!opencl::prove_done(device_, queue_)) {
        return false;
    }
    progress_->reached(count);
    return true;
}

void OpenclQueue::release_marker() noexcept {
    if (marker_ != nullptr) {
        static_cast<void>(api_.clReleaseEvent(marker_));
        marker_ = nullptr;
    }
}

bool OpenclQueue::idle() {
    const std::uint64_t count = commands_.count();
    if (progress_->covers(count)) {
        return true;
    }
    // One marker for all calls until there is a newer command, because a new one is never complete at once.
    if (marker_ == nullptr || marked_ != count) {
        release_marker();
        marker_ = new_marker();
        marked_ = count;
        check(api_.clFlush(queue_), "clFlush");
    }
    const cl_int status = status_of(api_, marker_);
    check_status(status);
    if (status != CL_COMPLETE) {
        return false;
    }
    progress_->reached(count);
    return true;
}

} // namespace ferry::opencl
