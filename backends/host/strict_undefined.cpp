// SPDX-License-Identifier: Apache-2.0
#include "strict_undefined.hpp"

#include <algorithm>

namespace ferry::host {
namespace {

std::ptrdiff_t signed_of(std::size_t size) noexcept {
    return static_cast<std::ptrdiff_t>(size);
}

} // namespace

void UndefinedBytes::define(std::size_t offset, std::size_t bytes) {
    assign(offset, Marks(bytes, 0));
}

void UndefinedBytes::assign(std::size_t offset, const Marks& marks) {
    const std::lock_guard lock(mutex_);
    touched_ = touched_ || std::find(marks.begin(), marks.end(), 0) != marks.end();
    if (marks_.empty() && bytes_ != 0 && std::find(marks.begin(), marks.end(), 1) != marks.end()) {
        marks_.assign(bytes_, 0);
    }
    if (!marks_.empty()) {
        std::copy(marks.begin(), marks.end(), marks_.begin() + signed_of(offset));
        if (std::find(marks_.begin(), marks_.end(), 1) == marks_.end()) {
            Marks().swap(marks_);
        }
    }
}

UndefinedBytes::Marks UndefinedBytes::marks(std::size_t offset, std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    if (marks_.empty()) {
        return {};
    }
    const auto begin = marks_.begin() + signed_of(offset);
    const auto end = begin + signed_of(bytes);
    return std::find(begin, end, 1) == end ? Marks() : Marks(begin, end);
}

bool UndefinedBytes::untouched() const {
    const std::lock_guard lock(mutex_);
    return !touched_ && bytes_ != 0;
}

std::size_t run_length(const UndefinedBytes::Marks& marks, std::size_t at) noexcept {
    std::size_t begin = at;
    std::size_t end = at;
    while (begin != 0 && marks[begin - 1] != 0) {
        --begin;
    }
    while (end != marks.size() && marks[end] != 0) {
        ++end;
    }
    return end - begin;
}

void drop_short_runs(UndefinedBytes::Marks& marks, std::size_t bytes) noexcept {
    for (std::size_t begin = 0; begin < marks.size();) {
        const auto first = marks.begin() + signed_of(begin);
        const auto last = std::find(first, marks.end(), *first == 0 ? 1 : 0);
        if (*first != 0 && last - first < signed_of(bytes)) {
            std::fill(first, last, 0);
        }
        begin = static_cast<std::size_t>(last - marks.begin());
    }
}

} // namespace ferry::host
