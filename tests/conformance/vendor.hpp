// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

/// The vendor's own calls on the vendor's own handles, as in a program that uses the vendor's headers. The
/// functions are looked up by name, and get only handles that the functions of ferry::interop return.
class Vendor {
public:
    using Word = std::uint32_t;

    Vendor() = default;
    Vendor(const Vendor&) = delete;
    Vendor& operator=(const Vendor&) = delete;
    virtual ~Vendor() = default;

    /// The device's name, read through the native handle.
    virtual std::string device_name() const = 0;
    /// The kernel's name, read through the native handle; "" if this vendor does not report it.
    virtual std::string kernel_name(const ferry::Kernel& kernel) const = 0;

    /// Allocates memory without Ferry.
    virtual std::uint64_t allocate(std::size_t words) const = 0;
    virtual void release(std::uint64_t memory) const = 0;
    /// Allocates memory of the same device in a different context. 0 if memory has no context. Released as
    /// other memory.
    virtual std::uint64_t allocate_elsewhere(std::size_t) const { return 0; }
    /// Whether the memory still exists. keep() must have been called before a buffer adopted it.
    virtual bool lives(std::uint64_t memory) const = 0;
    /// Makes lives() valid for memory that another owner will release. Each call needs one forget().
    virtual void keep(std::uint64_t) const {}
    virtual void forget(std::uint64_t) const {}

    /// Enqueues a copy on the queue's native handle, without Ferry's knowledge. Does not wait.
    virtual void copy(const ferry::Queue& queue, std::uint64_t from, std::uint64_t to,
                      std::size_t words) const = 0;
    /// Reads through the queue's native handle and waits for the result.
    virtual std::vector<Word> read(const ferry::Queue& queue, std::uint64_t memory,
                                   std::size_t words) const = 0;

    /// An in-order queue that Ferry did not make, and commands on it. copy_on() does not wait; finish() does.
    virtual void* make_queue() const = 0;
    virtual void release_queue(void* queue) const = 0;
    virtual void copy_on(void* queue, std::uint64_t from, std::uint64_t to, std::size_t words) const = 0;
    virtual void finish(void* queue) const = 0;
    /// record() makes an event after the queue's commands so far. The other function makes a queue wait for
    /// an event.
    virtual void* record(void* queue) const = 0;
    virtual void release_event(void* event) const = 0;
    virtual void wait_for(void* queue, void* event) const = 0;
    /// An event that complete_event() completes. Null if this vendor has none.
    virtual void* make_event() const { return nullptr; }
    virtual void complete_event(void*) const {}

    virtual ferry::Queue borrow_queue(void* queue) const = 0;
    virtual void wait_event(ferry::Queue& queue, void* event) const = 0;
    virtual void* event_of(const ferry::Event& event) const = 0;
    virtual ferry::Device find_device() const = 0; ///< finds the device by this one's native handle
    /// Queues that Ferry cannot adopt, each with a part of the expected error message. Released as others.
    virtual std::vector<std::pair<std::string, void*>> unfit_queues() const { return {}; }
    /// Events that a Ferry queue cannot wait for, in the same form.
    virtual std::vector<std::pair<std::string, void*>> unfit_events() const { return {}; }
    /// The event's reference count; 1 if the vendor does not count.
    virtual std::uint32_t holders(void*) const { return 1; }

    virtual ferry::Buffer<Word> borrow(std::uint64_t memory, std::size_t words) const = 0;
    virtual ferry::Buffer<Word> adopt(std::uint64_t memory, std::size_t words) const = 0;
    /// The distance in bytes from the first element of `whole` to that of `part`, by their native addresses.
    /// Both are in one buffer.
    virtual std::size_t distance(const ferry::View<Word>& whole, const ferry::View<Word>& part) const = 0;
};

/// Throws ferry::Error (unsupported) for a device whose backend has no vendor.
std::unique_ptr<Vendor> vendor_of(const ferry::Device& device);

std::unique_ptr<Vendor> opencl_vendor(const ferry::Device& device);
std::unique_ptr<Vendor> cuda_vendor(const ferry::Device& device);
std::unique_ptr<Vendor> hip_vendor(const ferry::Device& device);
std::unique_ptr<Vendor> vulkan_vendor(const ferry::Device& device);

/// The vendor's library that Ferry has open: the one named by `variable`, or else the first of `names` that
/// is open. Throws std::runtime_error.
void* open_vendor_library(const char* variable, std::initializer_list<const char*> names);
/// Null if the library has no symbol of that name.
void* vendor_symbol(void* library, const char* name);

} // namespace conformance
