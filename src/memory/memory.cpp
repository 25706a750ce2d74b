// SPDX-License-Identifier: Apache-2.0
#include "base/location_text.hpp"
#include "base/process_exit.hpp"
#include "base/text.hpp"
#include "check/race.hpp"
#include "device/queue_interface.hpp"
#include "memory/device_pool.hpp"
#include "memory/known_memory.hpp"
#include "memory/memory_debug.hpp"
#include "memory/memory_state.hpp"
#include "system/machine.hpp"
#include "system/no_cancellation.hpp"
#include "trace/trace.hpp"

#include <ferry/buffer.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace ferry::detail {
namespace {

std::string describe(std::size_t bytes, MemoryKind kind) {
    return "A buffer of " + in_bytes(bytes) + " in " + std::string(to_string(kind)) + " memory";
}

} // namespace

void check_room(DeviceState& device, std::size_t bytes, MemoryKind kind, SourceLocation where) {
    const DeviceInfo& info = device.info();
    if (kind == MemoryKind::device && info.max_allocation != 0 && bytes > info.max_allocation) {
        throw Error(Code::out_of_memory,
                    describe(bytes, kind) + " is larger than the largest allocation of " + device.describe() +
                        ", " + in_bytes(info.max_allocation),
                    where);
    }
    // Some drivers accept more than they have and fail, or kill the process, when it is used. Unused memory
    // in the pool is released automatically to make room.
    const bool on_device = kind == MemoryKind::device;
    const std::uint64_t total = on_device ? info.total_memory : host::total_memory();
    const std::uint64_t used = on_device && total >> 4 < bytes ? device.pool().use().used : 0;
    if (total != 0 && (bytes > total || used > total - bytes)) {
        throw Error(Code::out_of_memory,
                    describe(bytes, kind) + " does not fit: " + (on_device ? device.describe() : "the host") +
                        " has " + in_bytes(total) +
                        (used != 0 ? ", of which this process uses " + in_bytes(used) : ""),
                    where);
    }
}

namespace {

MemoryHandle allocate_direct(DeviceState& device, std::size_t bytes, MemoryKind kind) {
    device.pool().reserve_direct(kind, bytes);
    try {
        return std::make_shared<Memory>(device, kind, bytes, device.native().allocate(kind, bytes),
                                        Memory::Origin::allocated);
    } catch (...) {
        device.pool().unreserve_direct(kind, bytes);
        throw;
    }
}

MemoryHandle allocate_pooled(DeviceState& device, std::size_t bytes, MemoryKind kind) {
    Block& block = device.pool().take(kind, bytes);
    try {
        return std::make_shared<Memory>(device, kind, bytes, block);
    } catch (...) {
        device.pool().give(kind, block);
        throw;
    }
}

bool is_ferrys_host_memory(MemoryKind kind) noexcept {
    return kind == MemoryKind::host || kind == MemoryKind::shared;
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
    const NoCancellation not_cancelled;
    try {
        const VendorCall call;
        call.check(where);
        DevicePool& pool = state.pool();
        MemoryDebug* const debug = state.memory_debug();
        auto memory = debug != nullptr ? debug->allocate(bytes, kind, where)
                      : pool.is_on()   ? allocate_pooled(state, bytes, kind)
                                       : allocate_direct(state, bytes, kind);
        race::made(*memory, where);
        return memory;
    } catch (const Error& error) {
        throw error
            .with_message(describe(bytes, kind) + " of " + state.describe() +
                          " could not be allocated: " + error.what())
            .with_where(where);
    }
}

Memory::Memory(DeviceState& device, MemoryKind kind, std::size_t bytes, Block& block,
               std::unique_ptr<backend::Memory> part)
    : device_(&device),
      native_(part != nullptr ? part.get() : &DevicePool::native_of(block)),
      kind_(kind),
      origin_(Origin::allocated),
      counted_(true),
      bytes_(bytes),
      block_(&block),
      own_(std::move(part)) {
    device.pool().count_buffer(kind, bytes);
    if (is_ferrys_host_memory(kind_)) {
        staging::KnownMemory::get().add(*device_, native_->host, bytes_);
    }
}

Memory::Memory(DeviceState& device, MemoryKind kind, std::size_t bytes,
               std::unique_ptr<backend::Memory> native, Origin origin)
    : device_(&device),
      native_(native.get()),
      kind_(kind),
      origin_(origin),
      counted_(origin == Origin::allocated),
      exposed_(origin == Origin::adopted),
      bytes_(bytes),
      own_(std::move(native)) {
    if (counted_) {
        device.pool().count_buffer(kind, bytes);
    }
    if (origin == Origin::imported) {
        device.count_import(1);
    }
    if (is_ferrys_host_memory(kind_)) {
        staging::KnownMemory::get().add(*device_, native_->host, bytes_);
    }
}

Memory::~Memory() {
    if (forks_ != fork_count()) { // It belongs to the parent process, and its locks may be held there.
        static_cast<void>(own_.release());
        return;
    }
    if (is_ferrys_host_memory(kind_)) {
        staging::KnownMemory::get().remove(native_->host);
    }
    if (origin_ == Origin::imported) {
        device_->count_import(-1);
    }
    const NoCancellation not_cancelled;
    race::destroyed(*this);
    if (backend::process_is_exiting()) {
        static_cast<void>(own_.release()); // Its callees may be destroyed.
        return;
    }
    if (is_adopted_in_debug) {
        device_->memory_debug()->forget_adopted(*this);
    }
    bool is_unused = true;
    if (block_ != nullptr) {
        if (const VendorCall call; call.allowed()) {
            own_.reset();
        } else {
            static_cast<void>(own_.release());
        }
        give_block_back();
    } else {
        is_unused = wait_for_queues();
        if (!wait_for_use_past_ferry()) {
            if (DevicePool* const pool = device_->pool_if_made();
                pool != nullptr && is_unused && is_freed_here()) {
                pool->keep(kind_, counted_ ? bytes_ : 0, std::move(own_));
            }
            is_unused = false;
        }
        if (const VendorCall call; is_unused && call.allowed()) {
            own_.reset();
        } else {
            static_cast<void>(own_.release());
        }
    }
    if (counted_) {
        device_->pool().uncount_buffer(kind_, bytes_);
        if (block_ == nullptr && is_unused) {
            device_->pool().unreserve_direct(kind_, bytes_);
        }
    }
}

/// As far as the native memory does not wait: for the commands that use it, of the queues that enqueued them.
bool Memory::wait_for_queues() noexcept {
    if (keeps_itself()) {
        return uses_.wait_for_all_but(*device_);
    }
    return origin_ == Origin::borrowed || uses_.wait_for_all();
}

bool Memory::keeps_itself() const noexcept {
    return origin_ == Origin::adopted && device_->native().keeps_used_memory();
}

void Memory::wait_for_commands() noexcept {
    if (forks_ != fork_count() || backend::process_is_exiting()) {
        return;
    }
    const NoCancellation not_cancelled;
    uses_.wait_for_held_back();
    if (origin_ == Origin::imported) {
        static_cast<void>(wait_for_use_past_ferry()); // The end of the import checks again.
    }
}

bool Memory::wait_for_use_past_ferry() noexcept {
    if (!exposed_ || origin_ == Origin::borrowed || keeps_itself()) {
        return true;
    }
    const VendorCall call;
    if (!call.allowed() || !device_->native().synchronize()) {
        return false;
    }
    if (DevicePool* const pool = device_->pool_if_made()) {
        pool->give_kept();
    }
    return true;
}

void Memory::give_block_back() noexcept {
    Marks& marks = block_->marks;
    const bool is_unused = wait_for_use_past_ferry();
    if (exposed_ && is_unused) {
        std::erase_if(marks, [this](const Mark& mark) { return mark.timeline->is_of(*device_); });
    }
    drop_reached(marks);
    try {
        uses_.add_to(marks);
    } catch (const std::exception&) { // Out of memory for the marks.
        if (!uses_.wait_for_all()) {
            return;
        }
    }
    if (has_abandoned(marks)) {
        return; // The block is not used again.
    }
    if (is_unused) {
        device_->pool().give(kind_, *block_);
    } else {
        device_->pool().keep(*block_);
    }
}

void Memory::set_destroyed(SourceLocation made) noexcept {
    made_ = made;
    mapped_.fetch_or(destroyed, std::memory_order_release);
    if (std::exchange(counted_, false)) {
        device_->pool().uncount_buffer(kind_, bytes_);
    }
}

void Memory::check_destroyed(const SourceLocation& where) const {
    if ((mapped_.load(std::memory_order_acquire) & destroyed) != 0) {
        throw Error(Code::invalid_state,
                    "A view is used whose buffer is gone: the buffer of " + in_bytes(bytes_) + " on " +
                        device_->describe() + location_text(", made", made_) + ", was destroyed before",
                    where);
    }
}

bool Memory::may_change_block() const noexcept {
    return uses_.empty() && own_ == nullptr && !settled_.load(std::memory_order_relaxed);
}

void Memory::change_block(const Timeline* queue) {
    if (Block* const other = device_->pool().exchange(kind_, *block_, bytes_, queue)) {
        block_ = other;
        native_ = &DevicePool::native_of(*other);
    }
}

void Memory::refuse_abandoned(const SourceLocation& where) const {
    throw Error(
        Code::command_failed,
        "The buffer of " + in_bytes(bytes_) + " on " + device_->describe() +
            " cannot be used: commands of another buffer may still use its memory, because the driver "
            "refuses to say whether they are done",
        where);
}

void Memory::admit(QueueInterface& queue, const SourceLocation& where) {
    check_process(forks_, "The buffer", where);
    Timeline& timeline = queue.timeline();
    const std::lock_guard lock(mutex_);
    if (uses_.has(timeline)) {
        return;
    }
    if (block_ != nullptr && !is_clear_for(block_->marks, &timeline)) {
        if (may_change_block()) {
            change_block(&timeline);
        }
        for (const Mark& mark : block_->marks) {
            if (mark.timeline != &timeline && !mark.is_reached()) {
                if (mark.is_abandoned()) {
                    refuse_abandoned(where);
                }
                queue.wait_for(mark, where);
                device_->pool().count_wait(kind_);
            }
        }
    }
    uses_.admit(timeline);
}

void Memory::settle() {
    if (settled_.load(std::memory_order_acquire)) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (block_ != nullptr) {
        if (!is_clear_for(block_->marks, nullptr) && may_change_block()) {
            change_block(nullptr);
        }
        if (!wait_for(block_->marks)) {
            refuse_abandoned(SourceLocation());
        }
    }
    settled_.store(true, std::memory_order_release);
}

void Memory::expose() {
    settle();
    exposed_.store(true, std::memory_order_relaxed);
}

void Memory::begin_map(const Region& region, Map access, const SourceLocation& where) {
    const bool writes = access != Map::read;
    check_destroyed(where);
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

void Memory::check_mapped(bool for_writing, const SourceLocation& where) const {
    check_destroyed(where);
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
    region.memory->check_destroyed(where);
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
