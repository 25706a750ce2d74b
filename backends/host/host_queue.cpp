// SPDX-License-Identifier: Apache-2.0
#include "host_queue.hpp"

#include "host_launch.hpp"
#include "host_program.hpp"

namespace ferry::host {
namespace {

Bytes bytes_at(const backend::Place& place) {
    return {static_cast<std::byte*>(place.memory->host) + place.offset,
            static_cast<HostMemory*>(place.memory)->block()};
}

Bytes bytes_at(const void* data) {
    return {static_cast<std::byte*>(const_cast<void*>(data)), {}};
}

} // namespace

void HostQueue::write(const void* from, backend::Place to, std::size_t bytes) {
    work_->ring.push<Copy>(0, bytes_at(from), bytes_at(to), bytes);
}

void HostQueue::read(backend::Place from, void* to, std::size_t bytes) {
    work_->ring.push<Copy>(0, bytes_at(from), bytes_at(to), bytes);
}

void HostQueue::copy(backend::Place from, backend::Place to, std::size_t bytes) {
    work_->ring.push<Copy>(0, bytes_at(from), bytes_at(to), bytes);
}

void HostQueue::write_box(const void* from, backend::Pitch from_pitch, backend::Place to,
                          backend::Pitch to_pitch, const backend::Box& box) {
    work_->ring.push<CopyBox>(0, bytes_at(from), from_pitch, bytes_at(to), to_pitch, box);
}

void HostQueue::read_box(backend::Place from, backend::Pitch from_pitch, void* to, backend::Pitch to_pitch,
                         const backend::Box& box) {
    work_->ring.push<CopyBox>(0, bytes_at(from), from_pitch, bytes_at(to), to_pitch, box);
}

void HostQueue::copy_box(backend::Place from, backend::Pitch from_pitch, backend::Place to,
                         backend::Pitch to_pitch, const backend::Box& box) {
    work_->ring.push<CopyBox>(0, bytes_at(from), from_pitch, bytes_at(to), to_pitch, box);
}

void HostQueue::fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) {
    work_->ring.push<Fill>(Fill::room_for(size), bytes_at(to), bytes, pattern, size);
}

void HostQueue::launch(backend::Kernel& kernel, const Grid& grid,
                       std::span<const backend::Argument> arguments) {
    const HostEntry& entry = static_cast<HostEntry&>(kernel);
    work_->ring.push<Launch>(Launch::room_for(arguments), entry.function(), grid, arguments);
}

void HostQueue::record(backend::Event& event) {
    work_->ring.push<Record>(0, static_cast<HostEvent&>(event).record());
}

void HostQueue::wait(backend::Event& event) {
    if (Reference<Recording> recording = static_cast<HostEvent&>(event).last()) {
        work_->ring.push<Wait>(0, std::move(recording));
    }
}

void* HostQueue::map(backend::Place place, std::size_t, Map) {
    finish();
    return bytes_at(place).data;
}

} // namespace ferry::host
