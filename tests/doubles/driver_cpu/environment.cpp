// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <cstdio>
#include <cstdlib>

namespace ferry_double {

long long number_from(const char* variable, long long otherwise) {
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') {
        return otherwise;
    }
    char* end = nullptr;
    long long value = std::strtoll(text, &end, 10);
    switch (*end) {
    case 'g':
        value <<= 10;
        [[fallthrough]];
    case 'm':
        value <<= 10;
        [[fallthrough]];
    case 'k':
        value <<= 10;
        ++end;
        break;
    default:
        break;
    }
    if (end == text || *end != '\0' || value < 0) {
        std::fprintf(stderr, "%s is not a number: %s\n", variable, text);
        std::abort(); // a test must not pass with the wrong settings
    }
    return value;
}

std::string text_from(const char* variable, const char* otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0' ? text : otherwise;
}

bool is_hip_before_5_3() {
    static const long long version = number_from("FERRY_DOUBLE_RUNTIME_VERSION", 0);
    return version >= 50000000 && version < 50300000; // CUDA's version numbers are smaller
}

} // namespace ferry_double
