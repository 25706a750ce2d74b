// SPDX-License-Identifier: Apache-2.0
#include "exports.hpp"
#include "library.hpp"
#include "module.hpp"

#include <algorithm>
#include <string_view>

namespace ferry_double {

Result Rows::module_load(Module* module, const void* image, unsigned int, JitOption*, void**) {
    FERRY_DOUBLE_ENTER(module_load)
    if (module == nullptr || image == nullptr) {
        return invalid_value;
    }
    const std::optional<CodeObject> object = compiler_facts.read_object(image);
    if (!object) {
        return invalid_image;
    }
    if (object->shared_object.empty() || object->architecture != world().architecture) {
        return no_binary_for_gpu;
    }
    std::string error;
    std::shared_ptr<ModuleState> state = ModuleState::load(object->shared_object, error);
    if (state == nullptr) {
        return invalid_image;
    }
    state->device = &current();
    {
        World& all = world();
        const std::lock_guard lock(all.functions_mutex);
        for (const auto& function : state->functions) {
            all.functions[function.get()] = state;
        }
    }
    *module = world().modules.add(std::move(state));
    return success;
}

// Running kernels still hold a reference.
Result Rows::module_unload(Module module) {
    FERRY_DOUBLE_COUNT(module_unload)
    const std::shared_ptr<ModuleState> state = world().modules.remove(module);
    if (state == nullptr) {
        return invalid_handle;
    }
    World& all = world();
    const std::lock_guard lock(all.functions_mutex);
    for (const auto& function : state->functions) {
        all.functions.erase(function.get());
    }
    return success;
}

Result Rows::module_function(Function* function, Module module, const char* name) {
    FERRY_DOUBLE_ENTER(module_function)
    const std::shared_ptr<ModuleState> state = world().modules.find(module);
    if (state == nullptr || function == nullptr || name == nullptr) {
        return state == nullptr ? invalid_handle : invalid_value;
    }
    const auto found = std::find_if(state->functions.begin(), state->functions.end(),
                                    [&](const auto& candidate) { return candidate->name == name; });
    *function = found != state->functions.end() ? found->get() : nullptr;
    return found != state->functions.end() ? success : not_found;
}

Result Rows::function_attribute(int* value, FunctionAttribute attribute, Function function) {
    FERRY_DOUBLE_ENTER(function_attribute)
    if (find_module_of(function) == nullptr) {
        return invalid_handle;
    }
    switch (attribute) {
    case function_max_threads:
        *value = static_cast<int>(threads_per_block);
        return success;
    case function_registers:
        *value = 32;
        return success;
    case function_max_dynamic_shared_bytes:
        *value = static_cast<int>(static_cast<FunctionState*>(function)->shared_limit);
        return success;
    default:
        *value = 0;
        return attribute >= 0 && attribute <= 9 ? success : invalid_value;
    }
}

Result Rows::occupancy(int* groups, Function function, int group_size, std::size_t local_bytes) {
    FERRY_DOUBLE_ENTER(occupancy)
    if (find_module_of(function) == nullptr) {
        return invalid_handle;
    }
    if (groups == nullptr || group_size <= 0 || group_size > static_cast<int>(threads_per_block)) {
        return invalid_value;
    }
    constexpr int threads_per_unit = 2048;
    constexpr std::size_t most_groups = 32;
    std::size_t fit =
        std::min<std::size_t>(most_groups, static_cast<std::size_t>(threads_per_unit / group_size));
    if (local_bytes > static_cast<FunctionState*>(function)->shared_limit) {
        fit = 0;
    } else if (local_bytes != 0) {
        fit = std::min(fit, shared_bytes_per_block / local_bytes);
    }
    *groups = static_cast<int>(fit);
    site_of_this.note(group_size, static_cast<long long>(local_bytes));
    return success;
}

Result Rows::launch(Function function, unsigned int groups_x, unsigned int groups_y, unsigned int groups_z,
                    unsigned int local_x, unsigned int local_y, unsigned int local_z,
                    unsigned int local_bytes, Stream stream, void** parameters, void** extra) {
    FERRY_DOUBLE_ENTER(launch)
    return code_for(ferry_double::launch({function,
                                          {groups_x, groups_y, groups_z},
                                          {local_x, local_y, local_z},
                                          local_bytes,
                                          stream,
                                          parameters,
                                          extra}));
}

} // namespace ferry_double
