// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/device.hpp>
#include <ferry/export.hpp>
#include <ferry/placement.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

// The caller declares how the host and the device use memory of the caller. The library chooses the fastest
// correct placement and performs the transfers in both directions.
//
//     auto sx = ferry::share(device, x, ferry::Access::device_reads);
//     auto sy = ferry::share(device, y, ferry::Access::device_updates);
//     queue.launch(saxpy, grid, 3.0f, sx, sy, n);  // data that the device reads is transferred first
//     for (float v : sy.host(queue)) use(v);       // waits if needed, transfers changed data back
//     std::cout << sy.explain();

namespace ferry {

class Queue;

struct ShareOptions {
    /// The placements that may be chosen. Default: all. If there is only one, it is used, or share() throws
    /// Error (unsupported) with the reason.
    Placements allowed = Placements::all();
    /// How often the device processes the bytes each time the host changes or reads them. Default: 1.
    double passes = 1;
    Pattern pattern = Pattern::sequential;
    /// The maximum number of versions of the bytes at one time, 1 to 16. Default: 1. With 1 version, a host
    /// guard for writing waits for the queues that still read. With more versions, the guard gets a new
    /// version to write while the queues continue to read the previous one. The memory of the guard then
    /// belongs to the library, and the caller's span receives the last version when the Shared ends. With
    /// more than 1 version, a span can be shared with only one device.
    unsigned versions = 1;
};

namespace detail {

class ShareState;
using ShareHandle = std::shared_ptr<ShareState>;

/// A part of a share that is one argument of a launch.
struct ShareUse {
    ShareState* state = nullptr;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    bool shared = false; ///< False if the argument is not a share.
};

/// The host's access to a part of a share. The destructor ends the access.
class FERRY_API HostGuardHandle {
public:
    HostGuardHandle() noexcept = default;
    HostGuardHandle(ShareHandle state, Queue& queue, HostAccess access, std::size_t offset, std::size_t bytes,
                    SourceLocation where);
    HostGuardHandle(HostGuardHandle&& other) noexcept;
    HostGuardHandle& operator=(HostGuardHandle&& other) noexcept;
    ~HostGuardHandle() { end(); }
    void* data() const noexcept { return data_; }
    void end() noexcept;

private:
    ShareHandle state_;
    void* data_ = nullptr;
    std::size_t number_ = 0;
};

struct ShareRequest {
    const void* data = nullptr;
    std::size_t count = 0;
    std::size_t element = 0;
    bool constant = false;
    Access access{};
};
FERRY_API ShareHandle share(const Device& device, const ShareRequest& request, const ShareOptions& options,
                            SourceLocation where);
FERRY_API void end_share(ShareHandle& state, SourceLocation where);
FERRY_API void drop_share(ShareHandle& state) noexcept;
FERRY_API Explanation explain(const ShareState& state);
FERRY_API Device device_of(const ShareState& state) noexcept;
FERRY_API const ShareState& check_share(const ShareHandle& state, SourceLocation where);

/// Not constexpr, so that a call at compile time is an error with this name.
inline void a_const_span_can_only_be_shared_for_device_reads() {}

/// The declared access for elements of type T. For const elements it must be device_reads and known at
/// compile time; otherwise the code does not compile.
template <class T>
struct AccessFor {
    Access value;
    constexpr AccessFor(Access access) noexcept : value(access) {}
};
template <class T>
struct AccessFor<const T> {
    Access value;
    consteval AccessFor(Access access) : value(access) {
        if (access != Access::device_reads) {
            a_const_span_can_only_be_shared_for_device_reads();
        }
    }
};

template <class R>
using range_element_t = std::remove_reference_t<std::ranges::range_reference_t<R>>;

} // namespace detail

/// The host's access to shared bytes, returned by Shared::host(). While a guard for writing lives, no launch
/// may use its bytes. While a guard for reading lives, no launch may write them. A violation throws Error
/// (invalid_state). Movable, not copyable.
///
/// In a child process (fork), the copy of this object ends without any effect. Bytes in private memory are
/// the child's own copy. Bytes in shared memory (MAP_SHARED) also belong to the parent. A version made by
/// Ferry may be in page-locked memory of the driver, which may not exist in a child.
template <class T>
class HostGuard {
public:
    HostGuard() noexcept = default;
    HostGuard(detail::HostGuardHandle handle, std::size_t size) noexcept
        : handle_(std::move(handle)), size_(size) {}
    HostGuard(HostGuard&& other) noexcept
        : handle_(std::move(other.handle_)), size_(std::exchange(other.size_, 0)) {}
    HostGuard& operator=(HostGuard&& other) noexcept {
        handle_ = std::move(other.handle_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    std::span<T> span() const noexcept { return {data(), size_}; }
    T* data() const noexcept { return static_cast<T*>(handle_.data()); }
    T* begin() const noexcept { return data(); }
    T* end() const noexcept { return data() + size_; }
    std::size_t size() const noexcept { return size_; }
    T& operator[](std::size_t i) const noexcept { return data()[i]; }
    /// Ends the access early. The guard is then empty.
    void release() noexcept {
        size_ = 0;
        handle_.end();
    }

private:
    detail::HostGuardHandle handle_;
    std::size_t size_ = 0;
};

template <Element T>
class Shared;

/// A range of elements of a Shared as a launch argument. The launch then uses only this range. It refers to
/// its Shared, which must outlive it.
template <Element T>
class SharedPart {
public:
    using value_type = std::remove_const_t<T>;

    SharedPart(const Shared<T>& whole, std::size_t first, std::size_t count) noexcept
        : whole_(&whole), first_(first), count_(count) {}
    detail::ShareUse use() const noexcept {
        return {whole_->state().get(), first_ * sizeof(T), count_ * sizeof(T), true};
    }

private:
    const Shared<T>* whole_;
    std::size_t first_, count_;
};

/// Memory of the caller that is shared with one device, made by share(). When it is an argument of
/// Queue::launch(), it is prepared on that queue. Data that the device reads but does not have is
/// transferred, and earlier conflicting commands of other queues are waited for. Data is never transferred
/// twice. All of this is asynchronous.
///
/// From share() to the end of the share, the host may access the memory only through guards from host(). Two
/// tools find violations:
///
/// - FERRY_CHECK=races. The next launch, guard or end() reports bytes that the host changed without a guard
///   for writing (Error, invalid_state). Commands that get the memory directly, by its address or a buffer
///   view, are reported if they would read outdated bytes or write. If the memory is used in place, a change
///   between a launch that writes the same bytes and the next guard is not detected.
/// - The strict host device (FERRY_HOST_MODE=strict). It ends a program that accesses bytes without a guard
///   while the device has a later version of them. It prints a line with the byte and the launch and raises
///   SIGSEGV. It covers whole pages only.
///
/// The same span may be shared with several devices. Each byte has a latest version in one or more places,
/// and launches and guards use that version. Launches that read may run concurrently. A launch that writes
/// runs after all earlier launches.
///
/// The destructor transfers back the bytes that only the device has in their latest version, and waits for
/// the commands that use the memory. It never throws; end() does. All guards must end before the Shared. With
/// several versions, writes through a guard after the destructor are lost. A child process (fork) cannot use
/// it (Error, invalid_state), and its copy of this object does nothing. Thread-safe. Movable, not copyable.
template <Element T>
class Shared {
public:
    using value_type = std::remove_const_t<T>;

    Shared() noexcept = default;
    Shared(detail::ShareHandle state, std::span<T> span) noexcept : state_(std::move(state)), span_(span) {}
    Shared(Shared&& other) noexcept
        : state_(std::move(other.state_)), span_(std::exchange(other.span_, {})) {}
    Shared& operator=(Shared&& other) noexcept {
        if (this != &other) {
            detail::drop_share(state_);
            state_ = std::move(other.state_);
            span_ = std::exchange(other.span_, {});
        }
        return *this;
    }
    ~Shared() { detail::drop_share(state_); }

    std::size_t size() const noexcept { return span_.size(); } ///< Number of elements.
    std::size_t size_bytes() const noexcept { return span_.size_bytes(); }
    bool empty() const noexcept { return span_.empty(); }
    Device device(SourceLocation where = SourceLocation::current()) const {
        return detail::device_of(detail::check_share(state_, where));
    }

    /// Gives the host read access to all elements. Blocks only until the changes made by the device have
    /// arrived.
    HostGuard<const T> host(Queue& queue, SourceLocation where = SourceLocation::current()) const {
        return host_part(queue, 0, to_end, where);
    }
    /// Gives the host access to all elements. For writing, it waits for the commands that still use the
    /// host's bytes, unless ShareOptions::versions provides a new version. Throws Error: invalid_state
    /// (conflict with another guard), invalid_argument (writing const elements or read-only pages), and the
    /// error of a command that failed on these bytes. Guards that read these bytes continue to throw this
    /// error until the bytes are written again.
    HostGuard<T> host(Queue& queue, HostAccess access,
                      SourceLocation where = SourceLocation::current()) const {
        return host_part(queue, access, 0, to_end, where);
    }
    /// The same for `count` elements from index `first`. Throws Error (out_of_range) if they exceed the span.
    HostGuard<const T> host_part(Queue& queue, std::size_t first, std::size_t count,
                                 SourceLocation where = SourceLocation::current()) const {
        return guard<const T>(queue, HostAccess::read, first, count, where);
    }
    HostGuard<T> host_part(Queue& queue, HostAccess access, std::size_t first, std::size_t count,
                           SourceLocation where = SourceLocation::current()) const {
        return guard<T>(queue, access, first, count, where);
    }

    /// `count` elements from index `first`, as a launch argument. Throws Error (out_of_range) if they exceed
    /// the span.
    SharedPart<T> part(std::size_t first, std::size_t count,
                       SourceLocation where = SourceLocation::current()) const {
        detail::check_range(size(), first, count, where);
        return {*this, first, count};
    }

    /// The placement, the reasons for it, and the amount of data copied so far.
    Explanation explain(SourceLocation where = SourceLocation::current()) const {
        return detail::explain(detail::check_share(state_, where));
    }

    /// Ends the share like the destructor, but throws the Error of a command that failed; the share has ended
    /// nevertheless. Throws Error (invalid_state) while a guard of this share lives; the share has then not
    /// ended.
    void end(SourceLocation where = SourceLocation::current()) {
        const std::span<T> span = std::exchange(span_, {});
        try {
            detail::end_share(state_, where);
        } catch (...) {
            span_ = state_ != nullptr ? span : std::span<T>(); // The share has not ended.
            throw;
        }
    }

    detail::ShareUse use() const noexcept { return {state_.get(), 0, span_.size_bytes(), true}; }
    const detail::ShareHandle& state() const noexcept { return state_; }

private:
    template <class U>
    HostGuard<U> guard(Queue& queue, HostAccess access, std::size_t first, std::size_t count,
                       SourceLocation where) const {
        static_cast<void>(detail::check_share(state_, where));
        if (count == to_end && first <= size()) {
            count = size() - first;
        }
        detail::check_range(size(), first, count, where);
        return {detail::HostGuardHandle(state_, queue, access, first * sizeof(T), count * sizeof(T), where),
                count};
    }

    detail::ShareHandle state_;
    std::span<T> span_;
};

/// Shares the elements of `memory` with a device. `memory` is a span or another contiguous range of the
/// caller that must outlive the Shared. This call neither copies nor accesses its contents.
///
/// Inspects the pages of the memory (about 50 us), and page-locks them if that pays off. A const range with
/// an access that writes does not compile. Throws Error:
///
/// - invalid_argument: a null pointer; no elements; a range that wraps around the address space.
/// - invalid_argument: pages that are not mapped, not readable, past the end of a mapped file, or not
///   writable although the device writes.
/// - invalid_argument: a range that overlaps a live share without being identical to it; no placement is
///   allowed; passes or versions are out of range.
/// - unsupported: no allowed placement works; the message gives the reason for each.
/// - out_of_memory.
template <std::ranges::contiguous_range R>
    requires std::ranges::sized_range<R> && Element<detail::range_element_t<R>>
auto share(const Device& device, R&& memory,
           std::type_identity_t<detail::AccessFor<detail::range_element_t<R>>> access,
           const ShareOptions& options = {}, SourceLocation where = SourceLocation::current())
    -> Shared<detail::range_element_t<R>> {
    static_assert(std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>,
                  "the memory would be gone before the share begins");
    using T = detail::range_element_t<R>;
    const std::span<T> span{std::ranges::data(memory), std::ranges::size(memory)};
    return {detail::share(device, {span.data(), span.size(), sizeof(T), std::is_const_v<T>, access.value},
                          options, where),
            span};
}

namespace detail {
template <class A>
inline constexpr bool is_shared = false;
template <class T>
inline constexpr bool is_shared<Shared<T>> = true;
template <class T>
inline constexpr bool is_shared<SharedPart<T>> = true;

template <class A>
ShareUse share_use(const A& argument) noexcept {
    if constexpr (is_shared<A>) {
        return argument.use();
    } else {
        return {};
    }
}
} // namespace detail

} // namespace ferry
