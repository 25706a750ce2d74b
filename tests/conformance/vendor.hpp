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

/// The vendor's own calls on the vendor's own handles, as a program makes them that has the vendor's headers:
/// looked up by name, and given nothing of Ferry's but what the functions of ferry::interop return.
class Vendor {
public:
    using Word = std::uint32_t;

    Vendor() = default;
    Vendor(const Vendor&) = delete;
    Vendor& operator=(const Vendor&) = delete;
    virtual ~Vendor() = default;

    /// The name of the device behind the native handle.
    virtual std::string device_name() const = 0;
    /// What the native handle of a kernel says of itself: its name, or "" if this vendor cannot be asked.
    virtual std::string kernel_name(const ferry::Kernel& kernel) const = 0;

    /// Memory that is not Ferry's.
    virtual std::uint64_t allocate(std::size_t words) const = 0;
    virtual void release(std::uint64_t memory) const = 0;
    /// Memory of the same device in a context that is not Ferry's; 0 where memory has no context. Released as
    /// others.
    virtual std::uint64_t allocate_elsewhere(std::size_t) const { return 0; }
    /// Whether the memory has not been given back. It must have been kept() before a buffer adopted it.
    virtual bool lives(std::uint64_t memory) const = 0;
    /// Lets lives() be asked of memory that somebody else will release; forget() once for each.
    virtual void keep(std::uint64_t) const {}
    virtual void forget(std::uint64_t) const {}

    /// Enqueues a copy on the queue's native handle, behind Ferry's back. Does not wait.
    virtual void copy(const ferry::Queue& queue, std::uint64_t from, std::uint64_t to,
                      std::size_t words) const = 0;
    /// Reads through the queue's native handle and waits there.
    virtual std::vector<Word> read(const ferry::Queue& queue, std::uint64_t memory,
                                   std::size_t words) const = 0;

    /// An in-order queue that is not Ferry's, and commands on it. copy_on() does not wait; finish() does.
    virtual void* make_queue() const = 0;
    virtual void release_queue(void* queue) const = 0;
    virtual void copy_on(void* queue, std::uint64_t from, std::uint64_t to, std::size_t words) const = 0;
    virtual void finish(void* queue) const = 0;
    /// An event behind the queue's commands so far; and a queue that waits for one.
    virtual void* record(void* queue) const = 0;
    virtual void release_event(void* event) const = 0;
    virtual void wait_for(void* queue, void* event) const = 0;
    /// An event that is done once the program says so with complete_event(); null if this vendor has none.
    virtual void* make_event() const { return nullptr; }
    virtual void complete_event(void*) const {}

    virtual ferry::Queue borrow_queue(void* queue) const = 0;
    virtual void wait_event(ferry::Queue& queue, void* event) const = 0;
    virtual void* event_of(const ferry::Event& event) const = 0;
    virtual ferry::Device find_device() const = 0; ///< by the native handle of this one
    /// Queues that a Ferry queue cannot be over, with a part of the words why. Released as others.
    virtual std::vector<std::pair<std::string, void*>> unfit_queues() const { return {}; }
    /// Events that a Ferry queue cannot wait for, in the same way.
    virtual std::vector<std::pair<std::string, void*>> unfit_events() const { return {}; }
    /// How many hold the event; 1 where the vendor does not count.
    virtual std::uint32_t holders(void*) const { return 1; }

    virtual ferry::Buffer<Word> borrow(std::uint64_t memory, std::size_t words) const = 0;
    virtual ferry::Buffer<Word> adopt(std::uint64_t memory, std::size_t words) const = 0;
    /// Bytes from the first element of `whole` to that of `part`, by their native places; both in one buffer.
    virtual std::size_t distance(const ferry::View<Word>& whole, const ferry::View<Word>& part) const = 0;
};

/// Throws ferry::Error (unsupported) for a device whose backend has no vendor.
std::unique_ptr<Vendor> vendor_of(const ferry::Device& device);

std::unique_ptr<Vendor> opencl_vendor(const ferry::Device& device);
std::unique_ptr<Vendor> cuda_vendor(const ferry::Device& device);
std::unique_ptr<Vendor> hip_vendor(const ferry::Device& device);

/// The vendor's library that Ferry has open: what `variable` names, else the first of `names`. Throws
/// std::runtime_error.
void* open_vendor_library(const char* variable, std::initializer_list<const char*> names);
/// Null if the library has none of that name.
void* vendor_symbol(void* library, const char* name);

} // namespace conformance
