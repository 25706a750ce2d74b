// SPDX-License-Identifier: Apache-2.0
#include "base/process_maps.hpp"
#include "base/text.hpp"

#include <ferry/stream.hpp>

#include <string>

namespace ferry::detail {

std::size_t check_stream(const StreamOptions& options, const StreamData& data, SourceLocation where) {
    constexpr std::size_t most_slots = 64;
    if (options.chunk_bytes < data.element) {
        throw Error(Code::invalid_argument,
                    "A stream cannot have chunks of " + in_bytes(options.chunk_bytes) + "; one element has " +
                        in_bytes(data.element),
                    where);
    }
    if (options.slots == 0 || options.slots > most_slots) {
        throw Error(Code::invalid_argument,
                    "A stream cannot have " + std::to_string(options.slots) + " slots; it takes 1 to " +
                        std::to_string(most_slots),
                    where);
    }
    if (data.count != 0) {
        constexpr const char* what = "The memory to stream";
        const std::size_t bytes = check_extent(what, data.data, data.count, data.element, where);
        static_cast<void>(check_pages(what, data.data, bytes, data.written, where));
    }
    return options.chunk_bytes / data.element;
}

} // namespace ferry::detail
