// SPDX-License-Identifier: Apache-2.0
// Compiles without FERRY_WRONG, but not if its value is an access that writes. The device may only read const
// data.
#include <ferry/stream.hpp>

#include <span>

void stream_it(const ferry::Device& device, std::span<const int> data) {
    const auto work = [](ferry::Queue&, auto, std::size_t) {};
#ifdef FERRY_WRONG
    ferry::for_each_chunk(device, data, ferry::Access::FERRY_WRONG, {}, work);
#else
    ferry::for_each_chunk(device, data, ferry::Access::device_reads, {}, work);
#endif
}
