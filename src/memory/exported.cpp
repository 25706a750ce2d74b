// SPDX-License-Identifier: Apache-2.0
// Memory of one device that devices of other APIs use in place.
#include "base/process_exit.hpp"
#include "base/text.hpp"
#include "check/race.hpp"
#include "memory/device_pool.hpp"
#include "memory/memory_state.hpp"
#include "system/file_descriptor.hpp"
#include "system/no_cancellation.hpp"

#include <ferry/exported.hpp>

#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace ferry::detail {
namespace {

std::size_t checked_bytes(std::size_t count, std::size_t element, SourceLocation where) {
    if (count == 0) {
        throw Error(Code::invalid_argument,
                    "External memory of 0 elements cannot be made; it needs at least 1", where);
    }
    if (count > std::numeric_limits<std::size_t>::max() / 2 / element) {
        throw Error(Code::out_of_range,
                    "External memory of " + std::to_string(count) + " elements of " + in_bytes(element) +
                        " is larger than the address space",
                    where);
    }
    return count * element;
}

Memory& memory_of(const Region& region, SourceLocation where) {
    if (region.memory == nullptr) {
        throw Error(Code::invalid_state, "The Exported has no memory: it is empty or was moved from", where);
    }
    return *region.memory;
}

std::string refusal(const DeviceState& device, const std::string& why) {
    return "Memory of another API cannot be used on " + device.describe() + ": " + why;
}

[[noreturn]] void refuse(const DeviceState& device, const std::string& why, SourceLocation where) {
    throw Error(Code::unsupported, refusal(device, why), where);
}

std::string known(const std::string& text) {
    return text.empty() ? "not known" : text;
}

/// The driver of another GPU may accept the memory, and give wrong bytes.
void check_same_hardware(DeviceState& from, DeviceState& to, SourceLocation where) {
    if (&from == &to) {
        return;
    }
    if (from.info().backend == to.info().backend) {
        refuse(to, "it was allocated on " + from.describe() + ", another device of the same backend", where);
    }
    const std::string from_id = from.native().external_identity();
    const std::string to_id = to.native().external_identity();
    const std::string& from_pci = from.info().pci_address;
    const std::string& to_pci = to.info().pci_address;
    if ((!from_id.empty() && from_id == to_id) || (!from_pci.empty() && from_pci == to_pci)) {
        return;
    }
    refuse(to,
           "it is not known to be the same GPU as " + from.describe() + " (UUID " + known(to_id) + " and " +
               known(from_id) + ", PCI address " + known(to_pci) + " and " + known(from_pci) + ")",
           where);
}

MemoryHandle allocate_native(DeviceState& device, std::size_t bytes) {
    device.pool().reserve_direct(MemoryKind::device, bytes);
    try {
        std::string why;
        auto native = device.native().allocate_exportable(bytes, why);
        if (native == nullptr) {
            throw Error(Code::unsupported, why);
        }
        return std::make_shared<Memory>(device, MemoryKind::device, bytes, std::move(native),
                                        Memory::Origin::allocated);
    } catch (...) {
        device.pool().unreserve_direct(MemoryKind::device, bytes);
        throw;
    }
}

MemoryHandle open(DeviceState& device, backend::ExternalMemory external, std::size_t bytes,
                  MemoryHandle exporter, SourceLocation where) {
    const NoCancellation not_cancelled;
    try {
        const VendorCall call;
        call.check(where);
        static_cast<void>(device.pool());
        std::string why;
        auto native = device.native().import_external(std::move(external), bytes, why);
        if (native == nullptr) {
            refuse(device, why, where);
        }
        auto memory = std::make_shared<Memory>(device, MemoryKind::device, bytes, std::move(native),
                                               Memory::Origin::adopted);
        memory->keep_alive(std::move(exporter));
        race::made(*memory, where);
        return memory;
    } catch (const Error& error) {
        // HIP 5.2 reports a lack of memory for a descriptor of another kind. An import needs no memory.
        const bool refused = error.vendor() != nullptr && error.code() != Code::device_lost;
        throw(refused ? error.with_code(Code::unsupported).with_message(refusal(device, error.what()))
                      : error)
            .with_where(where);
    }
}

} // namespace

MemoryHandle allocate_exportable(const Device& device, std::size_t count, std::size_t element,
                                 SourceLocation where) {
    const std::size_t bytes = checked_bytes(count, element, where);
    DeviceState& state = device.state();
    state.check_alive(where);
    check_room(state, bytes, MemoryKind::device, where);
    const NoCancellation not_cancelled;
    const std::string what = "Exported memory of " + in_bytes(bytes) + " on " + state.describe();
    try {
        const VendorCall call;
        call.check(where);
        MemoryHandle memory = allocate_native(state, bytes);
        race::made(*memory, where);
        return memory;
    } catch (const Error& error) {
        throw error.with_message(what + " could not be allocated: " + error.what()).with_where(where);
    }
}

MemoryHandle use_exported(const Region& region, const Device& device, SourceLocation where) {
    Memory& memory = memory_of(region, where);
    DeviceState& to = device.state();
    to.check_alive(where);
    check_same_hardware(memory.device(), to, where);
    const NoCancellation not_cancelled;
    try {
        const VendorCall call;
        call.check(where);
        return open(to, memory.device().native().export_memory(memory.native()), memory.bytes(),
                    memory.shared_from_this(), where);
    } catch (const Error& error) {
        throw error.with_where(where);
    }
}

ExternalMemory export_memory(const Region& region, SourceLocation where) {
    Memory& memory = memory_of(region, where);
    memory.device().check_alive(where);
    const NoCancellation not_cancelled;
    try {
        const VendorCall call;
        call.check(where);
        backend::ExternalMemory external = memory.device().native().export_memory(memory.native());
        return {external.descriptor.release(), external.bytes, external.dedicated};
    } catch (const Error& error) {
        throw error.with_where(where);
    }
}

MemoryHandle open_external(const Device& device, const ExternalMemory& external, std::size_t count,
                           std::size_t element, SourceLocation where) {
    const std::size_t bytes = checked_bytes(count, element, where);
    DeviceState& state = device.state();
    state.check_alive(where);
    if (external.descriptor < 0) {
        throw Error(Code::invalid_argument,
                    "The file descriptor of the external memory is " + std::to_string(external.descriptor) +
                        "; a valid one is 0 or more",
                    where);
    }
    if (bytes > external.bytes) {
        throw Error(Code::out_of_range,
                    "The external memory has " + in_bytes(external.bytes) + ", but " + in_bytes(bytes) +
                        " are to be opened",
                    where);
    }
    check_room(state, bytes, MemoryKind::device, where);
    FileDescriptor own = duplicate(external.descriptor);
    if (!own) {
        throw Error(errno == EBADF ? Code::invalid_argument : Code::out_of_memory,
                    "The file descriptor " + std::to_string(external.descriptor) +
                        " of the external memory cannot be duplicated: " + std::strerror(errno),
                    where);
    }
    return open(state, {std::move(own), external.bytes, external.dedicated}, bytes, nullptr, where);
}

} // namespace ferry::detail
