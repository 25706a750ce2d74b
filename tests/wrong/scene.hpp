// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_text.hpp"

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wrong {

constexpr std::size_t count = 1000;
using Word = std::uint32_t;

inline ferry::Kernel kernel(const ferry::Device& device, const char* name) {
    static const ferry::Program program{device, ferry::Source::opencl_c(text)};
    return program.kernel(name);
}

/// Initialised buffers, and queues without commands.
struct Scene {
    explicit Scene(const ferry::Device& d)
        : device(d), words(count, 1), more(count, 2), first(d), second(d), a(d, count), b(d, count) {
        first.copy(words, a);
        first.copy_and_wait(words, b);
    }
    ferry::Buffer<Word> host_buffer() {
        ferry::Buffer<Word> buffer{device, count, ferry::MemoryKind::host};
        first.copy_and_wait(words, buffer);
        return buffer;
    }
    void slow(const ferry::View<const Word>& in, ferry::Buffer<Word>& out) {
        first.launch(kernel(device, "slow"), {count, 1}, in, out);
    }

    ferry::Device device;
    std::vector<Word> words, more; // copies to them may be in flight until the queues end
    ferry::Queue first, second;
    ferry::Buffer<Word> a, b;
};

} // namespace wrong
