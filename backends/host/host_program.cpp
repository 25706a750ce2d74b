// SPDX-License-Identifier: Apache-2.0
#include "host_program.hpp"

#include "host_device.hpp"

#include <algorithm>
#include <iterator>

namespace ferry::host {
namespace {

ParameterInfo describe(const HostParameter& parameter) {
    using Kind = ferry::detail::Argument::Kind;
    ParameterInfo info;
    info.kind = parameter.kind == Kind::value    ? ParameterKind::value
                : parameter.kind == Kind::buffer ? ParameterKind::buffer
                                                 : ParameterKind::local;
    info.type = parameter.type;
    info.bytes = parameter.kind == Kind::value ? parameter.element : sizeof(void*);
    return info;
}

Error refusal(const HostKernel& kernel, const char* fault) {
    return {Code::build_failed, "The host kernel '" + std::string(kernel.name) + "' " + fault,
            SourceLocation{}};
}

} // namespace

HostEntry::HostEntry(const HostKernel& kernel) : function_(kernel.run) {
    info_.name = kernel.name;
    info_.parameters_known = true;
    std::transform(kernel.parameters.begin(), kernel.parameters.end(), std::back_inserter(info_.parameters),
                   describe);
    info_.max_group_size = max_group_size;
    info_.preferred_multiple = 1;
}

HostProgram::HostProgram(const Source& source) : kernels_(source.host_kernels()) {
    for (auto kernel = kernels_.begin(); kernel != kernels_.end(); ++kernel) {
        if (kernel->run == nullptr) {
            throw refusal(*kernel, "has no function");
        }
        if (std::any_of(kernels_.begin(), kernel,
                        [&](const HostKernel& k) { return k.name == kernel->name; })) {
            throw refusal(*kernel, "is in the table twice");
        }
    }
}

std::unique_ptr<backend::Kernel> HostProgram::kernel(const std::string& name) {
    const auto found =
        std::find_if(kernels_.begin(), kernels_.end(), [&](const HostKernel& k) { return k.name == name; });
    return found == kernels_.end() ? nullptr : std::make_unique<HostEntry>(*found);
}

std::vector<std::string> HostProgram::kernel_names() {
    std::vector<std::string> names;
    for (const HostKernel& kernel : kernels_) {
        names.emplace_back(kernel.name);
    }
    return names;
}

} // namespace ferry::host
