// SPDX-License-Identifier: Apache-2.0
#include "host_device.hpp"

#include "base/process_exit.hpp"
#include "base/processor.hpp"
#include "host_backend.hpp"
#include "host_compiler.hpp"
#include "host_event.hpp"
#include "host_exit.hpp"
#include "host_launch.hpp"
#include "host_memory.hpp"
#include "host_program.hpp"
#include "host_queue.hpp"
#include "system/machine.hpp"
#include "translate/dialect.hpp"

#include <ferry/version.hpp>

namespace ferry::host {

HostDevice::HostDevice() {
    watch_forks();
    detail::at_process_exit(detail::ExitTask::host_work, &stop_at_exit);
    constexpr std::size_t most_groups = 0x7fffffff;
    info_.backend = Backend::host;
    info_.architecture = architecture();
    info_.name = processor().name;
    if (info_.name.empty()) {
        info_.name = info_.architecture + " processor"; // Some architectures' kernels do not report the
                                                        // model.
    }
    info_.vendor = processor().vendor;
    info_.driver_version = operating_system();
    info_.api_version = version();
    info_.kind = DeviceKind::cpu;
    info_.integrated = true;
    info_.total_memory = total_memory();
    info_.max_allocation = info_.total_memory;
    info_.compute_units = thread_count();
    info_.clock_mhz = clock_mhz();
    info_.max_group_size = max_group_size;
    info_.max_local = {max_group_size, max_group_size, max_group_size};
    info_.max_groups = {most_groups, 65535, 65535}; // The product must fit in a 64-bit number.
    info_.local_memory = local_memory;
    info_.max_argument_bytes = max_argument_bytes;
    info_.sub_group_width = 1;
    info_.fp16 = true; // Computed in float, then rounded.
    info_.fp64 = true;
    info_.int64_atomics = true;
    info_.timing = true;
    info_.compiles = Compiler::get().available();
    info_.compile_note = info_.compiles ? "OpenCL C, compiled by " + Compiler::get().note()
                                        : "no C++ compiler: " + Compiler::get().note();
    info_.host_memory = true;
    info_.shared_memory = true;
}

std::optional<std::uint64_t> HostDevice::free_memory() {
    return host::free_memory();
}

std::unique_ptr<backend::Memory> HostDevice::allocate(MemoryKind, std::size_t bytes) {
    return std::make_unique<HostMemory>(Block::allocate(bytes));
}

std::unique_ptr<backend::Memory> HostDevice::part(backend::Memory& whole, std::size_t offset, std::size_t) {
    return std::make_unique<HostMemory>(static_cast<HostMemory&>(whole).block(), offset);
}

std::unique_ptr<backend::Memory> HostDevice::wrap(const backend::NativeMemory& native, std::size_t,
                                                  backend::Ownership ownership) {
    return std::make_unique<HostMemory>(Block::wrap(reinterpret_cast<void*>(native.handle), ownership));
}

std::unique_ptr<backend::Memory> HostDevice::import_memory(void* data, std::size_t, bool, std::string&) {
    return std::make_unique<HostMemory>(Block::wrap(data, backend::Ownership::borrowed));
}

std::unique_ptr<backend::Queue> HostDevice::create_queue(const QueueOptions&) {
    return std::make_unique<HostQueue>();
}

std::unique_ptr<backend::Event> HostDevice::create_event(bool timing) {
    return std::make_unique<HostEvent>(timing);
}

backend::Fit HostDevice::fit(const Source& source) const {
    if (source.language() == Language::host) {
        return {backend::rank::binary,
                source.host_module() != nullptr ? "compiled into this program" : "functions of this program"};
    }
    if (source.language() != Language::opencl_c) {
        return {backend::rank::none, "the host backend takes OpenCL C and functions of the program"};
    }
    const Compiler& compiler = Compiler::get();
    if (!compiler.available()) {
        return {backend::rank::none, "OpenCL C needs a C++ compiler here, and " + compiler.note()};
    }
    return {backend::rank::portable, "translated, compiled by " + compiler.note()};
}

std::optional<translate::Dialect> HostDevice::dialect() const {
    return translate::Dialect::host;
}

std::unique_ptr<backend::Program> HostDevice::build(const Source& source, const BuildOptions& options,
                                                    const translate::Translation* translation) {
    if (source.language() == Language::opencl_c) {
        return std::make_unique<TranslatedProgram>(
            Compiler::get().compile(*translation, options, source.name()), info_.max_group_size);
    }
    if (source.host_module() != nullptr) {
        return std::make_unique<TranslatedProgram>(
            checked(static_cast<const Module*>(source.host_module()), options), info_.max_group_size);
    }
    return std::make_unique<HostProgram>(source, info_.max_group_size);
}

std::vector<std::unique_ptr<backend::Device>> HostDriver::devices() {
    std::vector<std::unique_ptr<backend::Device>> devices;
    if (mode_.strict) {
        devices.push_back(make_strict_(mode_.seed));
    } else {
        devices.push_back(std::make_unique<HostDevice>());
    }
    return devices;
}

std::unique_ptr<backend::Driver> open(const backend::Libraries& settings, std::vector<BackendReason>& reasons,
                                      MakeStrict make_strict) {
    const Mode mode = read_mode(settings);
    for (auto fault : {thread_setting_fault(), mode.fault}) {
        if (fault) {
            reasons.push_back({BackendProblem::invalid_setting, std::move(*fault)});
        }
    }
    return reasons.empty() ? std::make_unique<HostDriver>(mode, make_strict) : nullptr;
}

} // namespace ferry::host
