// SPDX-License-Identifier: Apache-2.0
#include "random.hpp"

#include <cstdlib>
#include <string>

namespace conformance {

std::uint64_t process_seed() {
    static const std::uint64_t seed = [] {
        const char* chosen = std::getenv("FERRY_TEST_SEED");
        if (chosen != nullptr && *chosen != '\0') {
            return static_cast<std::uint64_t>(std::strtoull(chosen, nullptr, 0));
        }
        return static_cast<std::uint64_t>(std::random_device{}());
    }();
    return seed;
}

std::mt19937_64& random_engine() {
    static std::mt19937_64 generator;
    return generator;
}

void seed_random(std::string_view name) {
    std::uint64_t hash = 14695981039346656037U ^ process_seed();
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    random_engine().seed(hash);
}

std::vector<float> random_floats(std::size_t size) {
    std::vector<float> result(size);
    for (float& value : result) {
        value = static_cast<float>(random_engine()() & 0xfffff);
    }
    return result;
}

} // namespace conformance
