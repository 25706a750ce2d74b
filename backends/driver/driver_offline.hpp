// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_translated.hpp"
#include "hal/offline.hpp"

#include <memory>

namespace ferry::driver {

/// The vendor's compiler, opened as the backend would open it. `code_language` returns the language of the
/// result for an architecture, `code_kernels` the description of its kernels.
template <class V>
backend::OfflineCompiler offline_compiler(const backend::Libraries& libraries) {
    struct Opened {
        Api<V> api;
        Compiler<V> compiler;
    };
    const auto opened = std::make_shared<Opened>();
    V::prepare_offline(opened->api, libraries);
    V::open_compiler(opened->api, libraries, opened->compiler);
    backend::OfflineCompiler offline;
    offline.backend = V::backend;
    offline.dialect = V::dialect;
    offline.available = opened->compiler.available();
    offline.note = opened->compiler.note();
    if (offline.available) {
        offline.architecture = V::oldest_architecture(opened->compiler);
        offline.machine = V::oldest_machine(opened->compiler);
    }
    offline.compile = [opened](const translate::Translation& translation, const std::string& name,
                               const BuildOptions& options, const std::string& architecture) {
        BuildOptions own = options;
        own.*V::compiler_options = options.*V::compiler_options + " " + V::architecture_option(architecture);
        Compiled compiled = compile_translated(opened->compiler, translation, name, own, "");
        std::vector<KernelInfo> kernels = V::code_kernels(compiled.image);
        return backend::OfflineCompiler::Code{V::code_language(architecture), std::move(compiled.image),
                                              std::move(compiled.log), std::move(kernels)};
    };
    return offline;
}

} // namespace ferry::driver
