// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "host/host_backend.hpp"
#include "strict/strict_device.hpp"

#include <ferry/host_kernel.hpp>
#include <ferry/source.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

// Uses the host backend through the backend contract, without the front, on a separate device.
namespace host_test {

inline ferry::backend::Device& device() {
    static const std::unique_ptr<ferry::backend::Driver> driver = [] {
        std::vector<ferry::BackendReason> reasons;
        return ferry::host::open({}, reasons, &ferry::host::make_strict_device);
    }();
    static const std::vector<std::unique_ptr<ferry::backend::Device>> devices = driver->devices();
    return *devices.front();
}

inline std::unique_ptr<ferry::backend::Queue> queue() {
    return device().create_queue({});
}
inline std::unique_ptr<ferry::backend::Event> event() {
    return device().create_event(true);
}
inline std::unique_ptr<ferry::backend::Memory> memory(std::size_t bytes) {
    return device().allocate(ferry::MemoryKind::device, bytes);
}

template <class T>
ferry::backend::Argument value(const T& v) {
    return {ferry::detail::ArgumentKind::value, sizeof(T), &v, {}};
}
inline ferry::backend::Argument buffer(ferry::backend::Memory* memory, std::size_t offset = 0) {
    return {ferry::detail::ArgumentKind::buffer, 0, nullptr, {memory, offset}};
}
inline ferry::backend::Argument local(std::size_t bytes) {
    return {ferry::detail::ArgumentKind::local, bytes, nullptr, {}};
}

/// A kernel of one function, valid during the lifetime of this object.
class OneKernel {
public:
    explicit OneKernel(const ferry::HostKernel& kernel)
        : table_{kernel},
          program_(device().build(ferry::Source::host(table_), {}, nullptr)),
          kernel_(program_->kernel(std::string(kernel.name))) {}
    ferry::backend::Kernel& operator*() const { return *kernel_; }

private:
    std::vector<ferry::HostKernel> table_;
    std::unique_ptr<ferry::backend::Program> program_;
    std::unique_ptr<ferry::backend::Kernel> kernel_;
};

/// Holds up a queue until it is opened. reached is set once the queue waits here.
struct Gate {
    std::atomic<std::uint32_t> open{0};
    std::atomic<std::uint32_t> reached{0};

    void hold(ferry::backend::Queue& queue) {
        static const OneKernel kernel{ferry::host_kernel<wait_for>("wait_for")};
        const auto self = reinterpret_cast<std::uintptr_t>(this);
        const std::vector<ferry::backend::Argument> arguments{value(self)};
        queue.launch(*kernel, {1, 1}, arguments);
    }
    void wait_until_reached() { reached.wait(0); }
    void let_go() {
        open = 1;
        open.notify_all();
    }

private:
    static void wait_for(const ferry::HostGroup&, std::uintptr_t gate) {
        auto& self = *reinterpret_cast<Gate*>(gate);
        self.reached = 1;
        self.reached.notify_all();
        self.open.wait(0);
    }
};

} // namespace host_test
