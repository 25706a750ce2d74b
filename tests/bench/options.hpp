// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

struct Options {
    std::vector<std::string> devices; ///< selectors; empty: every device with raw calls for the comparison
    std::string filter;               ///< part of a case's name
    std::string json;                 ///< file to write; empty: none
    int repetitions = 0;              ///< 0: the default
    std::size_t large_bytes = 0;      ///< 0: the default
    bool timing = true;
    bool quick = false;
    bool list = false;
    bool help = false;
};

extern const char* const usage;

/// Throws std::invalid_argument with a sentence for the user.
Options parse(int argc, char** argv);

} // namespace bench
