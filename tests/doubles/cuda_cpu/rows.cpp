// SPDX-License-Identifier: Apache-2.0
// The functions that only CUDA's driver and NVRTC have.
#include "../driver_cpu/exports.hpp"
#include "../driver_cpu/module.hpp"
#include "architectures.hpp"
#include "errors.hpp"

#include <algorithm>
#include <iterator>

namespace ferry_double {

bool own_attribute(int attribute, int& value) {
    constexpr int shared_memory_opt_in = 97;
    constexpr int host_register_supported = 99;
    value = attribute == shared_memory_opt_in ? static_cast<int>(shared_bytes_per_block) : 1;
    return attribute == shared_memory_opt_in || attribute == host_register_supported;
}

int library_version() {
    return 12040;
}

Result Rows::error_name(Result error, const char** text) {
    const ErrorName* const known = find_error(error);
    *text = known != nullptr ? known->name : nullptr;
    return known != nullptr ? success : invalid_value;
}

Result Rows::error_text(Result error, const char** text) {
    const ErrorName* const known = find_error(error);
    *text = known != nullptr ? known->text : nullptr;
    return known != nullptr ? success : invalid_value;
}

Result Rows::primary_context(Context* context, Device device) {
    FERRY_DOUBLE_COUNT(primary_context)
    *context = context_of(device);
    return *context != nullptr ? success : invalid_device;
}

Result Rows::copy_any(Pointer to, Pointer from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ENTER(copy_any)
    return enqueue_copy(site_of_this.name, address_of(to), address_of(from), bytes, any, stream);
}

Result Rows::copy_box_peer(const PeerBoxCopy* copy, Stream stream) {
    FERRY_DOUBLE_ENTER(copy_box_peer)
    if (ordinal_of(copy->from.context) < 0 || ordinal_of(copy->to.context) < 0) {
        return no_context;
    }
    Box box;
    const int code = read_box(*copy, box);
    return code == success ? enqueue_box(site_of_this.name, box, stream) : code;
}

Result Rows::function_set_attribute(Function function, FunctionAttribute attribute, int value) {
    FERRY_DOUBLE_ENTER(function_set_attribute)
    if (find_module_of(function) == nullptr) {
        return invalid_handle;
    }
    if (attribute != function_max_dynamic_shared_bytes || value < 0 ||
        static_cast<unsigned int>(value) > shared_bytes_per_block) {
        return invalid_value;
    }
    static_cast<FunctionState*>(function)->shared_limit = static_cast<unsigned int>(value);
    return success;
}

Result Rows::function_parameter(Function function, std::size_t index, std::size_t* offset,
                                std::size_t* bytes) {
    FERRY_DOUBLE_ENTER(function_parameter)
    if (find_module_of(function) == nullptr) {
        return invalid_handle;
    }
    const KernelEntry& entry = *static_cast<FunctionState*>(function)->entry;
    if (index >= entry.count) {
        return invalid_value;
    }
    std::size_t at = 0;
    for (std::size_t i = 0;; ++i) {
        const Parameter& parameter = entry.parameters[i];
        at = (at + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
        if (i == index) {
            *offset = at;
            *bytes = parameter.size;
            return success;
        }
        at += parameter.size;
    }
}

Result Rows::module_function_count(unsigned int* count, Module module) {
    FERRY_DOUBLE_ENTER(module_function_count)
    const std::shared_ptr<ModuleState> state = world().modules.find(module);
    *count = state != nullptr ? static_cast<unsigned int>(state->functions.size()) : 0;
    return state != nullptr ? success : invalid_handle;
}

Result Rows::module_functions(Function* functions, unsigned int count, Module module) {
    FERRY_DOUBLE_ENTER(module_functions)
    const std::shared_ptr<ModuleState> state = world().modules.find(module);
    if (state == nullptr) {
        return invalid_handle;
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(count, state->functions.size()); ++i) {
        functions[i] = state->functions[i].get();
    }
    return success;
}

Result Rows::function_name(const char** name, Function function) {
    FERRY_DOUBLE_ENTER(function_name)
    if (find_module_of(function) == nullptr) {
        return invalid_handle;
    }
    *name = static_cast<FunctionState*>(function)->name.c_str();
    return success;
}

// The requested architecture decides whether the image is PTX or machine code.
CompilerResult CompilerRows::cubin_size(CompilerProgram program, std::size_t* bytes) {
    FERRY_DOUBLE_COMPILER_COUNT(cubin_size)
    return CompilerRows::code_size(program, bytes);
}

CompilerResult CompilerRows::cubin(CompilerProgram program, char* code) {
    FERRY_DOUBLE_COMPILER_COUNT(cubin)
    return CompilerRows::code(program, code);
}

CompilerResult CompilerRows::architecture_count(int* count) {
    FERRY_DOUBLE_COMPILER_COUNT(architecture_count)
    *count = static_cast<int>(std::size(cuda_architectures));
    return success;
}

CompilerResult CompilerRows::architectures(int* list) {
    FERRY_DOUBLE_COMPILER_COUNT(architectures)
    std::copy(std::begin(cuda_architectures), std::end(cuda_architectures), list);
    return success;
}

} // namespace ferry_double
