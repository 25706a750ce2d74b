// SPDX-License-Identifier: Apache-2.0
#include "base/settings.hpp"
#include "emit_cpp/emit.hpp"
#include "hal/offline.hpp"
#include "probe/probe.hpp"
#include "system/float_environment.hpp"
#include "system/process_state.hpp"
#include "translate/build_flags.hpp"
#include "translate/declared.hpp"
#include "translate/flatten.hpp"
#include "translate/translate.hpp"

#include <ferry/compile.hpp>
#include <ferry/error.hpp>

#include <algorithm>
#include <cstring>
#include <exception>

namespace ferry {
namespace {

bool wanted(const CompileRequest& request, Backend backend) {
    return (request.backends.empty() && (backend == Backend::opencl || !request.options.opencl_only)) ||
           std::find(request.backends.begin(), request.backends.end(), backend) != request.backends.end();
}

backend::OfflineCompiler unavailable_compiler(Backend backend, std::string why_not) {
    backend::OfflineCompiler compiler;
    compiler.backend = backend;
    compiler.dialect = backend == Backend::cuda ? translate::Dialect::cuda : translate::Dialect::hip;
    compiler.note = std::move(why_not);
    return compiler;
}

backend::OfflineCompiler open_compiler(Backend backend) {
    const detail::probe::Verdict verdict =
        detail::probe::verdict_on({backend, detail::probe::Part::compiler});
    if (!verdict.usable) {
        return unavailable_compiler(backend, verdict.reasons.empty() ? "" : verdict.reasons.front().text);
    }
    const detail::ProcessState kept;
    try {
        return backend::offline_compiler(backend, detail::library_settings());
    } catch (const std::exception& error) {
        return unavailable_compiler(backend, error.what());
    }
}

// The requested architectures of this backend.
std::vector<std::string> architectures(const CompileRequest& request,
                                       const backend::OfflineCompiler& compiler) {
    std::vector<std::string> own;
    for (const std::string& name : request.architectures) {
        const bool cuda = name.starts_with("sm_") || name.starts_with("compute_");
        const bool hip = name.starts_with("gfx");
        if ((compiler.backend == Backend::cuda && cuda) || (compiler.backend == Backend::hip && hip)) {
            own.push_back(name);
        }
    }
    const bool machine = request.machine_code && !compiler.machine.empty();
    return own.empty() ? std::vector<std::string>{machine ? compiler.machine : compiler.architecture} : own;
}

CompileResult compile_one(const backend::OfflineCompiler& compiler, const translate::Translation& translation,
                          const Source& source, const BuildOptions& options, std::string architecture) {
    CompileResult result;
    result.backend = compiler.backend;
    result.architecture = std::move(architecture);
    result.compiler = compiler.note;
    result.available = compiler.available;
    result.translated = translation.error.empty();
    result.translation = translation.text;
    result.diagnostics = translation.error.empty() ? translation.warnings : translation.error;
    for (const translate::TranslatedKernel& kernel : translation.kernels) {
        result.kernels.push_back(kernel.info);
    }
    if (!translation.error.empty() || !compiler.available) {
        return result;
    }
    try {
        backend::OfflineCompiler::Code code =
            compiler.compile(translation, source.name(), options, result.architecture);
        result.language = code.language;
        result.diagnostics += (result.diagnostics.empty() || code.log.empty() ? "" : "\n") + code.log;
        for (std::size_t i = 0; i < result.kernels.size(); ++i) {
            const auto known =
                std::find_if(code.kernels.begin(), code.kernels.end(), [&](const KernelInfo& kernel) {
                    return kernel.name == translation.kernels[i].symbol;
                });
            if (known != code.kernels.end()) {
                const KernelInfo whole =
                    translate::complete(*known, translation.kernels[i]); // Throws if they disagree.
                for (std::size_t n = 0; n < whole.parameters.size(); ++n) {
                    if (whole.parameters[n].kind ==
                        ParameterKind::value) { // The compiler knows struct sizes.
                        result.kernels[i].parameters[n].bytes = whole.parameters[n].bytes;
                    }
                }
                result.kernels[i].registers = known->registers;
                result.kernels[i].local_bytes = known->local_bytes;
            }
        }
        result.binary.resize(code.bytes.size());
        std::memcpy(result.binary.data(), code.bytes.data(), code.bytes.size());
        result.ok = true;
    } catch (const Error& error) {
        result.diagnostics = error.log().empty() ? error.what() : error.log();
    }
    return result;
}

CompileResult compile_on(const Device& device, const Source& source, const BuildOptions& options) {
    CompileResult result;
    result.backend = device.info().backend;
    result.architecture = device.info().name;
    result.compiler = device.info().platform + " " + device.info().driver_version;
    result.available = true;
    result.translated = true;
    try {
        const Program program{device, source, options};
        result.ok = true;
        result.diagnostics = program.log();
        result.language = Language::opencl_binary;
        for (const std::string& name : program.kernel_names()) {
            result.kernels.push_back(program.kernel(name).info());
        }
        result.binary = program.binary();
    } catch (const Error& error) {
        result.diagnostics += error.log().empty() ? error.what() : error.log();
    }
    return result;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

bool named(const CompileRequest& request, const Device& device) {
    bool any = false;
    for (const std::string& name : request.architectures) {
        if (name.starts_with("sm_") || name.starts_with("compute_") || name.starts_with("gfx")) {
            continue;
        }
        any = true;
        if (lower(device.info().name + " " + device.info().platform).find(lower(name)) != std::string::npos) {
            return true;
        }
    }
    return !any;
}

} // namespace

std::vector<CompileResult> compile(const Source& opencl_c, const CompileRequest& request) {
    if (opencl_c.language() != Language::opencl_c) {
        throw Error(Code::invalid_argument,
                    "compile() takes OpenCL C; the source is " + std::string(to_string(opencl_c.language())));
    }
    if (request.options.untrusted) {
        throw Error(Code::unsupported,
                    "compile() gives texts to compilers as they are, so it takes none with "
                    "BuildOptions::untrusted; build a Program, which looks at them");
    }
    const auto other = std::find_if_not(request.backends.begin(), request.backends.end(),
                                        [](Backend backend) { return backend == Backend::opencl; });
    if (request.options.opencl_only && other != request.backends.end()) {
        throw Error(Code::invalid_argument, "compile() is asked for " + std::string(to_string(*other)) +
                                                ", but BuildOptions::opencl_only reserves the text for "
                                                "OpenCL devices");
    }
    const translate::BuildFlags flags = translate::read_build_flags(request.options);
    if (!flags.problem.empty() && !request.options.opencl_only) {
        throw Error(Code::invalid_argument, flags.problem);
    }
    const detail::DefaultFloatEnvironment floats; // The front end and compilers compute constants.
    BuildOptions options = request.options;
    options.global_offsets = options.global_offsets || opencl_c.global_offsets();
    std::vector<CompileResult> results;
    for (const Backend backend : backend::offline_backends) {
        if (!wanted(request, backend)) {
            continue;
        }
        const backend::OfflineCompiler compiler = open_compiler(backend);
        translate::Request translation;
        translation.dialect = compiler.dialect;
        translation.name = opencl_c.name();
        translation.text = opencl_c.contents();
        translation.preprocess.defines = flags.defines;
        translation.preprocess.include_directories = flags.include_directories;
        translation.preprocess.headers = translate::memory_headers(request.options);
        translation.offsets = options.global_offsets;
        const translate::Translation translated = emit_cpp::translate(translation);
        for (std::string& architecture : architectures(request, compiler)) {
            results.push_back(compile_one(compiler, translated, opencl_c, options, std::move(architecture)));
        }
    }
    if (wanted(request, Backend::opencl)) {
        std::vector<Device> devices;
        try {
            devices = all_devices();
        } catch (const Error& error) { // All are excluded, so there is none to compile for.
            if (error.code() != Code::unavailable) {
                throw;
            }
        }
        for (const Device& device : devices) {
            if (device.info().backend == Backend::opencl && named(request, device)) {
                results.push_back(compile_on(device, opencl_c, options));
            }
        }
    }
    return results;
}

std::string flatten(const Source& opencl_c, const BuildOptions& options) {
    if (options.untrusted) {
        throw Error(Code::unsupported,
                    "flatten() reads the files that a text includes, so it takes none with "
                    "BuildOptions::untrusted");
    }
    translate::BuildFlags flags = translate::read_build_flags(options);
    if (!flags.problem.empty()) {
        throw Error(Code::invalid_argument, flags.problem);
    }
    // Definitions that a compiler makes for an option do not belong to the text.
    std::erase_if(flags.defines,
                  [](const std::string& define) { return define.starts_with("__FAST_RELAXED"); });
    std::string text;
    for (const std::string& define : flags.defines) {
        text += translate::define_line(define) + "\n";
    }
    return text + translate::flatten(opencl_c.contents(), opencl_c.name(), flags.include_directories,
                                     options.headers, true, flags.defines);
}

} // namespace ferry
