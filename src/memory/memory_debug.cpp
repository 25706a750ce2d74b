// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_debug.hpp"

#include "base/location_text.hpp"
#include "base/process_exit.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "memory/device_pool.hpp"
#include "system/fork.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace ferry::detail {
namespace {

constexpr std::size_t guard_bytes = 4096; // A multiple of the alignment of parts.
constexpr std::byte guard{0xfd};
constexpr std::byte fresh{0xcd};
constexpr std::byte destroyed{0xdd};
constexpr std::size_t most_quarantined = std::size_t{256} << 20;
constexpr std::size_t most_kept = 4096;
constexpr std::size_t chunk = std::size_t{4} << 20; // Bytes that are checked at a time.

std::string hex(unsigned value) {
    constexpr const char* digits = "0123456789abcdef";
    return {'0', 'x', digits[value / 16], digits[value % 16]};
}

} // namespace

MemoryDebug::Mode MemoryDebug::mode() {
    const Setting setting = memory_debug_setting();
    const std::string value = lower(setting.value);
    if (value.empty() || value == "off" || value == "0") {
        return Mode::off;
    }
    if (value == "on" || value == "1") {
        return Mode::tell;
    }
    if (value == "abort") {
        return Mode::abort;
    }
    throw Error(Code::invalid_argument,
                setting.source + " is \"" + setting.value + "\"; it takes on, abort and off",
                SourceLocation());
}

std::atomic<bool> MemoryDebug::any_{false};

MemoryDebug::MemoryDebug(DeviceState& device, Mode mode) : device_(device), mode_(mode) {
    any_ = true;
    at_process_exit(ExitTask::leaks, &detail::tell_of_leaks);
}

MemoryHandle MemoryDebug::allocate(std::size_t bytes, MemoryKind kind, SourceLocation where) {
    DevicePool& pool = device_.pool();
    const std::size_t front = device_.native().has_parts(kind) ? guard_bytes : 0;
    Block& block = take(kind, front + round_up(bytes, block_step) + guard_bytes);
    std::unique_ptr<Memory> memory;
    try {
        if (!wait_for(block.marks)) {
            throw Error(
                Code::command_failed,
                "Commands of another buffer may still use the memory, because the driver refuses to say "
                "whether they are done");
        }
        auto part =
            front == 0 ? nullptr : device_.native().part(*block.segment->memory, block.offset + front, bytes);
        memory = std::make_unique<Memory>(device_, kind, bytes, block, std::move(part));
    } catch (...) {
        pool.give(kind, block);
        throw;
    }
    Memory* const raw = memory.release();
    std::shared_ptr<Memory> handle(raw, [this](Memory* gone) { retire(gone); });
    const std::lock_guard lock(mutex_);
    Record record{raw, handle, &block, front, where};
    living_.push_back(record);
    fill(record, 0, front, guard);
    fill(record, front, bytes, fresh);
    fill(record, front + bytes, guard_bytes, guard);
    return handle;
}

Block& MemoryDebug::take(MemoryKind kind, std::size_t bytes) {
    try {
        return device_.pool().take(kind, bytes);
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory) {
            throw;
        }
    }
    empty_quarantine();
    return device_.pool().take(kind, bytes);
}

void MemoryDebug::empty_quarantine() {
    const std::lock_guard lock(mutex_);
    evict(0, 0);
}

void MemoryDebug::retire(Memory* memory) noexcept {
    if (backend::process_is_exiting() || memory->forks() != fork_count()) {
        return; // It counts as alive at the end. Its owner may be destroyed, or belong to a parent process.
    }
    try {
        memory->wait_for_uses(); // Before the lock, because a queue's thread may be in here too.
        const std::lock_guard lock(mutex_);
        const auto living = std::find_if(living_.begin(), living_.end(),
                                         [&](const Record& record) { return record.memory == memory; });
        if (living == living_.end()) {
            return;
        }
        check_guards(*living);
        fill(*living, living->front, memory->bytes(), destroyed);
        memory->set_destroyed(living->where);
        quarantined_bytes_ += memory->bytes();
        quarantine_.push_back(std::move(*living));
        living_.erase(living);
        evict(most_quarantined, most_kept);
    } catch (const std::exception&) { // A lost device keeps its memory.
    }
}

void MemoryDebug::evict(std::size_t most_bytes, std::size_t most_buffers) {
    while (quarantined_bytes_ > most_bytes || quarantine_.size() > most_buffers) {
        Record record = std::move(quarantine_.front());
        quarantine_.pop_front();
        quarantined_bytes_ -= record.memory->bytes();
        check_poison(record);
        check_count(record);
        delete record.memory;
    }
}

void MemoryDebug::fill(const Record& record, std::size_t offset, std::size_t bytes, std::byte value) {
    if (bytes == 0) {
        return;
    }
    const VendorCall call;
    call.check({});
    DeviceState::Relay& relay = device_.relay();
    const std::lock_guard lock(relay.mutex);
    relay.queue->fill({&DevicePool::native_of(*record.block), offset}, bytes, &value, 1);
    relay.queue->finish();
}

std::optional<MemoryDebug::Difference> MemoryDebug::find_other(const Record& record, std::size_t offset,
                                                               std::size_t bytes, std::byte value) {
    const VendorCall call;
    call.check({});
    DeviceState::Relay& relay = device_.relay();
    const std::lock_guard lock(relay.mutex);
    std::vector<std::byte> seen(std::min(bytes, chunk));
    for (std::size_t done = 0; done < bytes; done += seen.size()) {
        const std::size_t now = std::min(seen.size(), bytes - done);
        relay.queue->read({&DevicePool::native_of(*record.block), offset + done}, seen.data(), now);
        relay.queue->finish();
        const auto end = seen.begin() + static_cast<std::ptrdiff_t>(now);
        const auto other = std::find_if(seen.begin(), end, [&](std::byte b) { return b != value; });
        if (other != end) {
            return Difference{done + static_cast<std::size_t>(other - seen.begin()),
                              std::to_integer<unsigned>(*other)};
        }
    }
    return std::nullopt;
}

void MemoryDebug::check_guards(Record& record) {
    if (record.block == nullptr) {
        return;
    }
    const auto look = [&](Fault fault, std::size_t from, std::size_t size) {
        const bool told = (record.told & fault) != 0 || size == 0;
        return told ? std::nullopt : find_other(record, from, size, guard);
    };
    const std::size_t end = record.front + record.memory->bytes();
    if (const auto other = look(Fault::behind, end, guard_bytes)) {
        tell(record, Fault::behind,
             "was written to beyond its end: byte " + std::to_string(record.memory->bytes() + other->offset) +
                 " from its beginning is " + hex(other->value));
    }
    if (const auto other = look(Fault::before, 0, record.front)) {
        tell(record, Fault::before,
             "was written to before its beginning: byte " + std::to_string(record.front - other->offset) +
                 " before it is " + hex(other->value));
    }
}

void MemoryDebug::check_poison(Record& record) {
    if ((record.told & Fault::destroyed_since) != 0 || record.block == nullptr) {
        return;
    }
    if (const auto other = find_other(record, record.front, record.memory->bytes(), destroyed)) {
        tell(record, Fault::destroyed_since,
             "was written to after it was destroyed: its byte " + std::to_string(other->offset) + " is " +
                 hex(other->value));
    }
}

void MemoryDebug::check_count(Record& record) {
    if ((record.told & Fault::twice) == 0 && record.handle.use_count() < 0) {
        tell(record, Fault::twice, "was destroyed more than once; was a Buffer copied as bytes?");
    }
}

std::vector<std::string> MemoryDebug::check() {
    const std::lock_guard lock(mutex_);
    for (Record& record : living_) {
        record.memory->wait_for_uses();
        check_guards(record);
    }
    for (Record& record : quarantine_) {
        check_poison(record);
        check_count(record);
    }
    return std::exchange(unreported_, {});
}

void MemoryDebug::check_adoption(std::uint64_t native, std::size_t bytes, SourceLocation where) {
    const std::lock_guard lock(mutex_);
    for (const Record& record : living_) {
        const backend::Memory& memory = record.memory->native();
        const bool same =
            record.native == native ||
            (memory.handle != nullptr && reinterpret_cast<std::uint64_t>(memory.handle) == native) ||
            (memory.address != 0 && native < memory.address + record.memory->bytes() &&
             memory.address < native + bytes);
        if (same) {
            throw Error(Code::invalid_argument,
                        "Memory that a buffer frees already would be freed twice: " + describe(record) +
                            " has it",
                        where);
        }
    }
}

void MemoryDebug::adopted(Memory& memory, std::uint64_t native, SourceLocation where) {
    const std::lock_guard lock(mutex_);
    living_.push_back({&memory, {}, nullptr, 0, where, native});
}

void MemoryDebug::forget_adopted(const Memory& memory) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(living_, [&](const Record& record) { return record.memory == &memory; });
}

void MemoryDebug::tell_of_leaks() noexcept {
    try {
        const std::lock_guard lock(mutex_);
        constexpr std::size_t shown = 20;
        for (std::size_t i = 0; i < living_.size() && i < shown; ++i) {
            std::fprintf(stderr, "ferry: memory: %s was never destroyed.\n", describe(living_[i]).c_str());
        }
        if (living_.size() > shown) {
            std::fprintf(stderr, "ferry: memory: So were %zu more buffers.\n", living_.size() - shown);
        }
    } catch (const std::exception&) { // The process ends.
    }
}

std::string MemoryDebug::describe(const Record& record) const {
    return "The buffer of " + in_bytes(record.memory->bytes()) + " in " +
           std::string(to_string(record.memory->kind())) + " memory of " + device_.describe() +
           location_text(", made", record.where);
}

void MemoryDebug::tell(Record& record, Fault fault, const std::string& what) {
    record.told |= fault;
    const std::string text = describe(record) + ", " + what + ".";
    std::fprintf(stderr, "ferry: memory: %s\n", text.c_str());
    if (mode_ == Mode::abort) {
        std::abort();
    }
    unreported_.push_back(text);
}

} // namespace ferry::detail
