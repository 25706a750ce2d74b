// SPDX-License-Identifier: Apache-2.0
#include "null_device.hpp"

#include "hal/fact_builders.hpp"
#include "null_backend.hpp"
#include "null_error.hpp"
#include "null_event.hpp"
#include "null_queue.hpp"

#include <string>

namespace ferry::null {

// Every value is the vendor's answer. A field without one keeps its default. The numbers below are the
// smallest that the front accepts.
NullDevice::NullDevice(std::uint32_t index) {
    info_.backend = this_backend;
    info_.index = index;
    info_.name = "null";
    info_.vendor = "Ferry";
    info_.driver_version = "0";
    info_.api_version = "0";
    info_.kind = DeviceKind::accelerator;
    info_.total_memory = std::uint64_t{2} << 20;
    info_.max_allocation = std::uint64_t{2} << 20;
    info_.compute_units = 1;
    info_.max_group_size = 64;
    info_.preferred_group_size = 64;
    info_.max_local = {64, 64, 64};
    info_.max_groups = {65535, 65535, 65535};
    info_.local_memory = std::size_t{16} << 10;
    info_.max_argument_bytes = 256;
    info_.compile_note = "the null backend has no compiler";
}

MemoryCapabilities NullDevice::memory_facts(MemoryKind kind) const {
    return backend::without(kind,
                            "The null backend has no memory of kind " + std::string(to_string(kind)) + ".");
}

std::unique_ptr<backend::Memory> NullDevice::allocate(MemoryKind kind, std::size_t bytes) {
    throw refusal("An allocation of " + std::to_string(bytes) + " bytes of memory of kind " +
                  std::string(to_string(kind)));
}

std::unique_ptr<backend::Memory> NullDevice::wrap(const backend::NativeMemory&, std::size_t bytes,
                                                  backend::Ownership) {
    throw refusal("Memory of " + std::to_string(bytes) + " bytes that another library allocated");
}

std::unique_ptr<backend::Queue> NullDevice::create_queue(const QueueOptions&) {
    return std::make_unique<NullQueue>();
}

std::unique_ptr<backend::Event> NullDevice::create_event(bool) {
    return std::make_unique<NullEvent>();
}

backend::Fit NullDevice::fit(const Source&) const {
    return {backend::rank::none, "the null backend runs no code"};
}

std::unique_ptr<backend::Program> NullDevice::build(const Source& source, const BuildOptions&,
                                                    const translate::Translation*) {
    throw refusal("A program in " + std::string(to_string(source.language())));
}

} // namespace ferry::null
