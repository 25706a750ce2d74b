// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/digest.hpp"
#include "share/ranges.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace ferry::detail {

/// Digests of bytes that nobody may write to for now, block by block: finds those that somebody has. Each
/// call gets the address of the whole; what was sealed at another one is forgotten.
class Seal {
public:
    static constexpr std::size_t block = 4096;

    /// Of what is not sealed yet.
    void add(const std::byte* bytes, ByteRange range);
    /// The range is not sealed any more.
    void cut(const std::byte* bytes, ByteRange range);
    /// A piece of a block in which bytes are others now. Says each once.
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
    std::vector<Piece> pieces_; ///< in order
};

} // namespace ferry::detail
