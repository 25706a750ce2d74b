// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.hpp"

#include "opencl_device.hpp"
#include "opencl_query.hpp"
#include "translate/type_name.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace ferry::opencl {
namespace {

constexpr std::size_t most_value_bytes = 4096; // Drivers accept 1024 to 4352 in total.

template <class T>
T work_group_value(const OpenclDevice& device, cl_kernel kernel, cl_kernel_work_group_info what) {
    T value{};
    return device.api().clGetKernelWorkGroupInfo(kernel, device.id(), what, sizeof value, &value, nullptr) ==
                   CL_SUCCESS
               ? value
               : T{};
}

std::string argument_text(const Api& api, cl_kernel kernel, cl_uint index, cl_kernel_arg_info what) {
    std::size_t bytes = 0;
    if (api.clGetKernelArgInfo(kernel, index, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes < 2 ||
        bytes > backend::most_text) {
        return {};
    }
    std::string text(bytes, '\0');
    if (api.clGetKernelArgInfo(kernel, index, what, bytes, text.data(), nullptr) != CL_SUCCESS) {
        return {};
    }
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
}

std::optional<ParameterNote> read_note(const OpenclDevice& device, cl_kernel kernel, cl_uint index) {
    const Api& api = device.api();
    ParameterNote note;
    if (api.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof note.space, &note.space,
                               nullptr) != CL_SUCCESS) {
        return std::nullopt;
    }
    cl_kernel_arg_type_qualifier qualifier = 0;
    if (api.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier,
                               nullptr) != CL_SUCCESS) {
        return std::nullopt;
    }
    note.is_const = (qualifier & CL_KERNEL_ARG_TYPE_CONST) != 0;
    note.type = argument_text(api, kernel, index, CL_KERNEL_ARG_TYPE_NAME);
    note.name = users_name(argument_text(api, kernel, index, CL_KERNEL_ARG_NAME), device.traits());
    return note;
}

// Drivers report a struct's name but not its size, and reject every other size. Returns 0 for a driver that
// accepts two sizes.
std::size_t value_bytes(const Api& api, cl_kernel kernel, cl_uint index, std::size_t most) {
    const std::vector<char> value(most + 1);
    const auto takes = [&](std::size_t bytes) {
        return api.clSetKernelArg(kernel, index, bytes, value.data()) == CL_SUCCESS;
    };
    std::size_t bytes = 1;
    while (bytes <= most && !takes(bytes)) {
        ++bytes;
    }
    return bytes > most || takes(bytes + 1) ? 0 : bytes;
}

// A type that is set by a handle.
bool is_object(std::string_view type) {
    return type == "sampler_t" || type == "queue_t" || type == "clk_event_t" || type == "reserve_id_t";
}

} // namespace

bool LaunchRecord::has_to_run_alone(const Size& local, const Size& global, bool moved) const {
    const std::size_t width = std::max(global[0], global[1]);
    return std::none_of(codes_.begin(), codes_.end(), [&](const Code& code) {
        return code.local == local && code.moved == moved && code.widest[moved ? 1 : 0] >= width;
    });
}

void LaunchRecord::launched_alone(const Size& local, const Size& global, bool moved) {
    auto code =
        std::find_if(codes_.begin(), codes_.end(), [&](const Code& known) { return known.local == local; });
    if (code == codes_.end()) {
        code = codes_.insert(code, Code{local});
    }
    std::size_t& widest = code->widest[moved ? 1 : 0];
    widest = std::max({widest, global[0], global[1]});
    code->moved = moved;
}

void LaunchRecord::used_by(std::uint64_t queue, const std::shared_ptr<Progress>& progress,
                           std::uint64_t command) {
    for (User& user : users_) {
        if (user.queue == queue) {
            user.command = command;
            return;
        }
    }
    std::erase_if(users_, [](const User& user) { return user.progress->covers(user.command); });
    users_.push_back({queue, progress, command});
}

bool LaunchRecord::is_used_by(std::uint64_t queue) const {
    return std::any_of(users_.begin(), users_.end(), [&](const User& user) {
        return user.queue == queue && !user.progress->covers(user.command);
    });
}

bool LaunchRecord::is_done(const Api& api) const noexcept {
    cl_int status = CL_COMPLETE;
    return std::all_of(users_.begin(), users_.end(),
                       [](const User& user) { return user.progress->covers(user.command); }) &&
           (alone == nullptr || (api.clGetEventInfo(alone->native(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                    sizeof status, &status, nullptr) == CL_SUCCESS &&
                                 status <= CL_COMPLETE));
}

std::optional<std::vector<ParameterNote>> read_notes(const OpenclDevice& device, cl_kernel kernel) {
    cl_uint count = 0;
    if (device.api().clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr) !=
        CL_SUCCESS) {
        return std::nullopt;
    }
    backend::plausible(Backend::opencl, "clGetKernelInfo", "arguments", count, 0, backend::most_names);
    std::vector<ParameterNote> notes;
    for (cl_uint i = 0; i < count; ++i) {
        std::optional<ParameterNote> note = read_note(device, kernel, i);
        if (!note) {
            return std::nullopt;
        }
        notes.push_back(std::move(*note));
    }
    return notes;
}

void KernelRelease::operator()(cl_kernel kernel) const noexcept {
    if (!backend::process_is_exiting()) {
        static_cast<void>(api->clReleaseKernel(kernel));
    }
}

OpenclKernel::OpenclKernel(OpenclDevice& device, KernelHandle kernel, std::string name,
                           const KernelNotes& notes, std::shared_ptr<LaunchRecord> record)
    : device_(device), kernel_(std::move(kernel)), record_(std::move(record)) {
    info_.name = std::move(name);
    read_limits();
    read_parameters(notes);
}

void OpenclKernel::set_group_limit(backend::GroupLimit limit) {
    if (limit.items != 0 && info_.max_group_size > limit.items) {
        info_.max_group_size = limit.items; // Grid::covering() then chooses smaller groups.
    }
    group_limit_ = std::move(limit);
}

std::size_t OpenclKernel::most_offset() const {
    return device_.traits().short_offsets ? std::numeric_limits<std::int32_t>::max() : Kernel::most_offset();
}

void OpenclKernel::read_limits() {
    // 0: the driver does not know it.
    const auto items = [](const char* what, std::size_t value) {
        return backend::plausible(Backend::opencl, "clGetKernelWorkGroupInfo", what, value, 0,
                                  backend::most_group_items);
    };
    info_.max_group_size =
        items("work-items of the largest group",
              work_group_value<std::size_t>(device_, kernel_.get(), CL_KERNEL_WORK_GROUP_SIZE));
    info_.max_group_size_is_hint = device_.traits().group_size_is_hint;
    info_.preferred_multiple = items(
        "work-items as preferred multiple",
        work_group_value<std::size_t>(device_, kernel_.get(), CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE));
    info_.local_bytes =
        backend::plausible(Backend::opencl, "clGetKernelWorkGroupInfo", "bytes of local memory",
                           work_group_value<cl_ulong>(device_, kernel_.get(), CL_KERNEL_LOCAL_MEM_SIZE), 0,
                           backend::most_group_bytes);
    info_.required_local = work_group_value<std::array<std::size_t, 3>>(device_, kernel_.get(),
                                                                        CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
    for (const std::size_t size : info_.required_local) {
        items("work-items as required group size in one dimension", size);
    }
}

void OpenclKernel::read_parameters(const KernelNotes& notes) {
    const Api& api = device_.api();
    cl_uint count = 0;
    if (api.clGetKernelInfo(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr) != CL_SUCCESS) {
        return;
    }
    backend::plausible(Backend::opencl, "clGetKernelInfo", "arguments", count, 0, backend::most_names);
    info_.parameters_known = true;
    info_.parameters.resize(count);
    reads_only_.resize(count);
    settings_.resize(count);
    const auto spare = notes.find(info_.name);
    for (cl_uint i = 0; i < count; ++i) {
        std::optional<ParameterNote> note = read_note(device_, kernel_.get(), i);
        if (!note && spare != notes.end() && spare->second.size() == count) {
            note = spare->second[i];
        }
        if (!note) {
            continue; // A binary without the compiler's notes: only its number of arguments is known.
        }
        ParameterInfo& parameter = info_.parameters[i];
        const detail::NamedType type = detail::parse_type(note->type);
        parameter.name = note->name;
        parameter.type_name = note->type;
        parameter.type = type.scalar;
        const bool pointer = note->type.empty() || note->type.find('*') != std::string::npos;
        if (note->space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
            parameter.kind = ParameterKind::local;
            parameter.space = AddressSpace::local;
        } else if (note->space == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
            parameter.kind = ParameterKind::value;
            parameter.space = AddressSpace::none;
            parameter.bytes = type.bytes != 0 || is_object(note->type)
                                  ? type.bytes
                                  : value_bytes(api, kernel_.get(), i, most_value_bytes);
        } else if (pointer) { // Otherwise it is an image.
            parameter.kind = ParameterKind::buffer;
            parameter.bytes = sizeof(cl_mem);
            parameter.space =
                note->space == CL_KERNEL_ARG_ADDRESS_CONSTANT ? AddressSpace::constant : AddressSpace::global;
            reads_only_[i] = note->is_const || note->space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
            parameter.read_only = reads_only_[i];
        }
    }
}

} // namespace ferry::opencl
