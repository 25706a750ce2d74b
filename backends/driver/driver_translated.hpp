// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/disk_cache.hpp"
#include "driver/driver_compiler.hpp"
#include "translate/build_flags.hpp"
#include "translate/translate.hpp"

namespace ferry::driver {

/// Compiles a translation. The compiler's messages are converted to places in the user's text.
template <class V>
Compiled compile_translated(Compiler<V>& compiler, const translate::Translation& translation,
                            const std::string& name, const BuildOptions& options,
                            const std::string& architecture) {
    const translate::BuildFlags flags = translate::read_build_flags(options);
    std::string with = V::translated_options(compiler);
    with += flags.fast_math ? V::fast_math_option : "";
    with += translation.contracts ? "" : V::no_contraction_option;
    with += " " + options.*V::compiler_options;
    BuildOptions own;
    own.*V::compiler_options = with;
    cache::Key key;
    key.add("form", V::compiler_name).add("name", name).add("source", translation.text).add("options", with);
    key.add("architecture", architecture).add("compiler", compiler.note());
    if (std::optional<std::string> image = cache::shared().load(key)) {
        return {std::move(*image), {}};
    }
    Compiled compiled =
        compiler.compile(V::source_of(translation.text, name), own, architecture,
                         [&](const std::string& log) { return translation.explain(log, name); });
    cache::shared().store(key, compiled.image);
    return compiled;
}

} // namespace ferry::driver
