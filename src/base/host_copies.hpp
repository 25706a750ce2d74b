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

/// A list of small copies of host memory. If they are large in total, copy threads perform a part of them.
/// While the caller waits, it performs the shares that no thread has started, so it never waits for a thread
/// to start. The list and the memory must outlive this object. For one thread.
class HostCopies {
public:
    /// Bytes from which waking a copy thread pays off. One more thread is woken for each multiple.
    static constexpr std::size_t worth_threads = std::size_t{1} << 20;
    /// Bytes that a thread copies at a time.
    static constexpr std::size_t share = std::size_t{64} << 10;

    explicit HostCopies(std::span<const HostCopy> copies);
    HostCopies(const HostCopies&) = delete;
    HostCopies& operator=(const HostCopies&) = delete;
    /// Starts no more copies. Waits for the started ones.
    ~HostCopies();

    /// Returns once the first `count` copies are done.
    void wait_for(std::size_t count);

private:
    class Shares;

    const std::span<const HostCopy> copies_;
    std::size_t done_ = 0;           ///< This many leading copies are done.
    std::size_t finished_ = 0;       ///< This many leading shares are done.
    std::shared_ptr<Shares> shares_; ///< Shared with the threads. Null if the caller performs all copies.
};

} // namespace ferry::detail::staging
