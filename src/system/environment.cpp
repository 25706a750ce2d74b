// SPDX-License-Identifier: Apache-2.0
#include "system/environment.hpp"

#include <unistd.h>

namespace ferry::detail {

std::vector<std::string> environment() {
    std::vector<std::string> all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        all.emplace_back(*entry);
    }
    return all;
}

char** environment_list() noexcept {
    return environ;
}

void set_environment_list(char** list) noexcept {
    environ = list;
}

} // namespace ferry::detail
