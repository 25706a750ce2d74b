// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels.hpp"

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>

namespace conformance {

/// Adds a value to each word of a share, of a part of one, or of a view.
template <class S>
void add(ferry::Queue& queue, const S& shared, std::size_t size, std::uint32_t value) {
    queue.launch(kernel(queue.device(), "add"), ferry::Grid::covering(size, 32), shared,
                 static_cast<std::uint32_t>(size), value);
}

} // namespace conformance
