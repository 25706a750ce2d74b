// SPDX-License-Identifier: Apache-2.0
#include "host_mode.hpp"

#include "base/decimal.hpp"

#include <random>

namespace ferry::host {

Mode read_mode(const backend::Libraries& settings) {
    Mode mode;
    const std::string& word = settings.host_mode.value;
    mode.strict = word == "strict";
    if (!mode.strict && !word.empty() && word != "fast") {
        mode.fault = settings.host_mode.source + " is \"" + word +
                     "\", but must be fast or strict; unset it for fast.";
    }
    const std::string& text = settings.host_seed.value;
    if (text.empty()) {
        mode.seed = std::random_device{}();
        return mode;
    }
    if (const auto seed = ferry::detail::parse_number<std::uint64_t>(text)) {
        mode.seed = *seed;
    } else {
        mode.fault =
            settings.host_seed.source + " is \"" + text +
            "\", but must be a whole number from 0 to 18446744073709551615; unset it for a new one in "
            "each process.";
    }
    return mode;
}

} // namespace ferry::host
