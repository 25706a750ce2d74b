// SPDX-License-Identifier: Apache-2.0
// Compiles without FERRY_WRONG, and does not with an intent that writes as its value: const data is only read
// by the device.
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
