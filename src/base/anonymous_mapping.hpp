// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace ferry::detail::staging {

/// An anonymous mapping whose pages are allocated on first use. The system may use huge pages, which are
/// faster.
class AnonymousMapping {
public:
    explicit AnonymousMapping(std::size_t bytes)
        : bytes_(bytes),
          at_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        if (at_ != MAP_FAILED) {
            ::madvise(at_, bytes_, MADV_HUGEPAGE);
        }
    }
    AnonymousMapping(const AnonymousMapping&) = delete;
    AnonymousMapping& operator=(const AnonymousMapping&) = delete;
    ~AnonymousMapping() {
        if (at_ != MAP_FAILED) {
            ::munmap(at_, bytes_);
        }
    }

    std::byte* data() const noexcept { return at_ != MAP_FAILED ? static_cast<std::byte*>(at_) : nullptr; }

private:
    std::size_t bytes_;
    void* at_;
};

} // namespace ferry::detail::staging
