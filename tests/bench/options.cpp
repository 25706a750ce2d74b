// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace bench {

const char* const usage =
    "ferry_bench: the vendor's own calls and Ferry's, in turn, in one run.\n"
    "\n"
    "  --device SELECTOR   a device as FERRY_DEVICE names it; may be repeated (default: all)\n"
    "  --filter TEXT       only cases whose name holds TEXT\n"
    "  --repetitions N     pairs of samples for each case (default 201, large copies 31)\n"
    "  --large BYTES       size of the large copies (default 1 GiB on GPUs, 64 MiB else)\n"
    "  --no-timing         queues and events without device times, on both sides\n"
    "  --quick             a few short samples: shows that it works, not how fast\n"
    "  --json FILE         write the results to FILE\n"
    "  --list              print the cases\n"
    "  --help              print this\n";

namespace {

std::size_t number(std::string_view option, std::string_view text) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value == 0) {
        throw std::invalid_argument(std::string(option) + " takes a whole number from 1 on, not \"" +
                                    std::string(text) + "\".");
    }
    return value;
}

} // namespace

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const auto value = [&]() -> std::string_view {
            if (i + 1 == argc) {
                throw std::invalid_argument(std::string(name) + " needs a value.");
            }
            return argv[++i];
        };
        if (name == "--device") {
            options.devices.emplace_back(value());
        } else if (name == "--filter") {
            options.filter = value();
        } else if (name == "--json") {
            options.json = value();
        } else if (name == "--repetitions") {
            const std::size_t count = number(name, value());
            if (count > 100000) {
                throw std::invalid_argument("--repetitions takes at most 100000, not " +
                                            std::to_string(count) + ".");
            }
            options.repetitions = static_cast<int>(count);
        } else if (name == "--large") {
            options.large_bytes = number(name, value());
        } else if (name == "--no-timing") {
            options.timing = false;
        } else if (name == "--quick") {
            options.quick = true;
        } else if (name == "--list") {
            options.list = true;
        } else if (name == "--help" || name == "-h") {
            options.help = true;
        } else {
            throw std::invalid_argument("There is no option \"" + std::string(name) +
                                        "\"; --help lists those there are.");
        }
    }
    return options;
}

} // namespace bench
