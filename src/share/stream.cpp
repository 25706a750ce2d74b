// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <ferry/stream.hpp>

#include <string>

namespace ferry::detail {

std::size_t check_stream(const StreamOptions& options, std::size_t element, SourceLocation where) {
    constexpr std::size_t most_slots = 64;
    if (options.chunk_bytes < element) {
        throw Error(Code::invalid_argument,
                    "A stream cannot have chunks of " + in_bytes(options.chunk_bytes) + "; one element has " +
                        in_bytes(element),
                    where);
    }
    if (options.slots == 0 || options.slots > most_slots) {
        throw Error(Code::invalid_argument,
                    "A stream cannot have " + std::to_string(options.slots) + " slots; it takes 1 to " +
                        std::to_string(most_slots),
                    where);
    }
    return options.chunk_bytes / element;
}

} // namespace ferry::detail
