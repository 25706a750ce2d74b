// SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

Methods::Methods(const ferry::Device& device, std::size_t largest)
    : queue_(device), memory_(device, largest), pageable_(largest) {
    if (device.has(ferry::MemoryKind::host)) {
        pinned_ = {device, largest, ferry::MemoryKind::host};
        std::ranges::fill(pinned_.span(), Byte{1});
        all_.push_back({pinned, "pinned"});
    }
    all_.push_back({pageable, "pageable"});
    all_.push_back({fresh, "pageable, fresh"});
    all_.push_back({mapped, "mapped"});
}

void Methods::copy(Way way, std::size_t bytes) {
    switch (way) {
    case pinned:
        queue_.copy_and_wait(pinned_.first(bytes), memory_.first(bytes));
        break;
    case pageable:
        queue_.copy_and_wait(std::span(pageable_).first(bytes), memory_.first(bytes));
        break;
    case fresh:
        copy_to_fresh(bytes, {});
        break;
    case mapped: {
        {
            auto mapping = memory_.first(bytes).map(queue_, ferry::Map::discard);
            std::memcpy(mapping.span().data(), pageable_.data(), bytes);
        }
        queue_.finish();
        break;
    }
    }
}

// Copies down into memory that the system has reserved but not provided. The first access to each page is a
// fault.
void Methods::copy_to_fresh(std::size_t bytes, std::span<Byte> keep) {
    void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        throw std::runtime_error("mmap of " + std::to_string(bytes) + " bytes: " + std::strerror(errno));
    }
    const std::span<Byte> destination(static_cast<Byte*>(pages), bytes);
    queue_.copy_and_wait(memory_.first(bytes), destination);
    std::ranges::copy(destination.first(keep.size()), keep.begin());
    munmap(pages, bytes);
}

std::vector<Methods::Byte> Methods::copied(Way way, std::span<const Byte> data) {
    std::vector<Byte> result(data.size());
    if (way == fresh) {
        queue_.copy_and_wait(data, memory_.first(data.size()));
        copy_to_fresh(data.size(), result);
        return result;
    }
    std::ranges::copy(data, way == pinned ? pinned_.span().begin() : std::span(pageable_).begin());
    queue_.fill(memory_, Byte{0});
    copy(way, data.size());
    queue_.copy_and_wait(memory_.first(data.size()), result);
    return result;
}
