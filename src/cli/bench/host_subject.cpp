// SPDX-License-Identifier: Apache-2.0
#include "subject_of.hpp"
#include "system/pages.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <new>
#include <stdexcept>

namespace bench {

namespace {

struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte[], Free>;

// Has the same alignment as Ferry's host backend, so that neither side's copies are faster because of it.
Memory allocated(std::size_t bytes) {
    static const auto page = ferry::detail::page_size();
    constexpr std::size_t large = std::size_t{1} << 20;
    constexpr std::size_t line = 64;
    const std::size_t alignment = bytes >= large ? page : line;
    Memory memory(static_cast<std::byte*>(
        std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)));
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

// Prevents compilers from removing an unused allocation, or a copy that the next one repeats.
void keep(const void* memory) {
    asm volatile("" : : "r"(memory) : "memory");
}

/// The raw side on the processor: copies, fills and allocations of the C library on the calling thread. All
/// kinds of memory are the same there.
class HostSubject final : public SubjectOf<HostSubject> {
public:
    explicit HostSubject(const Setup& setup) : bytes_(setup.bytes) {
        for (Memory& memory : host_) {
            memory = allocated(bytes_);
            std::memset(memory.get(), 0, bytes_);
        }
        for (Memory& memory : arrays_) {
            memory = allocated(bytes_);
            std::memset(memory.get(), 0, bytes_);
        }
    }

    std::string_view why_not(Operation operation) const override {
        switch (operation) {
        case Operation::up:
        case Operation::down:
        case Operation::up_pageable:
        case Operation::down_pageable:
        case Operation::both:
        case Operation::between:
        case Operation::fill:
        case Operation::allocate:
        case Operation::allocate_pinned:
        case Operation::allocate_shared:
            return {};
        default:
            return "On the processor, Ferry itself implements kernels, launches and events; there is no "
                   "other call to compare with.";
        }
    }

    void up(std::size_t bytes) { copy_to(Array::first, HostArray::up, bytes); }
    void down(std::size_t bytes) { copy_from(Array::first, HostArray::down, bytes); }
    void up_pageable(std::size_t bytes) { copy_to(Array::first, HostArray::pageable_up, bytes); }
    void down_pageable(std::size_t bytes) { copy_from(Array::first, HostArray::pageable_down, bytes); }
    void both(std::size_t bytes) {
        up(bytes);
        copy_from(Array::second, HostArray::down, bytes);
    }
    void between(std::size_t bytes) { copy(array(Array::second), array(Array::first), bytes); }
    void fill(std::size_t bytes) {
        static_assert(sizeof(wchar_t) == sizeof pattern_);
        auto* const words = reinterpret_cast<wchar_t*>(array(Array::first));
        std::wmemset(words, static_cast<wchar_t>(pattern_), bytes / sizeof pattern_);
        keep(words);
    }
    void allocate(std::size_t bytes) { keep(allocated(bytes).get()); }
    void allocate_pinned(std::size_t bytes) { allocate(bytes); }
    void allocate_shared(std::size_t bytes) { allocate(bytes); }
    // Never called, because why_not() excludes them.
    void launch_bump() { none(); }
    void stream(KernelIndex /*kernel*/, std::size_t /*bytes*/) { none(); }
    void touch_on_device(std::size_t /*bytes*/) { none(); }
    void record() { none(); }
    void record_wait_other() { none(); }
    void record_wait_host() { none(); }

    // The measuring thread does the work itself, so no queue has to be held back.
    void hold(std::uint32_t /*rounds*/) {}
    void stamp(std::size_t i) { stamps_[i] = std::chrono::steady_clock::now(); }
    bool stamped(std::size_t /*i*/) { return false; }
    std::optional<double> stamped_time() {
        return std::chrono::duration<double, std::nano>(stamps_[1] - stamps_[0]).count();
    }

    void finish() {}
    void finish_all() override {}
    std::span<std::byte> host(HostArray which) override {
        if (which == HostArray::shared) {
            return {};
        }
        return {host_[static_cast<std::size_t>(which)].get(), bytes_};
    }
    void set_pattern(std::uint32_t pattern) override { pattern_ = pattern; }
    void write(Array to, std::span<const std::byte> from) override {
        std::memcpy(array(to), from.data(), from.size());
    }
    void read(Array from, std::span<std::byte> to) override {
        std::memcpy(to.data(), array(from), to.size());
    }

private:
    [[noreturn]] static void none() { throw std::logic_error("The raw side of the host has no kernels."); }
    static void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
        std::memcpy(to, from, bytes);
        keep(to);
    }
    void copy_to(Array to, HostArray from, std::size_t bytes) { copy(array(to), host(from).data(), bytes); }
    void copy_from(Array from, HostArray to, std::size_t bytes) { copy(host(to).data(), array(from), bytes); }
    std::byte* array(Array which) const { return arrays_.at(static_cast<std::size_t>(which)).get(); }

    std::size_t bytes_;
    std::array<Memory, 4> host_;   ///< Indexed by HostArray.
    std::array<Memory, 2> arrays_; ///< Indexed by Array. The other arrays are only for kernels.
    std::array<std::chrono::steady_clock::time_point, 2> stamps_{};
    std::uint32_t pattern_ = 0;
};

} // namespace

std::unique_ptr<Subject> host_subject(const Setup& setup) {
    return std::make_unique<HostSubject>(setup);
}

} // namespace bench
