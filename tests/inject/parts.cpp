// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"

#include <array>
#include <cstdlib>
#include <random>
#include <string>

namespace ferry::inject {
namespace {

const char* const text =
    "kernel void add(global int* x, int by, uint n) { uint i = get_global_id(0); if (i < n) x[i] += by; }\n";

} // namespace

void expect(bool holds, const char* what) {
    if (!holds) {
        throw Wrong(what);
    }
}
int any_number() {
    static std::mt19937 random{std::random_device()()};
    return static_cast<int>(random() % 10'000);
}
Device device() {
    return find_device(std::getenv("FERRY_BACKEND") + std::string(":0"));
}
const Kernel& kernel() {
    static const Program program(device(), text);
    static const Kernel kernel = program.kernel("add");
    return kernel;
}
std::vector<int>& host_memory(std::size_t index) {
    static std::array<std::vector<int>, 4> memory;
    memory[index].assign(count, 0);
    return memory[index];
}

} // namespace ferry::inject
