// SPDX-License-Identifier: Apache-2.0
#include "host_mode.hpp"

#include <charconv>
#include <random>

namespace ferry::host {

Mode read_mode(const backend::Libraries& settings) {
    Mode mode;
    mode.strict = settings.host_mode == "strict";
    if (!mode.strict && !settings.host_mode.empty() && settings.host_mode != "fast") {
        mode.fault = "FERRY_HOST_MODE is \"" + settings.host_mode +
                     "\", but must be fast or strict; unset it for fast.";
    }
    const std::string& text = settings.host_seed;
    if (text.empty()) {
        mode.seed = std::random_device{}();
        return mode;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode.seed);
    if (error != std::errc{} || end != text.data() + text.size()) {
        mode.fault =
            "FERRY_HOST_SEED is \"" + text +
            "\", but must be a whole number from 0 to 18446744073709551615; unset it for a new one in "
            "each process.";
    }
    return mode;
}

} // namespace ferry::host
