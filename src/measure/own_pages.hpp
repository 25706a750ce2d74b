// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/pages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace ferry::detail::memory_tests {

/// Pageable memory of whole pages. In a page shared with other data, the owner of that data may have
/// page-locked it, which would falsify the measurement.
class OwnPages {
public:
    /// `begin`: bytes of the first page before the first word.
    explicit OwnPages(std::size_t bytes, std::size_t begin = 0)
        : words_(static_cast<std::uint32_t*>(std::aligned_alloc(page_size(), whole_pages(begin + bytes)))),
          begin_(begin / 4),
          count_(bytes / 4) {
        if (words_ == nullptr) {
            throw std::bad_alloc();
        }
        std::fill_n(words_.get() + begin_, count_, 1U);
    }
    std::span<std::uint32_t> span() const noexcept { return {words_.get() + begin_, count_}; }

private:
    static std::size_t whole_pages(std::size_t bytes) noexcept {
        return (bytes + page_size() - 1) / page_size() * page_size();
    }
    struct Free {
        void operator()(std::uint32_t* words) const noexcept { std::free(words); }
    };

    std::unique_ptr<std::uint32_t, Free> words_;
    std::size_t begin_;
    std::size_t count_;
};

} // namespace ferry::detail::memory_tests
