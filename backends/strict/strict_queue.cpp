// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_queue.hpp"

#include "host/host_program.hpp"
#include "strict/strict_block.hpp"
#include "strict/strict_launch.hpp"
#include "strict/strict_unwritten.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace ferry::host {
namespace {

Use use_of(const backend::Place& place, std::size_t bytes, bool writes) {
    return {static_cast<StrictMemory*>(place.memory)->block(), place.offset, bytes, writes};
}

} // namespace

void StrictQueue::write(const void* from, backend::Place to, std::size_t bytes) {
    work_->ring.push<StrictWrite>(0, origin(), from, use_of(to, bytes, true));
}

void StrictQueue::read(backend::Place from, void* to, std::size_t bytes) {
    work_->ring.push<StrictRead>(0, origin(), use_of(from, bytes, false), to);
}

void StrictQueue::copy(backend::Place from, backend::Place to, std::size_t bytes) {
    work_->ring.push<StrictCopy>(0, origin(), use_of(from, bytes, false), use_of(to, bytes, true));
}

void StrictQueue::fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) {
    work_->ring.push<StrictFill>(0, origin(), use_of(to, bytes, true), pattern, size);
}

void StrictQueue::launch(backend::Kernel& kernel, const Grid& grid,
                         std::span<const backend::Argument> arguments) {
    const HostEntry& entry = static_cast<HostEntry&>(kernel);
    work_->ring.push<StrictLaunch>(0, origin(), entry.function(), entry.info(), grid, arguments);
}

void StrictQueue::record(backend::Event& event) {
    work_->ring.push<Record>(0, static_cast<HostEvent&>(event).record(order_.now()));
}

void StrictQueue::wait(backend::Event& event) {
    if (Reference<Recording> recording = static_cast<HostEvent&>(event).last()) {
        order_.wait(recording->order());
        work_->ring.push<Wait>(0, std::move(recording));
    }
}

void* StrictQueue::map(backend::Place place, std::size_t bytes, Map access) {
    finish();
    const Use use = use_of(place, bytes, false);
    Owner owner = use.block->owner();
    owner.role = Role::mapping;
    owner.offset = place.offset;
    Mapped mapped;
    mapped.fence = std::make_unique<Fence>(bytes, owner);
    mapped.key = chance_.below(~std::uint64_t{0});
    std::byte* const host = mapped.fence->data();
    if (access == Map::discard) {
        mark_unwritten(host, bytes, mapped.key);
    } else {
        use.block->open(false);
        std::memcpy(host, use.data(), bytes);
        use.block->close(false);
    }
    if (access == Map::read) {
        mapped.before.assign(host, host + bytes);
    }
    mapped_.emplace(host, std::move(mapped));
    return host;
}

void StrictQueue::set_elements(void* host, const detail::MappedElements& elements) {
    mapped_.find(host)->second.elements = elements;
}

void StrictQueue::unmap(backend::Place place, std::size_t bytes, Map access, void* host) {
    const auto found = mapped_.find(host);
    const Mapped mapped = std::move(found->second);
    mapped_.erase(found);
    const auto* const data = static_cast<const std::byte*>(host);
    const Use use = use_of(place, bytes, access != Map::read);
    std::string complaint;
    std::vector<std::byte> back;
    if (access == Map::read) {
        const auto differs = std::mismatch(mapped.before.begin(), mapped.before.end(), data).first;
        if (differs != mapped.before.end()) {
            complaint = "The host wrote to byte " + std::to_string(differs - mapped.before.begin()) +
                        " of the mapping of " + use.describe() +
                        ", which was made for reading; map it for read_write";
        }
    } else {
        back.assign(data, data + bytes);
    }
    if (access == Map::discard) {
        if (const auto left = unwritten({data, bytes}, mapped.key, mapped.elements)) {
            complaint =
                "The host did not write to bytes " + std::to_string(left->first) + " to " +
                std::to_string(left->second) + " of the mapping of " + use.describe() +
                ", which was made with Map::discard; map it for write if they are to keep their values";
        }
    }
    if (const auto damage = mapped.fence->damage()) {
        complaint = "The host wrote to " + *damage + " of the mapping of " + use.describe();
    }
    work_->ring.push<StrictUnmap>(0, origin(), use, std::move(back), std::move(complaint));
}

} // namespace ferry::host
