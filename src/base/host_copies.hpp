// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ferry::detail::staging {

struct HostCopy {
    void* to;
    const void* from;
    std::size_t bytes;
};

/// Many small copies of host memory. If they are much together the copy threads do a part of them; what no
/// thread has begun, the caller does when it waits, so that it never waits for a thread to come. The list
/// and the memory outlive this. For one thread.
class HostCopies {
public:
    /// Bytes from which on it pays to wake a thread, and for which another one is woken.
    static constexpr std::size_t worth_threads = std::size_t{1} << 20;
    /// Bytes that a thread takes at a time.
    static constexpr std::size_t share = std::size_t{64} << 10;

    explicit HostCopies(std::span<const HostCopy> copies);
    HostCopies(const HostCopies&) = delete;
    HostCopies& operator=(const HostCopies&) = delete;
    /// Begins no more; waits for what threads have begun.
    ~HostCopies();

    /// Returns once the first `count` are done.
    void wait_for(std::size_t count);

private:
    class Shares;

    const std::span<const HostCopy> copies_;
    std::size_t done_ = 0;           ///< of the first
    std::size_t finished_ = 0;       ///< shares of these
    std::shared_ptr<Shares> shares_; ///< with the threads; null if the caller does all
};

} // namespace ferry::detail::staging
