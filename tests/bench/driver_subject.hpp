// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subject.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace bench {

/// The raw side for CUDA and HIP: the vendor's driver calls as a program without Ferry would make them.
/// `Vendor` gives the types, the names and what differs.
template <class Vendor>
class DriverSubject final : public SubjectOf<DriverSubject<Vendor>> {
    using Pointer = typename Vendor::Pointer;

public:
    explicit DriverSubject(const Setup& setup) : vendor_(setup.device), bytes_(setup.large_bytes) {
        enter();
        check(vendor_.stream_create(&stream_, Vendor::stream_non_blocking), "create a stream");
        check(vendor_.stream_create(&other_, Vendor::stream_non_blocking), "create a stream");
        for (void*& event : events_) {
            check(vendor_.event_create(&event, setup.timing ? 0 : Vendor::event_disable_timing),
                  "create an event");
        }
        for (void** host : {&upload_, &download_}) {
            check(vendor_.host_alloc(host, bytes_, Vendor::host_flags), "allocate host memory");
        }
        for (Pointer* device : {&first_, &second_}) {
            check(vendor_.mem_alloc(device, bytes_), "allocate device memory");
        }
        for (Pointer* device : {&data_, &more_}) {
            check(vendor_.mem_alloc(device, values_bytes), "allocate device memory");
        }
        check(vendor_.module_load_data(&module_, setup.code.data(), 0, nullptr, nullptr), "load the module");
        check(vendor_.module_get_function(&function_, module_, kernel_name), "find the kernel");
        std::array<std::uint32_t, kernel_items> more{};
        for (std::size_t i = 0; i < more.size(); ++i) {
            more[i] = kernel_more(i);
        }
        check(vendor_.copy_up(more_, more.data(), values_bytes, stream_), "copy");
        finish();
        leave();
    }
    ~DriverSubject() override {
        vendor_.enter();
        for (Pointer device : {first_, second_, data_, more_}) {
            vendor_.mem_free(device);
        }
        for (void* host : {upload_, download_}) {
            vendor_.host_free(host);
        }
        vendor_.leave();
    }

    void enter() override { check(vendor_.enter(), "make the device current"); }
    void leave() override { check(vendor_.leave(), "make no device current"); }

    void launch() {
        Pointer data = data_;
        Pointer more = more_;
        std::uint32_t add = kernel_add;
        std::uint32_t n = kernel_items;
        void* arguments[] = {&data, &more, &add, &n};
        check(vendor_.launch_kernel(function_, 1, 1, 1, kernel_items, 1, 1, 0, stream_, arguments, nullptr),
              "launch");
    }
    void finish() { check(vendor_.stream_synchronize(stream_), "synchronize"); }
    void up(std::size_t bytes) { check(vendor_.copy_up(first_, upload_, bytes, stream_), "copy"); }
    void down(std::size_t bytes) { check(vendor_.copy_down(download_, first_, bytes, stream_), "copy"); }
    void between(std::size_t bytes) { check(vendor_.copy_between(second_, first_, bytes, stream_), "copy"); }
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

    void finish_all() override {
        finish();
        check(vendor_.stream_synchronize(other_), "synchronize");
    }
    std::span<std::byte> upload() override { return {static_cast<std::byte*>(upload_), bytes_}; }
    std::span<std::byte> download() override { return {static_cast<std::byte*>(download_), bytes_}; }
    void read_copy(std::span<std::byte> to) override {
        check(vendor_.copy_down(to.data(), second_, to.size(), stream_), "copy");
        finish();
    }
    void write_data(std::span<const std::uint32_t> values) override {
        check(vendor_.copy_up(data_, values.data(), values.size_bytes(), stream_), "copy");
        finish();
    }
    void read_data(std::span<std::uint32_t> values) override {
        check(vendor_.copy_down(values.data(), data_, values.size_bytes(), stream_), "copy");
        finish();
    }

private:
    static constexpr std::size_t values_bytes = kernel_items * sizeof(std::uint32_t);

    static void check(int result, const char* what) {
        if (result != 0) [[unlikely]] {
            throw std::runtime_error(std::string("The raw side could not ") + what + ": " + Vendor::name +
                                     " returned " + std::to_string(result) + ".");
        }
    }
    // A sound program keeps its events; it does not make one for each use.
    void* next_event() { return events_[event_++ % events_.size()]; }

    Vendor vendor_;
    std::size_t bytes_;
    void* stream_ = nullptr;
    void* other_ = nullptr;
    std::array<void*, 64> events_{};
    std::size_t event_ = 0;
    void* upload_ = nullptr;
    void* download_ = nullptr;
    Pointer first_{};
    Pointer second_{};
    Pointer data_{};
    Pointer more_{};
    void* module_ = nullptr;
    void* function_ = nullptr;
};

template <class Function>
void resolve(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(find_symbol(library, name));
}

/// The calls whose form is the same on both sides.
template <class DevicePointer>
struct DriverCalls {
    using Pointer = DevicePointer;

    int (*stream_create)(void**, unsigned) = nullptr;
    int (*stream_synchronize)(void*) = nullptr;
    int (*stream_wait_event)(void*, void*, unsigned) = nullptr;
    int (*event_create)(void**, unsigned) = nullptr;
    int (*event_record)(void*, void*) = nullptr;
    int (*event_synchronize)(void*) = nullptr;
    int (*host_alloc)(void**, std::size_t, unsigned) = nullptr;
    int (*host_free)(void*) = nullptr;
    int (*mem_alloc)(Pointer*, std::size_t) = nullptr;
    int (*mem_free)(Pointer) = nullptr;
    int (*module_load_data)(void**, const void*, unsigned, int*, void**) = nullptr;
    int (*module_get_function)(void**, void*, const char*) = nullptr;
    int (*launch_kernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                         void**, void**) = nullptr;
    int (*copy_down)(void*, Pointer, std::size_t, void*) = nullptr;
    int (*copy_between)(Pointer, Pointer, std::size_t, void*) = nullptr;
};

} // namespace bench
