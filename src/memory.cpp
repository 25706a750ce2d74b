// SPDX-License-Identifier: Apache-2.0
#include "lifetime.hpp"
#include "memory_state.hpp"
#include "race/race.hpp"
#include "staging/known_memory.hpp"
#include "text.hpp"
#include "trace/trace.hpp"

#include <ferry/buffer.hpp>

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace ferry::detail {
namespace {

std::uint64_t host_memory_bytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
}

void check_room(DeviceState& device, std::size_t bytes, MemoryKind kind, SourceLocation where) {
    const DeviceInfo& info = device.info();
    const std::string what =
        "A buffer of " + in_bytes(bytes) + " in " + std::string(to_string(kind)) + " memory";
    if (kind == MemoryKind::device && info.max_allocation != 0 && bytes > info.max_allocation) {
        throw Error(Code::out_of_memory,
                    what + " is larger than the largest allocation of " + device.describe() + ", " +
                        in_bytes(info.max_allocation),
                    where);
    }
    // Some drivers accept more than there is and fail, or kill the process, when it is used.
    const std::uint64_t total = kind == MemoryKind::device ? info.total_memory : host_memory_bytes();
    const std::uint64_t used = device.used.load(std::memory_order_relaxed);
    if (total != 0 && (bytes > total || (kind == MemoryKind::device && used > total - bytes))) {
        throw Error(Code::out_of_memory,
                    what + " does not fit: " + (kind == MemoryKind::device ? device.describe() : "the host") +
                        " has " + in_bytes(total) +
                        (used != 0 ? ", of which this process uses " + in_bytes(used) : ""),
                    where);
    }
}

} // namespace

MemoryHandle allocate(const Device& device, std::size_t count, std::size_t element, MemoryKind kind,
                      SourceLocation where) {
    if (count > std::numeric_limits<std::size_t>::max() / 2 / element) {
        throw Error(Code::out_of_range,
                    "A buffer of " + std::to_string(count) + " elements of " + in_bytes(element) +
                        " is larger than the address space",
                    where);
    }
    DeviceState& state = device.state();
    state.check_alive(where);
    if (!device.has(kind)) {
        throw Error(Code::unsupported,
                    state.describe() + " has no " + std::string(to_string(kind)) +
                        " memory; Device::has() tells, and kind device is always there",
                    where);
    }
    const std::size_t bytes = count * element;
    if (bytes == 0) {
        return nullptr;
    }
    check_room(state, bytes, kind, where);
    trace::start(where);
    const trace::Span span("Buffer", where);
    try {
        const VendorCall call;
        call.check(where);
        auto memory =
            std::make_shared<Memory>(state, kind, bytes, state.native().allocate(kind, bytes), true);
        race::made(*memory, where);
        return memory;
    } catch (const Error& error) {
        throw error
            .with_message("A buffer of " + in_bytes(bytes) + " in " + std::string(to_string(kind)) +
                          " memory of " + state.describe() + " could not be allocated: " + error.what())
            .with_where(where);
    }
}

Memory::Memory(DeviceState& device, MemoryKind kind, std::size_t bytes,
               std::unique_ptr<backend::Memory> native, bool counted)
    : device_(&device), kind_(kind), bytes_(bytes), counted_(counted), native_(std::move(native)) {
    if (counted_) {
        device_->used.fetch_add(bytes_, std::memory_order_relaxed);
    }
    if (kind_ != MemoryKind::device) {
        staging::KnownMemory::get().add(*device_, native_->host, bytes_);
    }
}

Memory::~Memory() {
    if (kind_ != MemoryKind::device) {
        staging::KnownMemory::get().remove(native_->host);
    }
    race::destroyed(*this);
    if (!backend::process_is_exiting()) {
        for (const EventRef& use : foreign_uses_) {
            try {
                use->wait();
            } catch (const Error&) { // the queue of that command tells it
            }
        }
    }
    if (const VendorCall call; call.allowed()) {
        native_.reset();
    } else {
        static_cast<void>(native_.release()); // the process ends, and what it would call may be gone
    }
    if (counted_) {
        device_->used.fetch_sub(bytes_, std::memory_order_relaxed);
    }
}

void Memory::used_until(EventRef event) {
    const std::lock_guard lock(mutex_);
    // Keeps the list short where one buffer is copied to and fro for ever.
    std::erase_if(foreign_uses_, [](const EventRef& use) {
        const auto phase = use->phase();
        return phase == EventState::Phase::done || phase == EventState::Phase::failed || use->ready();
    });
    foreign_uses_.push_back(std::move(event));
}

void Memory::begin_map(const Region& region, Map access, SourceLocation where) {
    const bool writes = access != Map::read;
    const std::lock_guard lock(mutex_);
    for (const MappedPart& part : parts_) {
        const bool overlaps =
            region.offset < part.offset + part.bytes && part.offset < region.offset + region.bytes;
        if (overlaps && (writes || part.writes)) {
            throw Error(Code::invalid_state,
                        "Bytes " + std::to_string(region.offset) + " to " +
                            std::to_string(region.offset + region.bytes) +
                            " of the buffer cannot be mapped for " + std::string(to_string(access)) +
                            ", because bytes " + std::to_string(part.offset) + " to " +
                            std::to_string(part.offset + part.bytes) + " are mapped for " +
                            (part.writes ? "writing" : "reading") + "; end that mapping first",
                        where);
        }
    }
    parts_.push_back({region.offset, region.bytes, writes});
    mapped_.fetch_add(1, std::memory_order_relaxed);
}

void Memory::end_map(const Region& region, Map access) noexcept {
    const std::lock_guard lock(mutex_);
    const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const MappedPart& p) {
        return p.offset == region.offset && p.bytes == region.bytes && p.writes == (access != Map::read);
    });
    if (part != parts_.end()) {
        parts_.erase(part);
        mapped_.fetch_sub(1, std::memory_order_relaxed);
    }
}

void Memory::check_mapped(bool for_writing, SourceLocation where) const {
    const std::lock_guard lock(mutex_);
    for (const MappedPart& part : parts_) {
        if (for_writing || part.writes) {
            throw Error(Code::invalid_state,
                        "A command cannot " + std::string(for_writing ? "write to" : "use") +
                            " the buffer of " + in_bytes(bytes_) + " on " + device_->describe() +
                            " while its bytes " + std::to_string(part.offset) + " to " +
                            std::to_string(part.offset + part.bytes) + " are mapped for " +
                            (part.writes ? "writing" : "reading") + "; end the mapping first",
                        where);
        }
    }
}

void check_range(std::size_t size, std::size_t first, std::size_t count, SourceLocation where) {
    if (first > size || count > size - first) {
        throw Error(Code::out_of_range,
                    "The range of " + std::to_string(count) + " elements from element " +
                        std::to_string(first) + " on leaves a view of " + std::to_string(size) + " elements",
                    where);
    }
}

void* host_address(const Region& region, SourceLocation where) {
    if (region.memory == nullptr) {
        return nullptr;
    }
    void* const host = region.memory->native().host;
    if (region.memory->kind() == MemoryKind::device || host == nullptr) {
        throw Error(Code::unsupported,
                    "The host cannot reach a buffer of kind " +
                        std::string(to_string(region.memory->kind())) + " on " +
                        region.memory->device().describe() + " directly; map it, or copy",
                    where);
    }
    return static_cast<std::byte*>(host) + region.offset;
}

Device device_of(const Region& region, SourceLocation where) {
    if (region.memory == nullptr) {
        throw Error(Code::invalid_state, "An empty buffer or view has no device", where);
    }
    return Device(region.memory->device());
}

MemoryKind kind_of(const Region& region, SourceLocation where) {
    if (region.memory == nullptr) {
        throw Error(Code::invalid_state, "An empty buffer or view has no memory kind", where);
    }
    return region.memory->kind();
}

} // namespace ferry::detail
