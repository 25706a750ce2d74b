// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_ptx.hpp"
#include "cuda/cuda_vendor.hpp"

#include <charconv>

namespace ferry::cuda {

namespace {

// "sm_90", "sm_90a" and "compute_90": 90. 0 for other text.
int capability_of(std::string_view architecture) {
    const std::size_t at = architecture.find('_');
    int value = 0;
    if (at != std::string_view::npos) {
        std::from_chars(architecture.data() + at + 1, architecture.data() + architecture.size(), value);
    }
    return value;
}

backend::Fit fit_ptx(const Source& source, const DeviceInfo& info) {
    const Ptx ptx = parse_ptx(source.contents());
    if (std::string problem = ptx_too_new(ptx, info.api_version); !problem.empty()) {
        return {backend::rank::none, std::move(problem)};
    }
    const int target = ptx.target;
    if (target > capability_of(info.architecture)) {
        return {backend::rank::none, "PTX for sm_" + std::to_string(target) +
                                         ", which is newer than the device's " + info.architecture};
    }
    return {backend::rank::intermediate, "PTX, compiled by the driver"};
}

backend::Fit fit_cubin(const Source& source, const DeviceInfo& info) {
    const std::string& architecture = source.architecture();
    if (architecture.empty()) {
        return {backend::rank::unknown_binary, "machine code that does not say for which architecture"};
    }
    // Machine code runs on later devices of the same major capability, and the "a" forms only on their own.
    const int built_for = capability_of(architecture);
    const int present = capability_of(info.architecture);
    const bool exact = architecture.ends_with('a');
    if (built_for == present || (!exact && built_for / 10 == present / 10 && built_for < present)) {
        return {backend::rank::binary, "machine code for " + architecture};
    }
    return {backend::rank::none, "machine code for " + architecture + ", the device is " + info.architecture};
}

} // namespace

backend::Fit Vendor::fit_binary(const Source& source, const DeviceInfo& info) {
    return source.language() == Language::ptx ? fit_ptx(source, info) : fit_cubin(source, info);
}

std::vector<KernelInfo> Vendor::reflect_image(const std::string& image, const DeviceInfo&) {
    return is_ptx(image) ? parse_ptx(image).kernels : std::vector<KernelInfo>();
}

void Vendor::reflect_function(const Api& api, Function function, KernelInfo& info) {
    if (!api.function_parameter || info.parameters_known) {
        return;
    }
    for (std::size_t index = 0; index < backend::most_names; ++index) {
        std::size_t offset = 0;
        ParameterInfo parameter;
        const int code = api.function_parameter(function, index, &offset, &parameter.bytes);
        if (code != driver::result::success) {
            info.parameters_known = code == driver::result::invalid_value;
            return;
        }
        info.parameters.push_back(parameter);
    }
}

std::vector<std::string> Vendor::function_names(const Api& api, Module module) {
    std::vector<std::string> names;
    unsigned int count = 0;
    if (!api.module_functions || api.module_function_count(&count, module) != driver::result::success ||
        count == 0 || count > backend::most_names) {
        return names;
    }
    std::vector<Function> functions(count);
    api.call(api.module_functions, functions.data(), count, module);
    for (Function function : functions) {
        const char* name = nullptr;
        api.call(api.function_name, &name, function);
        names.emplace_back(backend::made(Backend::cuda, api.function_name.name, name));
    }
    return names;
}

void Vendor::opt_in_local_memory(const Api& api, Function function, int bytes) {
    api.call(api.function_set_attribute, function, max_dynamic_local_bytes, bytes);
}

} // namespace ferry::cuda
