// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver_calls.hpp"
#include "subject_of.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace bench {

/// The raw side for CUDA and HIP: the driver calls that a program without Ferry would make. `Vendor` provides
/// the types, the names and the differences.
template <class Vendor>
class DriverSubject final : public SubjectOf<DriverSubject<Vendor>> {
    using Pointer = typename Vendor::Pointer;

public:
    explicit DriverSubject(const Setup& setup)
        : vendor_(setup.device),
          bytes_(setup.bytes),
          shared_bytes_(shared_bytes(setup)),
          pageable_up_(bytes_),
          pageable_down_(bytes_) {
        enter();
        check(vendor_.stream_create(&stream_, Vendor::stream_non_blocking), "create a stream");
        check(vendor_.stream_create(&other_, Vendor::stream_non_blocking), "create a stream");
        for (void*& event : events_) {
            check(vendor_.event_create(&event, setup.timing ? 0 : Vendor::event_disable_timing),
                  "create an event");
        }
        for (void** host : {&up_, &down_}) {
            check(vendor_.host_alloc(host, bytes_, Vendor::host_flags), "allocate host memory");
        }
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            check(vendor_.mem_alloc(&arrays_[i], i < 3 ? bytes_ : small_bytes), "allocate device memory");
        }
        if (shared_bytes_ != 0) {
            check(vendor_.managed_alloc(&shared_, shared_bytes_, attach_global), "allocate shared memory");
        }
        check(vendor_.module_load_data(&module_, setup.code.data(), 0, nullptr, nullptr), "load the module");
        for (std::size_t i = 0; i < kernel_count; ++i) {
            check(vendor_.module_get_function(&functions_[i], module_, kernel_names[i]), "find a kernel");
        }
        std::array<std::uint32_t, bump_items> more{};
        for (std::size_t i = 0; i < more.size(); ++i) {
            more[i] = bump_more(i);
        }
        check(vendor_.copy_up(arrays_[more_], more.data(), sizeof more, stream_), "copy");
        finish();
        leave();
    }
    ~DriverSubject() override {
        vendor_.enter();
        for (Pointer device : arrays_) {
            vendor_.mem_free(device);
        }
        if (shared_bytes_ != 0) {
            vendor_.mem_free(shared_);
        }
        for (void* host : {up_, down_}) {
            vendor_.host_free(host);
        }
        for (void* event : events_) {
            vendor_.event_destroy(event);
        }
        vendor_.module_unload(module_);
        vendor_.stream_destroy(stream_);
        vendor_.stream_destroy(other_);
        vendor_.leave();
    }

    void enter() override { check(vendor_.enter(), "make the device current"); }
    void leave() override { check(vendor_.leave(), "make no device current"); }

    void launch_bump() {
        launch(bump, 1, bump_items, array(Array::data), arrays_[more_], bump_add, bump_items);
    }
    void stream(KernelIndex kernel, std::size_t bytes) {
        const auto items = static_cast<std::uint32_t>(bytes / 16);
        const std::uint32_t groups = items / stream_group;
        const Pointer a = array(Array::first);
        const Pointer b = array(Array::second);
        const Pointer c = array(Array::third);
        switch (kernel) {
        case copy:
            return launch(copy, groups, stream_group, a, c);
        case mul:
            return launch(mul, groups, stream_group, b, c);
        case dot:
            return launch(dot, dot_groups, stream_group, a, b, array(Array::sums), items);
        default:
            return launch(kernel, groups, stream_group, a, b, c);
        }
    }
    void hold(std::uint32_t rounds) { launch(KernelIndex::hold, 1, 1, array(Array::sums), rounds); }

    void finish() { check(vendor_.stream_synchronize(stream_), "synchronize"); }
    void up(std::size_t bytes) { copy_up(up_, bytes); }
    void down(std::size_t bytes) { copy_down(down_, Array::first, bytes, stream_); }
    void up_pageable(std::size_t bytes) { copy_up(pageable_up_.data(), bytes); }
    void down_pageable(std::size_t bytes) { copy_down(pageable_down_.data(), Array::first, bytes, stream_); }
    void both(std::size_t bytes) {
        copy_up(up_, bytes);
        copy_down(down_, Array::second, bytes, other_);
    }
    void between(std::size_t bytes) {
        check(vendor_.copy_between(array(Array::second), array(Array::first), bytes, stream_), "copy");
    }
    void fill(std::size_t bytes) {
        check(vendor_.fill(array(Array::first), pattern_, bytes / sizeof pattern_, stream_), "fill");
    }
    void allocate(std::size_t bytes) {
        Pointer memory{};
        check(vendor_.mem_alloc(&memory, bytes), "allocate device memory");
        check(vendor_.mem_free(memory), "free device memory");
    }
    void allocate_pinned(std::size_t bytes) {
        void* memory = nullptr;
        check(vendor_.host_alloc(&memory, bytes, Vendor::host_flags), "allocate host memory");
        check(vendor_.host_free(memory), "free host memory");
    }
    void allocate_shared(std::size_t bytes) {
        Pointer memory{};
        check(vendor_.managed_alloc(&memory, bytes, attach_global), "allocate shared memory");
        check(vendor_.mem_free(memory), "free shared memory");
    }
    void touch_on_device(std::size_t bytes) {
        launch(touch, static_cast<std::uint32_t>(bytes / 16 / stream_group), stream_group, shared_);
    }
    void record() { check(vendor_.event_record(next_event(), stream_), "record"); }
    void record_wait_other() {
        void* event = next_event();
        check(vendor_.event_record(event, stream_), "record");
        check(vendor_.stream_wait_event(other_, event, 0), "wait");
    }
    void record_wait_host() {
        void* event = next_event();
        check(vendor_.event_record(event, stream_), "record");
        check(vendor_.event_synchronize(event), "wait");
    }

    void stamp(std::size_t i) { check(vendor_.event_record(events_[i], stream_), "record"); }
    bool stamped(std::size_t i) {
        const int code = vendor_.event_query(events_[i]);
        if (code != not_ready) {
            check(code, "query an event");
        }
        return code != not_ready;
    }
    std::optional<double> stamped_time() {
        float milliseconds = 0;
        check(vendor_.event_elapsed(&milliseconds, events_[0], events_[1]), "ask for the time");
        return static_cast<double>(milliseconds) * 1e6;
    }

    void finish_all() override {
        finish();
        check(vendor_.stream_synchronize(other_), "synchronize");
    }
    std::span<std::byte> host(HostArray array) override {
        if (array == HostArray::shared) {
            return {static_cast<std::byte*>(Vendor::host_pointer(shared_)), shared_bytes_};
        }
        void* const all[] = {up_, down_, pageable_up_.data(), pageable_down_.data()};
        return {static_cast<std::byte*>(all[static_cast<std::size_t>(array)]), bytes_};
    }
    void set_pattern(std::uint32_t pattern) override { pattern_ = pattern; }
    void write(Array to, std::span<const std::byte> from) override {
        check(vendor_.copy_up(array(to), from.data(), from.size(), stream_), "copy");
        finish();
    }
    void read(Array from, std::span<std::byte> to) override {
        copy_down(to.data(), from, to.size(), stream_);
        finish();
    }
    std::optional<double> memory_bandwidth() override {
        int kilohertz = 0;
        int bits = 0;
        if (vendor_.attribute(&kilohertz, Vendor::memory_clock, vendor_.ordinal) != 0 ||
            vendor_.attribute(&bits, Vendor::memory_width, vendor_.ordinal) != 0 || kilohertz <= 0 ||
            bits <= 0) {
            return std::nullopt;
        }
        return 2e3 * kilohertz * bits / 8; // Two transfers for each clock cycle.
    }

private:
    static constexpr int not_ready = 600; // The same value for both vendors.
    static constexpr std::size_t more_ = 5;
    static constexpr unsigned attach_global = 1; // The same value for both vendors.

    static void check(int result, const char* what) {
        if (result != 0) [[unlikely]] {
            throw std::runtime_error(std::string("The raw side could not ") + what + ": " + Vendor::name +
                                     " returned " + std::to_string(result) + ".");
        }
    }
    Pointer array(Array which) const { return arrays_[static_cast<std::size_t>(which)]; }
    // A well-written program reuses its events and does not create one for each use.
    void* next_event() { return events_[event_++ % events_.size()]; }

    void copy_up(const void* from, std::size_t bytes) {
        check(vendor_.copy_up(array(Array::first), from, bytes, stream_), "copy");
    }
    void copy_down(void* to, Array from, std::size_t bytes, void* stream) {
        check(vendor_.copy_down(to, array(from), bytes, stream), "copy");
    }
    template <class... Values>
    void launch(KernelIndex kernel, std::uint32_t groups, std::uint32_t items, Values... values) {
        void* arguments[] = {&values...};
        check(vendor_.launch_kernel(functions_[kernel], groups, 1, 1, items, 1, 1, 0, stream_, arguments,
                                    nullptr),
              "launch");
    }

    Vendor vendor_;
    std::size_t bytes_;
    std::size_t shared_bytes_;
    std::vector<std::byte> pageable_up_;
    std::vector<std::byte> pageable_down_;
    void* stream_ = nullptr;
    void* other_ = nullptr;
    std::array<void*, 64> events_{};
    std::size_t event_ = 0;
    void* up_ = nullptr;
    void* down_ = nullptr;
    std::array<Pointer, 6> arrays_{}; ///< Indexed by Array, followed by the addend of bump.
    Pointer shared_{};
    void* module_ = nullptr;
    std::array<void*, kernel_count> functions_{};
    std::uint32_t pattern_ = 0;
};

} // namespace bench
