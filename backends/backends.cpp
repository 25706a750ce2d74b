// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_backends.hpp"
#include "hal/backend.hpp"
#include "host/host_backend.hpp"
#include "opencl/opencl_backend.hpp"
#include "translate/dialect.hpp"

namespace ferry::backend {

const std::array<Row, 4> rows{{
    {Backend::cuda, cuda::open},
    {Backend::hip, hip::open},
    {Backend::opencl, opencl::open},
    {Backend::host, host::open},
}};

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
