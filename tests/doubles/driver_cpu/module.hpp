// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler.hpp"
#include "device.hpp"

#include <string>
#include <vector>

namespace ferry_double {

// The same as in device/run.hpp.
struct Launch {
    unsigned int grid[3];
    unsigned int block[3];
    unsigned int warp;
    void* shared;
    void** parameters;
    int torn_atomics; // FERRY_DOUBLE_LIE=atomics
};
struct Parameter {
    unsigned int size, alignment, is_pointer;
};
struct KernelEntry {
    const char* name;
    const void* symbol;
    unsigned int count;
    const Parameter* parameters;
    int (*run)(const Launch*);
};

struct FunctionState {
    std::string name;
    const KernelEntry* entry = nullptr;
    ModuleState* module = nullptr;
    std::atomic<unsigned int> shared_limit; ///< in bytes of dynamic shared memory
};

/// A shared object with kernels. Each is loaded separately, so that two modules of one code object share no
/// variables.
struct ModuleState {
    ModuleState() = default;
    ~ModuleState();
    ModuleState(const ModuleState&) = delete;
    ModuleState& operator=(const ModuleState&) = delete;

    /// Returns null and the loader's message in `error` after a failure.
    static std::shared_ptr<ModuleState> load(std::string_view shared_object, std::string& error);
    std::vector<KernelDescription> descriptions() const;

    DeviceState* device = nullptr;
    void* library = nullptr;
    std::vector<std::unique_ptr<FunctionState>> functions;
};

std::shared_ptr<ModuleState> find_module_of(void* function);

struct LaunchCall {
    void* function;
    unsigned int grid[3];
    unsigned int block[3];
    unsigned int shared_bytes;
    void* stream;
    void** parameters;
    void** extra;
};
int launch(const LaunchCall& call);

constexpr unsigned int threads_per_block = 1024;
constexpr unsigned int shared_bytes_per_block = 64 * 1024;

} // namespace ferry_double
