// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace ferry::backend {

/// Fills with a pattern for which the vendor has no fill. The first `size` bytes hold the pattern, and the
/// filled part is copied after itself until all `bytes` are full. copy(to, bytes) copies from the start.
/// Beyond some length the copied part stops growing, so that it is read from the device's cache and only
/// writing costs memory bandwidth.
template <class Copy>
void fill_by_copies(std::size_t bytes, std::size_t size, const Copy& copy) {
    constexpr std::size_t cached = std::size_t{8} << 20;
    const std::size_t most = std::max(cached / size, std::size_t{1}) * size;
    for (std::size_t done = size; done < bytes;) {
        const std::size_t next = std::min({done, most, bytes - done});
        copy(done, next);
        done += next;
    }
}

} // namespace ferry::backend
