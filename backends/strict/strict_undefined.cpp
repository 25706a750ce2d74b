// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_undefined.hpp"

#include <algorithm>

namespace ferry::host {
namespace {

std::ptrdiff_t signed_of(std::size_t size) noexcept {
    return static_cast<std::ptrdiff_t>(size);
}

} // namespace

void UndefinedBytes::define(std::size_t offset, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    touched_ = touched_ || bytes != 0;
    if (!marks_.empty()) {
        const auto begin = marks_.begin() + signed_of(offset);
        const auto end = begin + signed_of(bytes);
        undefined_ -= std::count(begin, end, 1);
        std::fill(begin, end, 0);
        drop_if_defined();
    }
}

void UndefinedBytes::assign(std::size_t offset, const Marks& marks) {
    const std::lock_guard lock(mutex_);
    const std::ptrdiff_t undefined = std::count(marks.begin(), marks.end(), 1);
    touched_ = touched_ || undefined != signed_of(marks.size());
    if (marks_.empty() && bytes_ != 0 && undefined != 0) {
        marks_.assign(bytes_, 0);
    }
    if (!marks_.empty()) {
        const auto begin = marks_.begin() + signed_of(offset);
        undefined_ += undefined - std::count(begin, begin + signed_of(marks.size()), 1);
        std::copy(marks.begin(), marks.end(), begin);
        drop_if_defined();
    }
}

void UndefinedBytes::drop_if_defined() {
    if (undefined_ == 0) {
        Marks().swap(marks_);
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
