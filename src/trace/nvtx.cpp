// SPDX-License-Identifier: Apache-2.0
#include "trace/nvtx.hpp"

#include "system/shared_library.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace ferry::trace::nvtx {
namespace {

// The names and numbers below are those of nvtxTypes.h.
using Function = void (*)();

constexpr std::uint32_t callbacks_table = 1, version_table = 3;
constexpr std::uint32_t core_module = 1;
constexpr std::size_t range_push_a = 9, range_pop = 11;
/// The number of functions of each module: core, CUDA, OpenCL, CUDA runtime, core2, synchronisation.
constexpr std::array<unsigned, 7> module_sizes{0, 16, 9, 15, 7, 16, 7};
constexpr std::size_t most_functions = 16;

struct Module {
    std::array<Function, most_functions> functions{};
    std::array<Function*, most_functions + 1>
        slots{}; ///< Addresses of the functions, with a null at the end.
};
std::array<Module, module_sizes.size()> modules;

int module_table(std::uint32_t module, Function*** table, unsigned* size) {
    if (module == 0 || module >= modules.size()) {
        return 0;
    }
    Module& made = modules[module];
    for (std::size_t i = 0; i < module_sizes[module]; ++i) {
        made.slots[i] = &made.functions[i];
    }
    if (size != nullptr) {
        *size = module_sizes[module];
    }
    if (table != nullptr) {
        *table = made.slots.data();
    }
    return 1;
}

struct Callbacks {
    std::size_t bytes = sizeof(Callbacks);
    int (*table_of)(std::uint32_t module, Function*** table, unsigned* size) = module_table;
};
struct Version {
    std::size_t bytes = sizeof(Version);
    std::uint32_t version = 3;
    std::uint32_t reserved = 0;
    void (*set_version_of_profiler)(std::uint32_t) = [](std::uint32_t) {};
};

const void* export_table(std::uint32_t which) {
    static constexpr Callbacks callbacks;
    static constexpr Version version;
    return which == callbacks_table ? static_cast<const void*>(&callbacks)
           : which == version_table ? &version
                                    : nullptr;
}

} // namespace

Functions open() noexcept {
    const char* const path = ::secure_getenv("NVTX_INJECTION64_PATH");
    std::string problem; // A tool that does not open leaves no trace.
    void* const library = path != nullptr && *path != '\0'
                              ? detail::open_library(path, problem, detail::Binding::lazy)
                              : nullptr;
    if (library == nullptr) {
        return {};
    }
    using Initialise = int (*)(const void* (*)(std::uint32_t));
    const auto initialise =
        reinterpret_cast<Initialise>(detail::symbol_of(library, "InitializeInjectionNvtx2"));
    if (initialise == nullptr || initialise(export_table) == 0) {
        return {};
    }
    const auto& core = modules[core_module].functions;
    return {reinterpret_cast<int (*)(const char*)>(core[range_push_a]),
            reinterpret_cast<int (*)()>(core[range_pop])};
}

} // namespace ferry::trace::nvtx
