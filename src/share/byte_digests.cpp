// SPDX-License-Identifier: Apache-2.0
#include "share/byte_digests.hpp"

#include <algorithm>
#include <utility>

namespace ferry::detail {

ByteDigests::Piece ByteDigests::piece_of(const std::byte* bytes, ByteRange range) {
    return {range, cache::digest({reinterpret_cast<const char*>(bytes) + range.begin, range.size()})};
}

void ByteDigests::look_at(const std::byte* bytes) {
    if (std::exchange(bytes_, bytes) != bytes) {
        pieces_.clear();
    }
}

void ByteDigests::sort() {
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) { return a.range.begin < b.range.begin; });
}

void ByteDigests::add(const std::byte* bytes, ByteRange range) {
    look_at(bytes);
    RangeSet present;
    for (const Piece& piece : pieces_) {
        present.add(piece.range);
    }
    for (const ByteRange part : present.missing(range)) {
        for (std::size_t at = part.begin; at < part.end;) {
            const std::size_t end = std::min(part.end, (at / block + 1) * block);
            pieces_.push_back(piece_of(bytes, {at, end}));
            at = end;
        }
    }
    sort();
}

void ByteDigests::cut(const std::byte* bytes, ByteRange range) {
    look_at(bytes);
    std::vector<Piece> rest;
    rest.reserve(pieces_.size() + 2);
    for (const Piece& piece : pieces_) {
        if (!piece.range.overlaps(range)) {
            rest.push_back(piece);
            continue;
        }
        if (piece.range.begin < range.begin) {
            rest.push_back(piece_of(bytes, {piece.range.begin, range.begin}));
        }
        if (range.end < piece.range.end) {
            rest.push_back(piece_of(bytes, {range.end, piece.range.end}));
        }
    }
    pieces_ = std::move(rest);
}

std::optional<ByteRange> ByteDigests::changed(const std::byte* bytes) {
    look_at(bytes);
    for (Piece& piece : pieces_) {
        if (const Piece now = piece_of(bytes, piece.range); now.digest != piece.digest) {
            piece = now;
            return piece.range;
        }
    }
    return std::nullopt;
}

} // namespace ferry::detail
