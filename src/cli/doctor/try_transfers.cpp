// SPDX-License-Identifier: Apache-2.0
#include "examine.hpp"

#include <ferry/ferry.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cli::doctor {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Memory = ferry::Buffer<std::uint8_t>;

/// All parts of the result differ, so that a misplaced piece is detected.
Bytes bytes_to_send(std::size_t count) {
    Bytes bytes(count);
    std::uint64_t word = 0x9e3779b97f4a7c15U + count;
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 8 == 0) {
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
        }
        bytes[i] = static_cast<std::uint8_t>(word >> (i % 8 * 8));
    }
    return bytes;
}

/// A path of bytes to the device and back. Throws Error.
struct Route {
    const char* what; ///< "copied to the device and back"
    std::size_t bytes;
    Bytes (*run)(const ferry::Device& device, ferry::Queue& queue, const Bytes& sent);
};

Bytes straight(const ferry::Device& device, ferry::Queue& queue, const Bytes& sent) {
    Memory first(device, sent.size());
    Memory second(device, sent.size());
    queue.copy(sent, first);
    queue.copy(first, second);
    return queue.read(second);
}

Bytes there_and_back(const ferry::Device& device, ferry::Queue& queue, const Bytes& sent) {
    Memory memory(device, sent.size());
    queue.copy(sent, memory);
    return queue.read(memory);
}

Bytes page_locked(const ferry::Device& device, ferry::Queue& queue, const Bytes& sent) {
    Memory memory(device, sent.size());
    Memory up(device, sent.size(), ferry::MemoryKind::host);
    Memory down(device, sent.size(), ferry::MemoryKind::host);
    {
        const ferry::Mapping<std::uint8_t> view = up.view().map(queue, ferry::Map::discard);
        std::copy(sent.begin(), sent.end(), view.begin());
    }
    queue.copy(up, memory);
    queue.copy(memory, down);
    const ferry::Mapping<std::uint8_t> view = down.view().map(queue, ferry::Map::read);
    return {view.begin(), view.end()};
}

constexpr std::size_t locked = (std::size_t{4} << 20) + 7;

constexpr ferry::Extent box{61, 37, 5};

Bytes boxes(const ferry::Device& device, ferry::Queue& queue, const Bytes& sent) {
    Memory first(device, std::size_t{80} * 40 * 5);
    Memory second(device, std::size_t{64} * 50 * 5);
    const ferry::Box<std::uint8_t> wide(first, box, {.row = 80, .slice = std::size_t{80} * 40});
    const ferry::Box<std::uint8_t> high(second, box, {.row = 64, .slice = std::size_t{64} * 50});
    queue.copy(ferry::HostBox<const std::uint8_t>(sent, box), wide);
    queue.copy(wide, high);
    return queue.read(high);
}

constexpr std::size_t piece = 1003;
constexpr std::size_t pieces = 48;

/// Each batch reverses the order of the pieces.
Bytes batches(const ferry::Device& device, ferry::Queue& queue, const Bytes& sent) {
    Memory first(device, sent.size());
    Memory second(device, sent.size());
    Bytes back(sent.size());
    ferry::Batch up;
    ferry::Batch across;
    ferry::Batch down;
    for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t here = i * piece;
        const std::size_t there = sent.size() - here - piece;
        up.copy(std::span(sent).subspan(here, piece), first.subview(there, piece));
        across.copy(first.subview(there, piece), second.subview(here, piece));
        down.copy(second.subview(here, piece), std::span(back).subspan(here, piece));
    }
    queue.copy(up);
    queue.copy(across);
    queue.copy(down);
    queue.finish();
    return back;
}

std::vector<Route> routes(const ferry::Device& device) {
    const char* const straight_on = "copied to the device, within it and back";
    std::vector<Route> all{{straight_on, 1, straight},
                           {straight_on, 4097, straight},
                           {straight_on, (std::size_t{1} << 20) + 3, straight}};
    // If slots are used, this size has more pieces than there are slots.
    const std::uint64_t room = std::min(device.info().total_memory / 8, device.info().max_allocation / 2);
    const std::uint64_t large = std::min<std::uint64_t>((std::uint64_t{24} << 20) + 5, room);
    if (large != 0) {
        all.push_back({"copied to the device and back", static_cast<std::size_t>(large), there_and_back});
    }
    // If the system refuses such memory, the checks of memory and staging report it.
    if (device.has(ferry::MemoryKind::host) && ferry::staging_info(device).note.empty() && large > locked) {
        all.push_back({"copied from page-locked memory to the device and back", locked, page_locked});
    }
    all.push_back({"copied as a box to the device, within it and back", box.volume(), boxes});
    all.push_back({"copied in batches of 48 to the device, within it and back", piece * pieces, batches});
    return all;
}

} // namespace

Findings try_transfers(const ferry::Device& device) {
    ferry::Queue queue(device);
    Findings findings;
    const std::uint64_t staged_before = ferry::staging_info(device).bytes;
    std::size_t total = 0;
    for (const Route& route : routes(device)) {
        const Bytes sent = bytes_to_send(route.bytes);
        const Bytes back = route.run(device, queue, sent);
        const auto differs = std::mismatch(back.begin(), back.end(), sent.begin()).first;
        if (const auto at = static_cast<std::size_t>(differs - back.begin()); at != sent.size()) {
            findings.push_back(wrong(device, "transfers",
                                     "Of " + std::to_string(route.bytes) + " bytes " + route.what +
                                         ", byte " + std::to_string(at) + " came back as " +
                                         std::to_string(back[at]) + " instead of " +
                                         std::to_string(sent[at]) + "."));
        }
        total += route.bytes;
    }
    const std::uint64_t staged = ferry::staging_info(device).bytes - staged_before;
    if (findings.empty()) {
        findings.push_back(good(
            device, "transfers",
            std::to_string(total) + " bytes were copied there and back and compared" +
                (staged == 0 ? "."
                             : "; " + std::to_string(staged) + " bytes went through page-locked slots.")));
    }
    return findings;
}

} // namespace cli::doctor
