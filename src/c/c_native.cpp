// SPDX-License-Identifier: Apache-2.0
#include "c_call.hpp"

#include <ferry/interop/native.hpp>

namespace ferry::c {
namespace {

namespace native = interop::detail;

Backend vendor(ferry_backend backend, const Call& at) {
    const auto wanted = at.choice(backend, Backend::host, "backend");
    if (wanted == Backend::host || wanted == Backend::vulkan) {
        at.refuse(Code::unsupported,
                  "The parameter 'backend' " + at.of() + " is FERRY_BACKEND_" +
                      (wanted == Backend::host
                           ? "HOST, whose objects have no native handles"
                           : "VULKAN, whose handles are available in C++ only (ferry/interop/vulkan.hpp)"));
    }
    return wanted;
}

ferry_buffer* wrap(ferry_device* device, ferry_backend backend, std::uint64_t handle, std::size_t bytes,
                   bool adopt, const Call& at) {
    const Device& on = at.get(device, "device").device;
    return new ferry_buffer(
        Buffer<std::byte>(native::wrap(on, vendor(backend, at), {handle}, bytes, 1, adopt, at.where), bytes));
}

} // namespace
} // namespace ferry::c

using ferry::c::Call;
using ferry::c::call;
namespace native = ferry::interop::detail;

ferry_code ferry_device_get_native(ferry_device* device, ferry_backend backend, uint64_t* handle) {
    return call(__func__, [&](const Call& at) {
        at.not_null(handle, "native", "the address of a number");
        *handle =
            native::native_device(at.get(device, "device").device, ferry::c::vendor(backend, at), at.where);
    });
}

ferry_code ferry_device_find_native(ferry_backend backend, uint64_t handle, ferry_device** device) {
    return call(__func__, [&](const Call& at) {
        ferry_device*& found = at.out(device, "device");
        found = ferry::c::handle_of(native::find_native(ferry::c::vendor(backend, at), handle, at.where));
    });
}

ferry_code ferry_device_get_native_context(ferry_device* device, ferry_backend backend, void** context) {
    return call(__func__, [&](const Call& at) {
        at.not_null(context, "context", "the address of a pointer");
        *context =
            native::native_context(at.get(device, "device").device, ferry::c::vendor(backend, at), at.where);
    });
}

ferry_code ferry_queue_get_native(ferry_queue* queue, ferry_backend backend, void** handle) {
    return call(__func__, [&](const Call& at) {
        at.not_null(handle, "native", "the address of a pointer");
        *handle = native::native_queue(at.get(queue, "queue").queue, ferry::c::vendor(backend, at), at.where);
    });
}

ferry_code ferry_queue_borrow_native(ferry_device* device, ferry_backend backend, void* handle,
                                     const ferry_queue_options* options, ferry_queue** queue) {
    return call(__func__, [&](const Call& at) {
        ferry_queue*& made = at.out(queue, "queue");
        const ferry::Device& on = at.get(device, "device").device;
        made = new ferry_queue(
            native::wrap_queue(on, ferry::c::vendor(backend, at), handle, at.options(options), at.where));
    });
}

ferry_code ferry_event_get_native(ferry_event* event, ferry_backend backend, void** handle) {
    return call(__func__, [&](const Call& at) {
        at.not_null(handle, "native", "the address of a pointer");
        *handle = native::native_event(at.get(event, "event").event, ferry::c::vendor(backend, at), at.where)
                      .handle;
    });
}

ferry_code ferry_queue_wait_native(ferry_queue* queue, ferry_backend backend, void* event) {
    return call(__func__, [&](const Call& at) {
        native::wait_native(at.get(queue, "queue").queue, ferry::c::vendor(backend, at), {event}, at.where);
    });
}

ferry_code ferry_kernel_get_native(ferry_kernel* kernel, ferry_backend backend, void** handle) {
    return call(__func__, [&](const Call& at) {
        at.not_null(handle, "native", "the address of a pointer");
        *handle =
            native::native_kernel(at.get(kernel, "kernel").kernel, ferry::c::vendor(backend, at), at.where);
    });
}

ferry_code ferry_buffer_get_native(ferry_buffer* buffer, ferry_backend backend, ferry_native_memory* memory) {
    return call(__func__, [&](const Call& at) {
        at.not_null(memory, "native", "the address of a ferry_native_memory");
        const native::NativeRange range = native::native_range(at.get(buffer, "buffer").buffer.region(),
                                                               ferry::c::vendor(backend, at), at.where);
        *memory = {range.address, range.handle, range.offset};
    });
}

ferry_code ferry_buffer_borrow_native(ferry_device* device, ferry_backend backend, uint64_t handle,
                                      size_t bytes, ferry_buffer** buffer) {
    return call(__func__, [&](const Call& at) {
        ferry_buffer*& made = at.out(buffer, "buffer");
        made = ferry::c::wrap(device, backend, handle, bytes, false, at);
    });
}

ferry_code ferry_buffer_adopt_native(ferry_device* device, ferry_backend backend, uint64_t handle,
                                     size_t bytes, ferry_buffer** buffer) {
    return call(__func__, [&](const Call& at) {
        ferry_buffer*& made = at.out(buffer, "buffer");
        made = ferry::c::wrap(device, backend, handle, bytes, true, at);
    });
}
