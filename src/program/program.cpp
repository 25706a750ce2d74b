// SPDX-License-Identifier: Apache-2.0
#include "base/process_exit.hpp"
#include "base/text.hpp"
#include "program/kernel_state.hpp"
#include "program/translation_cache.hpp"
#include "program/untrusted.hpp"
#include "system/float_environment.hpp"
#include "system/no_cancellation.hpp"
#include "trace/trace.hpp"
#include "translate/build_flags.hpp"

#include <ferry/program.hpp>

#include <algorithm>
#include <utility>

namespace ferry {
namespace {

std::string variant_name(const Source& source) {
    std::string text(to_string(source.language()));
    if (!source.architecture().empty()) {
        text += " for " + source.architecture();
    }
    return text;
}

struct Choice {
    const Source* source = nullptr;
    std::string explanation;
};

bool is_compiled_before(const Source& source) {
    return source.host_module() != nullptr || !source.text().empty();
}

// Launches of such code of the user may have an offset, whatever the compiler options are.
bool is_opencl_code(const Source& source) {
    return (source.language() == Language::spirv && !is_compiled_before(source)) ||
           source.language() == Language::opencl_binary;
}

// Precompiled OpenCL C was compiled with other options, so it does not fit if macros are defined, nor on the
// host if a debugger needs its lines.
backend::Fit fit(detail::DeviceState& device, const Source& source, const translate::BuildFlags& flags,
                 const BuildOptions& options) {
    if (options.opencl_only && source.language() == Language::opencl_c &&
        device.info().backend != Backend::opencl) {
        return {backend::rank::none, "BuildOptions::opencl_only reserves it for OpenCL devices"};
    }
    if (!flags.defines.empty() && is_compiled_before(source)) {
        return {backend::rank::none, "compiled without the macros that the options define"};
    }
    if (flags.debug && source.host_module() != nullptr) {
        return {backend::rank::none, "compiled without the debug information that the options request"};
    }
    if (options.global_offsets && is_compiled_before(source) && !is_opencl_code(source) &&
        !source.global_offsets()) {
        return {backend::rank::none, "compiled without the global offsets that the options request"};
    }
    return device.native().fit(source);
}

detail::Offsets offsets_of(const Source& source, const BuildOptions& options) {
    if (is_opencl_code(source)) {
        return detail::Offsets::taken;
    }
    if (source.language() == Language::opencl_c || is_compiled_before(source)) {
        return options.global_offsets ? detail::Offsets::taken : detail::Offsets::not_built;
    }
    return detail::Offsets::not_native;
}

// If a variant that accepts the requested offsets fits at all, variants without offsets are excluded.
void prefer_offsets(std::vector<backend::Fit>& fits, const std::vector<Source>& variants,
                    const BuildOptions& options) {
    const auto takes = [&](const Source& source) {
        return offsets_of(source, options) == detail::Offsets::taken;
    };
    bool any = false;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        any = any || (fits[i].rank != backend::rank::none && takes(variants[i]));
    }
    for (std::size_t i = 0; any && i < variants.size(); ++i) {
        if (fits[i].rank != backend::rank::none && !takes(variants[i])) {
            fits[i] = {backend::rank::none, "accepts no offset, but the options request one"};
        }
    }
}

Choice choose(detail::DeviceState& device, const std::vector<Source>& variants, const BuildOptions& options,
              SourceLocation where) {
    if (variants.empty()) {
        throw Error(Code::invalid_argument,
                    "A program needs at least one variant of its code; none was given", where);
    }
    const translate::BuildFlags flags = translate::read_build_flags(options);
    std::vector<backend::Fit> fits;
    fits.reserve(variants.size());
    for (const Source& source : variants) {
        fits.push_back(fit(device, source, flags, options));
    }
    if (options.global_offsets) {
        prefer_offsets(fits, variants, options);
    }
    // The first one of the highest rank.
    const auto lower = [](const backend::Fit& a, const backend::Fit& b) { return a.rank < b.rank; };
    const auto best =
        static_cast<std::size_t>(std::max_element(fits.begin(), fits.end(), lower) - fits.begin());
    std::string others;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        if (i != best || fits[best].rank == backend::rank::none) {
            others += (others.empty() ? "" : "; ") + variant_name(variants[i]) + ": " +
                      (fits[i].rank == backend::rank::none ? fits[i].why
                       : fits[i].rank == fits[best].rank   ? "also fits, but is later in the list"
                                                           : "fits less well (" + fits[i].why + ")");
        }
    }
    if (fits[best].rank == backend::rank::none) {
        throw Error(Code::unsupported, "No variant of the program fits " + device.describe() + ". " + others,
                    where);
    }
    return {&variants[best], variant_name(variants[best]) + " taken for " + device.describe() + " (" +
                                 fits[best].why + ")" + (others.empty() ? "" : "; not taken: " + others)};
}

// For a device whose compiler takes C++: the translation of OpenCL C to compile, or the kernel declarations
// of precompiled code.
std::optional<translate::Translation> translated(const Source& source, detail::DeviceState& device,
                                                 const BuildOptions& options) {
    const std::optional<translate::Dialect> dialect = device.native().dialect();
    const bool is_text = source.language() == Language::opencl_c;
    if (!dialect || source.language() == Language::host || (!is_text && source.text().empty())) {
        return std::nullopt;
    }
    return detail::translate_or_throw(*dialect, source.name(), is_text ? source.contents() : source.text(),
                                      options, device.info());
}

std::shared_ptr<detail::ProgramState> make_untrusted(const Device& device,
                                                     const std::vector<Source>& variants,
                                                     const BuildOptions& options, SourceLocation where);

std::shared_ptr<detail::ProgramState> make(const Device& device, const std::vector<Source>& variants,
                                           const BuildOptions& options, SourceLocation where) {
    detail::DeviceState& state = device.state();
    state.check_alive(where);
    trace::start(where);
    const trace::Span span("Program", where);
    if (options.untrusted) {
        return make_untrusted(device, variants, options, where);
    }
    const Choice choice = choose(state, variants, options, where);
    auto program = std::make_shared<detail::ProgramState>();
    program->device = &state;
    program->language = choice.source->language();
    program->explanation = choice.explanation;
    BuildOptions with = options;
    with.global_offsets = options.global_offsets || choice.source->global_offsets();
    program->offsets = offsets_of(*choice.source, with);
    const detail::NoCancellation not_cancelled;
    try {
        const detail::DefaultFloatEnvironment floats; // Compilers compute constants.
        const detail::VendorCall call;
        call.check(where);
        const std::optional<translate::Translation> translation = translated(*choice.source, state, with);
        program->native = state.native().build(*choice.source, with, translation ? &*translation : nullptr);
    } catch (const Error& error) {
        throw error
            .with_message("The program '" + choice.source->name() + "' (" + variant_name(*choice.source) +
                          ") did not build for " + state.describe() + ": " + error.what())
            .with_where(where);
    }
    detail::register_exit_handler();
    return program;
}

std::shared_ptr<detail::ProgramState> make_untrusted(const Device& device,
                                                     const std::vector<Source>& variants,
                                                     const BuildOptions& options, SourceLocation where) {
    detail::check_runs_untrusted(device.state(), where);
    std::vector<Source> expanded;
    BuildOptions left = options;
    for (const Source& variant : variants) {
        try {
            detail::Untrusted one = detail::untrusted(variant, options, device.info());
            expanded.push_back(std::move(one.source));
            left = std::move(one.options);
        } catch (const Error& error) {
            throw error
                .with_message("The program '" + variant.name() + "' was not built for " +
                              device.state().describe() + ": " + error.what())
                .with_where(where);
        }
    }
    left.untrusted = false;
    return make(device, expanded, left, where);
}

detail::ProgramState& get(const std::shared_ptr<detail::ProgramState>& state, SourceLocation where) {
    if (state == nullptr) {
        throw Error(Code::invalid_state, "The program is empty: it was moved from or never made", where);
    }
    return *state;
}

} // namespace

Program::Program(const Device& device, std::vector<Source> variants, const BuildOptions& options,
                 SourceLocation where)
    : state_(make(device, variants, options, where)) {}

Program::Program(const Device& device, Source source, const BuildOptions& options, SourceLocation where)
    : state_(make(device, {std::move(source)}, options, where)) {}

Program::Program(const Device& device, const EmbeddedKernels& kernels, const BuildOptions& options,
                 SourceLocation where)
    : state_(make(device, kernels.sources(), options, where)) {}

Program::Program(const Device& device, std::string_view opencl_c, const BuildOptions& options,
                 SourceLocation where)
    : state_(make(device, {Source::opencl_c(opencl_c)}, options, where)) {}

Kernel Program::kernel(std::string_view name, SourceLocation where) const {
    detail::ProgramState& program = get(state_, where);
    std::unique_ptr<backend::Kernel> native;
    if (!name.empty() && name.find('\0') == std::string_view::npos) {
        try {
            const detail::VendorCall call;
            call.check(where);
            native = program.native->kernel(std::string(name));
        } catch (const Error& error) {
            throw error
                .with_message("Kernel '" + std::string(name) + "' could not be loaded: " + error.what())
                .with_where(where);
        }
    }
    if (native == nullptr) {
        const std::vector<std::string> names = program.native->kernel_names();
        const std::vector<std::string> close = detail::near_names(name, names);
        std::string text = "The program has no kernel '" + std::string(name.substr(0, 200)) + "'";
        if (!close.empty()) {
            text += "; did you mean " + detail::join(close) + "?";
        } else if (!names.empty()) {
            text += "; it has " + detail::join(names);
        } else {
            text += program.native->kernel_names().empty() && program.language != Language::host
                        ? "; CUDA and HIP kernels must be declared extern \"C\" to be found by name"
                        : "; it has none";
        }
        throw Error(Code::not_found, std::move(text), where);
    }
    if (const std::size_t count = native->info().parameters.size(); count > max_arguments) {
        throw Error(Code::unsupported,
                    "Kernel '" + std::string(name) + "' has " + std::to_string(count) +
                        " parameters; a launch takes at most " + std::to_string(max_arguments) +
                        " arguments. Pass several of them as one, in a struct or a buffer",
                    where);
    }
    return Kernel(std::make_shared<detail::KernelState>(state_, std::move(native)));
}

std::vector<std::string> Program::kernel_names(SourceLocation where) const {
    return get(state_, where).native->kernel_names();
}

Device Program::device(SourceLocation where) const {
    return Device(*get(state_, where).device);
}
Language Program::language(SourceLocation where) const {
    return get(state_, where).language;
}
const std::string& Program::explain(SourceLocation where) const {
    return get(state_, where).explanation;
}
const std::string& Program::log(SourceLocation where) const {
    return get(state_, where).native->log();
}

std::vector<std::byte> Program::binary(SourceLocation where) const {
    detail::ProgramState& program = get(state_, where);
    std::vector<std::byte> bytes = program.native->binary();
    if (bytes.empty()) {
        throw Error(Code::unsupported,
                    "A program of " + std::string(to_string(program.language)) + " on " +
                        program.device->describe() + " has no binary",
                    where);
    }
    return bytes;
}

} // namespace ferry
