// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels.hpp"
#include "vendor.hpp"

#include <vector>

namespace conformance {

/// Memory and a queue made by the vendor's API, and Ferry's buffers over that memory. Declare queues that use
/// them after this object.
struct Foreign {
    using Word = Vendor::Word;
    static constexpr std::size_t size = 3001;

    explicit Foreign(const ferry::Device& on) : device(on) {}

    /// The values written by iota().
    static std::vector<Word> counted(Word base) {
        std::vector<Word> result(size);
        for (Word i = 0; i < size; ++i) {
            result[i] = base + i;
        }
        return result;
    }
    void iota(ferry::Queue& queue, Word base) const {
        queue.launch(kernel(device, "iota"), grid, source, n, base);
    }
    void add(ferry::Queue& queue, Word more) const {
        queue.launch(kernel(device, "add"), grid, target, n, more);
    }
    /// Copies from source to target on the vendor's queue.
    void copy() const { vendor->copy_on(native.handle, first.place, second.place, size); }

    struct Memory {
        explicit Memory(const Vendor& v) : vendor(v), place(v.allocate(size)) {}
        Memory(const Memory&) = delete;
        Memory& operator=(const Memory&) = delete;
        ~Memory() { vendor.release(place); }
        const Vendor& vendor;
        const std::uint64_t place;
    };
    struct NativeQueue {
        explicit NativeQueue(const Vendor& v) : vendor(v), handle(v.make_queue()) {}
        NativeQueue(const NativeQueue&) = delete;
        NativeQueue& operator=(const NativeQueue&) = delete;
        ~NativeQueue() {
            vendor.finish(handle);
            vendor.release_queue(handle);
        }
        const Vendor& vendor;
        void* const handle;
    };

    const ferry::Device device;
    const std::unique_ptr<Vendor> vendor = vendor_of(device);
    const Memory first{*vendor}, second{*vendor};
    const NativeQueue native{*vendor};
    ferry::Buffer<Word> source = vendor->borrow(first.place, size);
    ferry::Buffer<Word> target = vendor->borrow(second.place, size);
    const Word n = static_cast<Word>(size);
    const ferry::Grid grid = ferry::Grid::covering(size, 64);
};

} // namespace conformance
