// SPDX-License-Identifier: Apache-2.0
// The answers of a backend that lacks an optional part of the contract.
#include "hal/backend.hpp"

namespace ferry::backend {

void Queue::copy_peer(Place, Place, std::size_t) {
    throw Error(Code::internal, "copy_peer was called on a backend whose devices do not reach each other");
}

void Queue::replay(Graph&) {
    throw Error(Code::internal, "replay was called on a backend that records no graphs");
}

std::unique_ptr<Graph> Device::record(std::span<const RecordedCommand>) {
    return nullptr;
}

std::optional<translate::Dialect> Device::dialect() const {
    return std::nullopt;
}

std::unique_ptr<Memory> Device::import_memory(void*, std::size_t, bool, std::string& why) {
    why = "it has no access to memory that Ferry did not allocate";
    return nullptr;
}

std::unique_ptr<Memory> Device::allocate_exportable(std::size_t, std::string& why) {
    why = "its backend exports no memory";
    return nullptr;
}

ExternalMemory Device::export_memory(Memory&) {
    throw Error(Code::internal, "export_memory() was called on a backend that exports no memory");
}

std::unique_ptr<Memory> Device::import_external(ExternalMemory, std::size_t, std::string& why) {
    why = "its backend takes no memory of other APIs";
    return nullptr;
}

std::string Device::external_identity() const {
    return info().uuid;
}

bool Device::is_page_locked(const void*) {
    return false;
}

std::unique_ptr<Memory> Device::part(Memory&, std::size_t, std::size_t) {
    throw Error(Code::internal, "part() was called on a backend whose memory has no parts");
}

bool Device::reaches(Device&) {
    return false;
}

} // namespace ferry::backend
