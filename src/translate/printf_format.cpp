// SPDX-License-Identifier: Apache-2.0
#include "printf_format.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Reads a format from the left.
class Reader {
public:
    explicit Reader(std::string_view format) : rest_(format) {}

    bool at_end() const { return rest_.empty(); }

    PrintPiece piece() {
        const std::string_view start = rest_;
        PrintPiece made;
        if (rest_.front() != '%') {
            made.text = start.substr(0, start.find('%'));
            rest_.remove_prefix(made.text.size());
            return made;
        }
        rest_.remove_prefix(1);
        made.flags = all_of("-+ #0");
        made.width = number();
        if (takes('.')) {
            made.precision = number();
        }
        if (takes('v')) {
            made.is_vector = true;
            made.lanes = number();
        }
        made.length = all_of("hlLjzt");
        made.letter = rest_.empty() ? ' ' : rest_.front();
        rest_.remove_prefix(rest_.empty() ? 0 : 1);
        made.text = start.substr(0, start.size() - rest_.size());
        return made;
    }

private:
    std::string_view all_of(std::string_view letters) {
        const std::string_view found = rest_.substr(0, rest_.find_first_not_of(letters));
        rest_.remove_prefix(found.size());
        return found;
    }

    bool takes(char letter) {
        const bool taken = rest_.starts_with(letter);
        rest_.remove_prefix(taken ? 1 : 0);
        return taken;
    }

    unsigned number() {
        unsigned value = 0;
        for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1)) {
            value = std::min(value * 10 + static_cast<unsigned>(rest_.front() - '0'), most_print_width);
        }
        return value;
    }

    std::string_view rest_;
};

} // namespace

std::vector<PrintPiece> print_pieces(std::string_view format) {
    std::vector<PrintPiece> pieces;
    for (Reader reader(format); !reader.at_end();) {
        pieces.push_back(reader.piece());
    }
    return pieces;
}

bool is_conversion(const PrintPiece& piece) {
    constexpr std::string_view letters = "diouxXfFeEgGaAcsp";
    return letters.find(piece.letter) != std::string_view::npos;
}

std::string printf_format(std::string_view format, bool& vectors) {
    constexpr unsigned most_lanes = 16;
    std::string made;
    for (const PrintPiece& piece : print_pieces(format)) {
        if (!piece.is_vector) {
            made += piece.text;
            continue;
        }
        vectors = true;
        std::string one(piece.text.substr(0, piece.text.find('v')));
        one += piece.length == "hl" ? "" : piece.length;
        one += piece.letter;
        made += one;
        for (unsigned i = 1; i < std::min(piece.lanes, most_lanes); ++i) {
            made += "," + one;
        }
    }
    return made;
}

} // namespace ferry::translate
