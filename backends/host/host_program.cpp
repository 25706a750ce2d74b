// SPDX-License-Identifier: Apache-2.0
#include "host_program.hpp"

#include "host_device.hpp"
#include "system/machine.hpp"
#include "translate/translate.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <iterator>

namespace ferry::host {
namespace {

ParameterInfo parameter_info(const HostParameter& parameter) {
    using Kind = ferry::detail::ArgumentKind;
    ParameterInfo info;
    info.kind = parameter.kind == Kind::value    ? ParameterKind::value
                : parameter.kind == Kind::buffer ? ParameterKind::buffer
                                                 : ParameterKind::local;
    info.type = parameter.type;
    info.bytes = parameter.kind == Kind::value ? parameter.element : sizeof(void*);
    info.space = parameter.kind == Kind::value    ? AddressSpace::none
                 : parameter.kind == Kind::buffer ? AddressSpace::global
                                                  : AddressSpace::local;
    info.read_only = parameter.read_only;
    return info;
}

Error refusal(const HostKernel& kernel, const char* fault) {
    return {Code::build_failed, "The host kernel '" + std::string(kernel.name) + "' " + fault,
            SourceLocation{}};
}

void check_stack(const std::string& kernel, std::size_t bytes) {
    if (bytes > total_memory()) {
        throw Error(Code::out_of_memory,
                    "The private variables of kernel '" + kernel + "' and of those compiled with it need " +
                        std::to_string(bytes) + " bytes of stack in each thread, and the host has " +
                        std::to_string(total_memory()) +
                        " bytes of memory; keep large arrays in global memory, or compile the kernel alone",
                    SourceLocation{});
    }
}

} // namespace

HostEntry::HostEntry(const HostKernel& kernel, std::size_t group_limit) : function_{.group = kernel.run} {
    info_.name = kernel.name;
    info_.parameters_known = true;
    std::transform(kernel.parameters.begin(), kernel.parameters.end(), std::back_inserter(info_.parameters),
                   parameter_info);
    info_.max_group_size = group_limit;
    info_.preferred_multiple = 1;
}

HostEntry::HostEntry(const ModuleKernel& kernel, KernelInfo info, std::size_t group_limit, Function function)
    : function_(function), info_(std::move(info)), translated_(true) {
    function_.row = kernel.run;
    info_.max_group_size = group_limit;
    info_.preferred_multiple = 16;
    info_.local_bytes = kernel.local_bytes;
}

const Module& checked(const Module* module, const BuildOptions& options) {
    const bool known = module != nullptr && (module->version() == Module::without_offsets ||
                                             module->version() == Module::with_offsets);
    if (!known) {
        throw Error(Code::build_failed, "The compiled kernels have no table of this version of Ferry");
    }
    if (options.global_offsets && module->version() == Module::without_offsets) {
        throw Error(Code::build_failed, "The compiled kernels were made for launches without offsets, and "
                                        "BuildOptions::global_offsets asks for them");
    }
    return *module;
}

KernelInfo info_of(const ModuleKernel& kernel) {
    using Kind = ferry::detail::ArgumentKind;
    KernelInfo info;
    info.name = kernel.name;
    info.parameters_known = true;
    for (unsigned long i = 0; i < kernel.parameter_count; ++i) {
        const ModuleParameter& p = kernel.parameters[i];
        ParameterInfo parameter;
        parameter.kind = p.kind == static_cast<int>(Kind::value)    ? ParameterKind::value
                         : p.kind == static_cast<int>(Kind::buffer) ? ParameterKind::buffer
                                                                    : ParameterKind::local;
        parameter.name = p.name;
        parameter.type_name = p.type;
        parameter.type = static_cast<ScalarType>(p.scalar);
        parameter.bytes = parameter.kind == ParameterKind::value ? p.bytes : sizeof(void*);
        parameter.space = parameter.kind == ParameterKind::value   ? AddressSpace::none
                          : parameter.kind == ParameterKind::local ? AddressSpace::local
                          : p.read_only == 2                       ? AddressSpace::constant
                                                                   : AddressSpace::global;
        parameter.read_only = p.read_only != 0;
        info.parameters.push_back(std::move(parameter));
    }
    for (std::size_t d = 0; d < 3; ++d) {
        info.required_local[d] = kernel.required_local[d];
    }
    return info;
}

TranslatedProgram::TranslatedProgram(const Module& module, std::size_t group_limit,
                                     const translate::Translation& strict)
    : TranslatedProgram(module, group_limit) {
    prints_ = strict.prints;
    padded_vectors_ = strict.padded_vectors;
    for (const translate::TranslatedKernel& kernel : strict.kernels) {
        if (kernel.any_order) {
            any_order_.push_back(kernel.info.name);
        }
    }
}

std::unique_ptr<backend::Kernel> TranslatedProgram::kernel(const std::string& name) {
    for (unsigned long i = 0; i < module_->kernel_count; ++i) {
        const ModuleKernel& kernel = module_->kernels[i];
        if (kernel.name == name) {
            check_stack(name, module_->stack());
            const bool any_order = std::find(any_order_.begin(), any_order_.end(), name) != any_order_.end();
            return std::make_unique<HostEntry>(kernel, info_of(kernel), group_limit_,
                                               Function{.any_order = any_order,
                                                        .repeatable = any_order || !prints_,
                                                        .padded_vectors = padded_vectors_,
                                                        .stack = module_->stack()});
        }
    }
    return nullptr;
}

std::vector<std::string> TranslatedProgram::kernel_names() {
    std::vector<std::string> names;
    for (unsigned long i = 0; i < module_->kernel_count; ++i) {
        names.emplace_back(module_->kernels[i].name);
    }
    return names;
}

HostProgram::HostProgram(const Source& source, std::size_t group_limit)
    : kernels_(source.host_kernels()), group_limit_(group_limit) {
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
    return found == kernels_.end() ? nullptr : std::make_unique<HostEntry>(*found, group_limit_);
}

std::vector<std::string> HostProgram::kernel_names() {
    std::vector<std::string> names;
    for (const HostKernel& kernel : kernels_) {
        names.emplace_back(kernel.name);
    }
    return names;
}

} // namespace ferry::host
