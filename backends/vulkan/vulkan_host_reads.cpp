// SPDX-License-Identifier: Apache-2.0
#include "vulkan_host_reads.hpp"

#include "vulkan_stream.hpp"

#include <cstring>
#include <exception>

namespace ferry::vulkan {
namespace {

void carry_out(const HostReads::Read& read) noexcept {
    for (std::size_t row = 0; row < read.height; ++row) {
        std::memcpy(read.to + row * read.pitch, read.from + row * read.width, read.width);
    }
}

} // namespace

void HostReads::add(const Read& read) {
    const std::lock_guard lock(mutex_);
    reads_.push_back(read);
    count_.fetch_add(1, std::memory_order_release);
}

void HostReads::drain() {
    if (count_.load(std::memory_order_acquire) == 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    std::exception_ptr failure;
    // From the last: a read depends only on earlier ones. They are asked after it, so they are done too.
    for (auto read = reads_.rbegin(); read != reads_.rend(); ++read) {
        try {
            read->is_done = read->is_done || read->stream->reached(read->value);
        } catch (...) {
            failure = std::current_exception();
        }
    }
    std::size_t kept = 0;
    for (const Read& read : reads_) {
        if (read.is_done) {
            carry_out(read);
        } else {
            reads_[kept++] = read;
        }
    }
    reads_.resize(kept);
    count_.store(kept, std::memory_order_release);
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void HostReads::complete(const void* start, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(start);
    const std::byte* const end = begin + bytes;
    while (count_.load(std::memory_order_acquire) != 0) {
        Read last;
        {
            const std::lock_guard lock(mutex_);
            for (const Read& read : reads_) {
                if (read.to < end && begin < read.end()) {
                    last = read;
                }
            }
        }
        if (last.stream == nullptr) {
            return;
        }
        last.stream->wait(last.value, WaitPolicy::automatic);
    }
}

} // namespace ferry::vulkan
