// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "kokkos_test.hpp"

#include <cstdio>
#include <memory>

namespace {

std::unique_ptr<ferry::Program> built;

const char* const text = R"(
__kernel void iota(__global uint *data, uint count, uint first)
{
    const uint i = get_global_id(0);
    if (i < count) {
        data[i] = first + i;
    }
}

__kernel void slow(__global uint *data, uint rounds)
{
    if (get_global_id(0) == 0) {
        uint x = 1;
        for (uint i = 0; i < rounds; ++i) {
            x = x * 1664525u + 1013904223u;
        }
        data[1] = x;
        data[0] = rounds;
    }
}
)";

} // namespace

const ferry::Device& device() {
    static const ferry::Device chosen = ferry::default_device();
    return chosen;
}

const ferry::Program& program() {
    return *built;
}

int main(int argc, char** argv) {
    Kokkos::initialize(argc, argv);
    built = std::make_unique<ferry::Program>(device(), ferry::Source::opencl_c(text));
    std::printf("%s, Kokkos %d, %s\n", device().id().c_str(), KOKKOS_VERSION,
                Kokkos::DefaultHostExecutionSpace::name());
    doctest::Context context{argc, argv};
    const int failed = context.run();
    built.reset();
    Kokkos::finalize();
    return failed;
}
