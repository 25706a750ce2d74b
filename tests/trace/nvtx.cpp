// SPDX-License-Identifier: Apache-2.0
// A profiler's library for NVTX.
#include "told_ranges.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using Function = void (*)();
struct Callbacks {
    std::size_t bytes;
    int (*table_of)(std::uint32_t module, Function*** table, unsigned* size);
};
struct Version {
    std::size_t bytes;
    std::uint32_t version, reserved;
    void (*set_own)(std::uint32_t);
};

} // namespace

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void* (*export_table)(std::uint32_t)) {
    const auto* const version = static_cast<const Version*>(export_table(3));
    const auto* const callbacks = static_cast<const Callbacks*>(export_table(1));
    if (version == nullptr || version->bytes < sizeof(Version) || version->version < 2 ||
        callbacks == nullptr || callbacks->bytes < sizeof(Callbacks)) {
        return 0;
    }
    version->set_own(3);
    // A profiler takes the tables of all modules: core, CUDA, OpenCL, CUDA runtime, core2, synchronisation.
    for (std::uint32_t module = 1; module <= 6; ++module) {
        Function** table = nullptr;
        unsigned size = 0;
        if (callbacks->table_of(module, &table, &size) != 1 || size < 7 || table[size] != nullptr) {
            return 0;
        }
        for (unsigned i = 1; i < size; ++i) {
            if (table[i] == nullptr) {
                return 0;
            }
        }
        if (module == 1) {
            *table[9] = reinterpret_cast<Function>(told_ranges::push);
            *table[11] = reinterpret_cast<Function>(told_ranges::pop);
        }
    }
    return 1;
}
