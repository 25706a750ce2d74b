// SPDX-License-Identifier: Apache-2.0
#include "base/host_copies.hpp"

#include "base/copy_threads.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <vector>

namespace ferry::detail::staging {

/// State shared with the copy threads. A thread that starts late keeps it alive.
class HostCopies::Shares {
public:
    Shares(std::span<const HostCopy> copies, std::size_t bytes) : copies_(copies) {
        ends_.reserve(bytes / share + 1);
        std::size_t size = 0;
        for (std::size_t i = 0; i < copies.size(); ++i) {
            size += copies[i].bytes;
            if (size >= share || i + 1 == copies.size()) {
                ends_.push_back(i + 1);
                size = 0;
            }
        }
        done_ = std::vector<std::atomic<bool>>(ends_.size());
    }

    std::size_t count() const noexcept { return ends_.size(); }
    std::size_t end_of(std::size_t nth) const noexcept { return ends_[nth]; }
    bool is_done(std::size_t nth) const noexcept { return done_[nth].load(std::memory_order_acquire); }

    /// Performs the next share. False if all shares have been started.
    bool run_one() noexcept {
        const std::size_t nth = next_.fetch_add(1, std::memory_order_relaxed);
        if (nth >= ends_.size()) {
            return false;
        }
        for (std::size_t i = nth == 0 ? 0 : ends_[nth - 1]; i < ends_[nth]; ++i) {
            std::memcpy(copies_[i].to, copies_[i].from, copies_[i].bytes);
        }
        done_[nth].store(true, std::memory_order_release);
        return true;
    }
    /// No further share can be started. Returns the number of started shares.
    std::size_t close() noexcept {
        return std::min(next_.exchange(ends_.size(), std::memory_order_relaxed), ends_.size());
    }

private:
    const std::span<const HostCopy> copies_;
    std::vector<std::size_t> ends_; ///< For each share, the end of its copies.
    std::vector<std::atomic<bool>> done_;
    std::atomic<std::size_t> next_{0}; ///< Relaxed: it only hands out numbers, each once. done_ orders the
                                       ///< bytes of a share before its use.
};

HostCopies::HostCopies(std::span<const HostCopy> copies) : copies_(copies) {
    std::size_t bytes = 0;
    for (const HostCopy& copy : copies) {
        bytes += copy.bytes;
    }
    if (bytes < worth_threads) {
        return;
    }
    try {
        shares_ = std::make_shared<Shares>(copies, bytes);
        Workers& workers = Workers::get();
        const std::size_t threads = std::min<std::size_t>(workers.most(), bytes / worth_threads);
        for (std::size_t i = 0; i < threads; ++i) {
            workers.push([shares = shares_] {
                while (shares->run_one()) {
                }
            });
        }
    } catch (const std::exception&) { // Out of memory or threads: the caller performs the remaining copies.
    }
}

HostCopies::~HostCopies() {
    if (shares_ == nullptr) {
        return;
    }
    const std::size_t begun = shares_->close();
    for (std::size_t i = 0; i < begun; ++i) {
        while (!shares_->is_done(i)) {
            yield_thread();
        }
    }
}

void HostCopies::wait_for(std::size_t count) {
    if (shares_ == nullptr) {
        for (; done_ < count; ++done_) {
            std::memcpy(copies_[done_].to, copies_[done_].from, copies_[done_].bytes);
        }
        return;
    }
    for (; finished_ != shares_->count() && done_ < count; ++finished_) {
        while (!shares_->is_done(finished_)) {
            if (!shares_->run_one()) {
                yield_thread();
            }
        }
        done_ = shares_->end_of(finished_);
    }
}

} // namespace ferry::detail::staging
