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

// The caller says who touches some memory of his and how; the library finds the cheapest correct way and does
// both halves of it.
//
//     auto sx = ferry::share(device, x, ferry::Access::device_reads);
//     auto sy = ferry::share(device, y, ferry::Access::device_updates);
//     queue.launch(saxpy, grid, 3.0f, sx, sy, n);  // what the device reads is there before
//     for (float v : sy.host(queue)) use(v);       // waits for what is needed, brings back what has changed
//     std::cout << sy.explain();

namespace ferry {

class Queue;

struct ShareOptions {
    /// Those that may be taken. One only: it is taken, or share() throws Error (unsupported) saying why not.
    Placements allowed = Placements::all();
    /// How often the device goes over the bytes for each time that the host changes or reads them.
    double passes = 1;
    Pattern pattern = Pattern::sequential;
    /// How many versions of the bytes may exist at once, 1 to 16. With 1, the host's guard for writing waits
    /// for the queues that still read. With more it gets a fresh version to write to while they go on reading
    /// the one before: the guard's memory is then the library's, and the caller's span gets the last version
    /// when the Shared ends. With more than 1 a span is shared with one device only.
    unsigned versions = 1;
};

namespace detail {

class ShareState;
using ShareHandle = std::shared_ptr<ShareState>;

/// A part of a share as one argument of a launch.
struct ShareUse {
    ShareState* state = nullptr;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    bool shared = false; ///< else the argument is something else
};

/// The host's access to a part of a share; ends it when destroyed.
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

/// Not constexpr: calling it while compiling is the error.
inline void a_const_span_can_only_be_shared_for_device_reads() {}

/// An intent for elements of type T. For const elements it has to be known while compiling, and to be
/// device_reads: anything else does not compile.
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

/// The host's access to shared bytes, from Shared::host(). While a guard for writing lives, no launch may use
/// its bytes; while one for reading lives, none may write them (Error, invalid_state). In a child
/// process (fork) its copy of this object ends without a trace; the bytes there are the child's own copy if
/// they lie in private memory of the process. Shared memory (MAP_SHARED) is the parent's too, and a version
/// that Ferry keeps may lie in page-locked memory of the driver's, which a child may not have at all. Moves,
/// does not copy.
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
    /// Ends the access before the scope does; the guard is empty then.
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

/// Elements of a Shared as the argument of a launch, which then counts only them as used. Views its Shared.
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

/// The caller's memory, shared with one device; made by share(). Given to Queue::launch() as an argument, it
/// is prepared on that queue: what the device reads and does not have yet is brought there, commands of other
/// queues that this one must come after are waited for, nothing moves twice. All of it is asynchronous.
///
/// Between share() and the end, the host touches the memory only through guards from host(). With
/// FERRY_CHECK=races, bytes that the host changed without one for writing are found at the next launch or
/// guard or by end() (Error, invalid_state), and so are commands given the memory itself, by its address or a
/// buffer's view, that would read old bytes or write to it. In place, what was changed between a launch that
/// writes the same bytes and the next guard is not seen. The strict host device (FERRY_HOST_MODE=strict) ends
/// a program that reads or writes without a guard what that device has later bytes of: with a line that names
/// the byte and the launch, and SIGSEGV; whole pages only.
///
/// The same span may be shared with several devices. Each byte has a latest version in one or more places;
/// launches and guards find it. Launches that read run at once, a launch that writes comes after those before
/// it. The destructor brings back what the device has changed and only it holds, and waits for the commands
/// that use the memory; it never throws, end() does. Guards end before it: with several versions, what one
/// writes after the destructor is lost. A child process (fork) cannot use it (Error, invalid_state), and its
/// copy of this object does nothing. Thread-safe; moves, does not copy.
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

    std::size_t size() const noexcept { return span_.size(); } ///< elements
    std::size_t size_bytes() const noexcept { return span_.size_bytes(); }
    bool empty() const noexcept { return span_.empty(); }
    Device device(SourceLocation where = SourceLocation::current()) const {
        return detail::device_of(detail::check_share(state_, where));
    }

    /// The host reads all of it. Blocks until the device's changes are there, and for nothing else.
    HostGuard<const T> host(Queue& queue, SourceLocation where = SourceLocation::current()) const {
        return host_part(queue, 0, to_end, where);
    }
    /// The host reads or writes all of it. For writing it waits for the commands that still use the host's
    /// bytes, unless ShareOptions::versions gives it fresh ones. Throws Error: invalid_state (another guard
    /// is in the way), invalid_argument (to write const elements or read-only pages), and that of a command
    /// that failed on these bytes. Until they are written anew, guards that read them throw it.
    HostGuard<T> host(Queue& queue, HostAccess access,
                      SourceLocation where = SourceLocation::current()) const {
        return host_part(queue, access, 0, to_end, where);
    }
    /// The same for `count` elements from `first` on. Throws Error (out_of_range) if they leave the span.
    HostGuard<const T> host_part(Queue& queue, std::size_t first, std::size_t count,
                                 SourceLocation where = SourceLocation::current()) const {
        return guard<const T>(queue, HostAccess::read, first, count, where);
    }
    HostGuard<T> host_part(Queue& queue, HostAccess access, std::size_t first, std::size_t count,
                           SourceLocation where = SourceLocation::current()) const {
        return guard<T>(queue, access, first, count, where);
    }

    /// `count` elements from `first` on, for a launch. Throws Error (out_of_range) if they leave the span.
    SharedPart<T> part(std::size_t first, std::size_t count,
                       SourceLocation where = SourceLocation::current()) const {
        detail::check_range(size(), first, count, where);
        return {*this, first, count};
    }

    /// The placement, the reasons, and what has been copied so far.
    Explanation explain(SourceLocation where = SourceLocation::current()) const {
        return detail::explain(detail::check_share(state_, where));
    }

    /// As the destructor, and throws the Error of a command that failed; the share has ended all the same.
    /// Throws Error (invalid_state) while a guard from this share lives; then it has not ended.
    void end(SourceLocation where = SourceLocation::current()) {
        const std::span<T> span = std::exchange(span_, {});
        try {
            detail::end_share(state_, where);
        } catch (...) {
            span_ = state_ != nullptr ? span : std::span<T>(); // where it has not ended
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
/// caller's that outlives the Shared: it is not copied here, nor touched.
///
/// Looks at the memory's pages (some 50 us), and page-locks them where that pays. Throws Error:
/// invalid_argument (a null pointer; no elements; a range that wraps around; pages that are not mapped, not
/// readable, past the end of a mapped file, or not writable although the device writes; a range that overlaps
/// a live share without being the same; no placement allowed; passes or versions out of range), unsupported
/// (no allowed placement works; the message says for each why), out_of_memory. A const range with an intent
/// that writes does not compile.
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
