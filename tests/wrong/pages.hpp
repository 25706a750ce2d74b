// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>

namespace wrong {

/// Whole pages, because the strict device imports whole pages.
class Pages {
public:
    static constexpr std::size_t bytes = 4096;
    Pages() : data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        if (data_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
        std::fill_n(static_cast<Word*>(data_), bytes / sizeof(Word), Word{1});
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { munmap(data_, bytes); }
    /// PROT_NONE has the same effect as unmapping, but no other mapping can use the range meanwhile.
    void allow(int rights) { mprotect(data_, bytes, rights); }
    std::span<Word> words() const { return {static_cast<Word*>(data_), bytes / sizeof(Word)}; }

private:
    void* data_;
};

} // namespace wrong
