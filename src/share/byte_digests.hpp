// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/digest.hpp"
#include "base/range_set.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace ferry::detail {

/// Digests of blocks of bytes that must not be written for now, to detect writes. Each call gets the address
/// of the whole memory; digests for another address are dropped.
class ByteDigests {
public:
    static constexpr std::size_t block = 4096;

    /// Adds blocks that have no digest yet.
    void add(const std::byte* bytes, ByteRange range);
    /// Removes the digests of the range.
    void cut(const std::byte* bytes, ByteRange range);
    /// A piece of a block with changed bytes. Each is returned once.
    std::optional<ByteRange> changed(const std::byte* bytes);
    void clear() noexcept { pieces_.clear(); }
    std::size_t pieces() const noexcept { return pieces_.size(); }

private:
    struct Piece {
        ByteRange range;
        cache::Digest digest;
    };
    static Piece piece_of(const std::byte* bytes, ByteRange range);
    void look_at(const std::byte* bytes);
    void sort();

    const std::byte* bytes_ = nullptr;
    std::vector<Piece> pieces_; ///< In order.
};

} // namespace ferry::detail
