// SPDX-License-Identifier: Apache-2.0
#include "base/process_exit.hpp"
#include "check/race.hpp"
#include "memory/memory_debug.hpp"
#include "memory/memory_state.hpp"
#include "program/kernel_state.hpp"
#include "queue/event_state.hpp"
#include "queue/queue_state.hpp"

#include <ferry/interop/native.hpp>

#include <limits>
#include <string>

namespace ferry::interop::detail {
namespace {

void check_backend(const ferry::detail::DeviceState& device, Backend expected, const char* what,
                   SourceLocation where) {
    if (device.info().backend != expected) {
        throw Error(Code::invalid_argument,
                    std::string(what) + " belongs to " + device.describe() + "; a handle of " +
                        std::string(to_string(expected)) + " was asked for",
                    where);
    }
}

} // namespace

NativeRange native_range(const ferry::detail::Region& region, Backend backend, SourceLocation where) {
    if (region.memory == nullptr) {
        return {};
    }
    check_backend(region.memory->device(), backend, "The buffer", where);
    region.memory->expose();
    const backend::Memory& memory = region.memory->native();
    return {memory.address != 0 ? memory.address + region.offset : 0, memory.handle,
            memory.handle_offset + region.offset, memory.allocation};
}

ferry::detail::MemoryHandle hold(const ferry::detail::Region& region) {
    return ferry::detail::keep(region);
}

void wait_for_uses(const ferry::detail::Region& region) noexcept {
    if (region.memory != nullptr) {
        region.memory->wait_for_commands();
    }
}

ferry::detail::MemoryHandle wrap(const Device& device, Backend backend, NativeMemory native,
                                 std::size_t count, std::size_t element, bool adopt, SourceLocation where) {
    ferry::detail::DeviceState& state = device.state();
    check_backend(state, backend, "The device", where);
    state.check_alive(where);
    if (native.handle == 0 || count == 0 || count > std::numeric_limits<std::size_t>::max() / 2 / element) {
        throw Error(Code::invalid_argument,
                    native.handle == 0
                        ? "The native memory handle is null"
                        : "A buffer of " + std::to_string(count) + " elements of " + std::to_string(element) +
                              " bytes cannot be made of native memory",
                    where);
    }
    static_cast<void>(state.pool());
    ferry::detail::MemoryDebug* const debug = adopt ? state.memory_debug() : nullptr;
    if (debug != nullptr) {
        debug->check_adoption(native.handle, count * element, where);
    }
    try {
        auto memory = state.native().wrap({native.handle, native.allocation}, count * element,
                                          adopt ? backend::Ownership::adopted : backend::Ownership::borrowed);
        auto made = std::make_shared<ferry::detail::Memory>(
            state, MemoryKind::device, count * element, std::move(memory),
            adopt ? ferry::detail::Memory::Origin::adopted : ferry::detail::Memory::Origin::borrowed);
        ferry::detail::race::made(*made, where);
        if (debug != nullptr) {
            debug->adopted(*made, native.handle, where);
            made->is_adopted_in_debug = true;
        }
        return made;
    } catch (const Error& error) {
        throw error.with_where(where);
    }
}

void* native_queue(const Queue& queue, Backend backend, SourceLocation where) {
    ferry::detail::QueueState& state = queue.state(where);
    check_backend(state.device(), backend, "The queue", where);
    ferry::detail::race::expose(state.race());
    state.expose();
    return state.native().native();
}

Queue wrap_queue(const Device& device, Backend backend, void* native, const QueueOptions& options,
                 SourceLocation where) {
    check_backend(device.state(), backend, "The device", where);
    if (native == nullptr) {
        throw Error(Code::invalid_argument,
                    "The native queue handle is null; a queue of Ferry's own is made by Queue{device}",
                    where);
    }
    Queue queue(device, native, options, where);
    ferry::detail::race::expose(queue.state(where).race());
    return queue;
}

NativeEvent native_event(const Event& event, Backend backend, SourceLocation where) {
    ferry::detail::EventState* const state = event.state();
    if (state == nullptr) {
        throw Error(Code::invalid_state,
                    "The event was never recorded; events with a native handle come from Queue::record()",
                    where);
    }
    check_backend(state->device(), backend, "The event", where);
    state->wait_until_recorded();
    ferry::detail::race::host_waits(state->order); // The program may do so with vendor calls.
    const ferry::detail::VendorCall call;
    call.check(where);
    const backend::NativeEvent native = state->native().native_handle();
    return {native.handle, native.value};
}

void wait_native(Queue& queue, Backend backend, NativeEvent event, SourceLocation where) {
    ferry::detail::QueueState& state = queue.state(where);
    check_backend(state.device(), backend, "The queue", where);
    if (event.handle == nullptr) {
        throw Error(Code::invalid_argument, "The native event handle is null", where);
    }
    try {
        state.wait(
            std::shared_ptr<backend::Event>(state.device().native().wrap_event({event.handle, event.value})),
            where);
    } catch (const Error& error) {
        throw error.with_where(where);
    }
}

void lock_queue(const Device& device, Backend backend, void* queue, SourceLocation where) {
    ferry::detail::DeviceState& state = device.state();
    check_backend(state, backend, "The device", where);
    state.check_alive(where);
    try {
        const ferry::detail::VendorCall call;
        call.check(where);
        state.native().lock_native_queue(queue);
    } catch (const Error& error) {
        throw error.with_where(where);
    }
}

void unlock_queue(const Device& device, void* queue) noexcept {
    const ferry::detail::VendorCall call; // Also at exit, for the other threads.
    device.state().native().unlock_native_queue(queue);
}

NativePlatform native_platform(const Device& device, Backend backend, SourceLocation where) {
    check_backend(device.state(), backend, "The device", where);
    const backend::NativePlatform native = device.state().native().native_platform();
    return {native.instance, native.lookup, native.queue_family};
}

Device find_native(Backend backend, std::uint64_t native, SourceLocation where) {
    std::string present;
    for (const Device& device : all_devices(where)) {
        if (device.backend() == backend) {
            if (device.state().native().native_device() == native) {
                return device;
            }
            present += (present.empty() ? "" : ", ") + device.state().describe();
        }
    }
    throw Error(Code::unavailable,
                "No device of " + std::string(to_string(backend)) + " has the native handle " +
                    std::to_string(native) + "; present: " + (present.empty() ? "none" : present),
                where);
}

void* native_context(const Device& device, Backend backend, SourceLocation where) {
    check_backend(device.state(), backend, "The device", where);
    return device.state().native().native_context();
}

std::uint64_t native_device(const Device& device, Backend backend, SourceLocation where) {
    check_backend(device.state(), backend, "The device", where);
    return device.state().native().native_device();
}

void* native_kernel(const Kernel& kernel, Backend backend, SourceLocation where) {
    check_backend(kernel.device(where).state(), backend, "The kernel", where);
    return kernel.state()->native().native();
}

} // namespace ferry::interop::detail
