// SPDX-License-Identifier: Apache-2.0
#include "opencl_launch.hpp"

#include "opencl_error.hpp"

#include <cstring>
#include <utility>

namespace ferry::opencl {
namespace {

using ArgumentKind = detail::ArgumentKind;

/// The bytes of a buffer argument that a kernel may access: its view, or everything from its start on.
std::size_t extent(const backend::Argument& argument) {
    const auto& memory = static_cast<const OpenclMemory&>(*argument.place.memory);
    const std::size_t rest = memory.bytes - argument.place.offset;
    return argument.bytes != 0 && argument.bytes < rest ? argument.bytes : rest;
}

bool overlap(const backend::Argument& a, const backend::Argument& b) {
    return a.place.memory == b.place.memory && a.place.offset < b.place.offset + extent(b) &&
           b.place.offset < a.place.offset + extent(a);
}

/// Kind none if the argument has to be set each time.
[[gnu::hot]] Setting setting_of(const backend::Argument& argument) {
    Setting setting;
    setting.size = argument.bytes;
    switch (argument.kind) {
    case ArgumentKind::local:
        setting.kind = Setting::Kind::local;
        break;
    case ArgumentKind::value:
        if (argument.bytes <= setting.value.size()) {
            setting.kind = Setting::Kind::value;
            std::memcpy(setting.value.data(), argument.value, argument.bytes);
        }
        break;
    case ArgumentKind::buffer:
        setting.kind = Setting::Kind::buffer;
        setting.size = argument.place.offset;
        if (argument.place.memory != nullptr) {
            const auto& memory = static_cast<const OpenclMemory&>(*argument.place.memory);
            const bool view =
                argument.place.offset != 0 && memory.storage != Storage::svm && !pointer_only(memory);
            setting.kind = view ? Setting::Kind::none : Setting::Kind::buffer;
            setting.memory = memory.number;
        }
        break;
    }
    return setting;
}

} // namespace

[[gnu::hot]] void OpenclQueue::launch(backend::Kernel& kernel, const Grid& grid,
                                      std::span<const backend::Argument> arguments) {
    auto& opencl_kernel = static_cast<OpenclKernel&>(kernel);
    const Sizes local{grid.local.x, grid.local.y, grid.local.z};
    const Sizes global{grid.groups.x * grid.local.x, grid.groups.y * grid.local.y,
                       grid.groups.z * grid.local.z};
    const Sizes offset{grid.offset.x, grid.offset.y, grid.offset.z};
    const cl_uint dimensions = global[2] > 1 || offset[2] != 0 ? 3 : global[1] > 1 || offset[1] != 0 ? 2 : 1;
    lent_.clear();
    for (cl_uint i = 0; i < arguments.size(); ++i) {
        const backend::Argument& argument = arguments[i];
        if (argument.kind == ArgumentKind::buffer && argument.place.memory != nullptr) {
            will_use(argument.place, extent(argument),
                     opencl_kernel.reads_only(i) ? Use::reads : Use::updates);
        }
    }
    const bool moved = grid.has_offset();
    with_kernel(
        opencl_kernel, local, global,
        [&] { enqueue(opencl_kernel, dimensions, local, global, arguments, moved ? &offset : nullptr); },
        moved);
}

[[gnu::hot]] void OpenclQueue::enqueue(OpenclKernel& kernel, cl_uint dimensions, const Sizes& local,
                                       const Sizes& global, std::span<const backend::Argument> arguments,
                                       const Sizes* offset) {
    set_arguments(kernel, arguments);
    submit(0, api_.clEnqueueNDRangeKernel, kernel.handle(), dimensions,
           offset != nullptr ? offset->data() : nullptr, global.data(), local.data(), 0, nullptr, nullptr);
    taken.kernel = true;
    for (const StandIn& part : stand_ins_) {
        if (part.memory != nullptr && part.written) {
            const OpenclMemory::Origin object = part.memory->origin();
            submit(0, api_.clEnqueueCopyBuffer, part.mem, object.mem, 0, object.offset + part.offset,
                   part.bytes, 0, nullptr, nullptr);
        }
    }
}

[[gnu::hot]] void OpenclQueue::set_arguments(OpenclKernel& kernel,
                                             std::span<const backend::Argument> arguments) {
    for (cl_uint i = 0; i < arguments.size(); ++i) {
        const Setting wanted = setting_of(arguments[i]);
        Setting* const present = kernel.setting(i);
        if (present == nullptr || wanted.kind == Setting::Kind::none || wanted != *present) {
            if (present != nullptr) {
                present->kind = Setting::Kind::none; // Until it has succeeded.
            }
            set_argument(kernel, i, arguments);
            if (present != nullptr) {
                *present = wanted;
            }
        }
    }
}

// A launch waits only for launches of its own kernel, because other work may depend on an event that the
// program completes once this queue is done.
void OpenclQueue::keep_apart(LaunchRecord& record, bool alone) {
    if (record.alone != nullptr && status_of(api_, record.alone->native()) <= CL_COMPLETE) {
        record.alone.reset(); // Or it failed, which its own queue reports.
    }
    if (alone) {
        device_.wait_for_launches(record, *this);
    } else if (record.alone != nullptr && record.alone->queue() != queue_) {
        cl_event const event = record.alone->native();
        wait_for_all({&event, 1});
    }
    record.used_by(number, progress_, commands_.count() + 1);
}

void OpenclQueue::record_alone(LaunchRecord& record) {
    auto event = std::make_unique<OpenclEvent>(device_);
    this->record(*event);
    event->flush(); // Now, because it may outlive the queue.
    record.alone = std::move(event);
}

void OpenclQueue::set_argument(OpenclKernel& kernel, cl_uint index,
                               std::span<const backend::Argument> arguments) {
    const backend::Argument& argument = arguments[index];
    cl_kernel const handle = kernel.handle();
    if (argument.kind != ArgumentKind::buffer) {
        const void* const value = argument.kind == ArgumentKind::value ? argument.value : nullptr;
        check(api_.clSetKernelArg(handle, index, argument.bytes, value), "clSetKernelArg");
        return;
    }
    cl_mem mem = nullptr;
    if (argument.place.memory != nullptr) {
        auto& memory = static_cast<OpenclMemory&>(*argument.place.memory);
        const std::size_t offset = argument.place.offset;
        if (memory.storage == Storage::usm) {
            check(api_.clSetKernelArgMemPointerINTEL(handle, index, memory.pointer + offset),
                  "clSetKernelArgMemPointerINTEL");
            return;
        }
        if (memory.storage == Storage::system || (memory.storage == Storage::svm && offset != 0)) {
            check(api_.clSetKernelArgSVMPointer(handle, index, memory.pointer + offset),
                  "clSetKernelArgSVMPointer");
            return;
        }
        mem = offset == 0 ? memory.mem : stand_in(kernel, index, arguments);
    }
    check(api_.clSetKernelArg(handle, index, sizeof(cl_mem), static_cast<const void*>(&mem)),
          "clSetKernelArg");
}

cl_mem OpenclQueue::stand_in(OpenclKernel& kernel, cl_uint index,
                             std::span<const backend::Argument> arguments) {
    const backend::Argument& argument = arguments[index];
    auto& memory = static_cast<OpenclMemory&>(*argument.place.memory);
    const std::size_t offset = argument.place.offset;
    bool owned = false;
    if (cl_mem part = memory.sub_buffer(offset, owned)) {
        if (owned) {
            stand_ins_.push_back({part, nullptr, 0, 0, false});
        }
        return part;
    }
    // The device accepts no sub-buffer at the view's offset, so the kernel works on a copy.
    const bool written = !kernel.reads_only(index);
    for (cl_uint other = 0; other < arguments.size(); ++other) {
        const backend::Argument& second = arguments[other];
        if (other != index && second.kind == ArgumentKind::buffer && second.place.memory != nullptr &&
            (written || !kernel.reads_only(other)) && overlap(argument, second)) {
            throw Error(Code::unsupported,
                        "Argument " + std::to_string(index) + " of kernel " + kernel.info().name +
                            " is a view at byte " + std::to_string(offset) +
                            " of its buffer and overlaps argument " + std::to_string(other) + "; " +
                            device_.info().name + " takes such views only at multiples of " +
                            std::to_string(device_.view_alignment()) + " bytes");
        }
    }
    const std::size_t bytes = extent(argument);
    cl_int code = CL_SUCCESS;
    cl_mem copy = api_.clCreateBuffer(device_.context(), CL_MEM_READ_WRITE, bytes, nullptr, &code);
    made(copy, code, "clCreateBuffer");
    stand_ins_.push_back({copy, &memory, offset, bytes, written});
    const OpenclMemory::Origin object = memory.origin();
    submit(0, api_.clEnqueueCopyBuffer, object.mem, copy, object.offset + offset, 0, bytes, 0, nullptr,
           nullptr);
    return copy;
}

void OpenclQueue::release_stand_ins() noexcept {
    while (!stand_ins_.empty()) { // The last first; see OpenclMemory's destructor.
        static_cast<void>(api_.clReleaseMemObject(stand_ins_.back().mem));
        stand_ins_.pop_back();
    }
}

} // namespace ferry::opencl
