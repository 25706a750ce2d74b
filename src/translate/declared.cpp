// SPDX-License-Identifier: Apache-2.0
#include "declared.hpp"

#include <ferry/error.hpp>

#include <cstdint>
#include <string>

namespace ferry::translate {
namespace {

constexpr std::size_t offset_bytes = 3 * sizeof(std::uint64_t);

[[noreturn]] void disagree(const KernelInfo& kernel, const std::string& what) {
    throw Error(Code::internal, "The translation and the compiler disagree about kernel '" + kernel.name +
                                    "': " + what + "; please report this with the kernel");
}

[[noreturn]] void compiled_otherwise(const KernelInfo& kernel, const std::string& how) {
    throw Error(Code::build_failed, "The code of kernel '" + kernel.name + "' was compiled " + how);
}

// For precompiled code, the caller states whether its launches may have an offset.
void check_offsets(const KernelInfo& compiled, const TranslatedKernel& translated) {
    const std::size_t count = translated.info.parameters.size();
    const std::size_t there = compiled.parameters.size();
    if (translated.takes_offset && there == count) {
        compiled_otherwise(translated.info, "for launches without an offset, and its Source is one of "
                                            "Source::with_global_offsets(); leave that out, or compile it "
                                            "with BuildOptions::global_offsets");
    }
    if (!translated.takes_offset && there == count + 1 && compiled.parameters.back().bytes == offset_bytes) {
        compiled_otherwise(translated.info, "with BuildOptions::global_offsets: it has a parameter more than "
                                            "its text, of 24 bytes; say so by Source::with_global_offsets()");
    }
}

} // namespace

KernelInfo complete(KernelInfo compiled, const TranslatedKernel& translated) {
    const KernelInfo& declared = translated.info;
    compiled.name = declared.name;
    const std::size_t count = declared.parameters.size();
    if (compiled.parameters_known) {
        check_offsets(compiled, translated);
    }
    if (compiled.parameters_known && translated.takes_offset) {
        if (compiled.parameters.size() != count + 1 ||
            (compiled.parameters.back().bytes != 0 && compiled.parameters.back().bytes != offset_bytes)) {
            disagree(declared, "its code has no parameter for the offset of launches behind the " +
                                   std::to_string(count) + " of its text");
        }
        compiled.parameters.pop_back();
    }
    if (compiled.parameters_known && compiled.parameters.size() != count) {
        disagree(declared, "its text declares " + std::to_string(count) + " parameters, its code has " +
                               std::to_string(compiled.parameters.size()));
    }
    compiled.parameters.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const ParameterInfo& said = declared.parameters[i];
        const std::size_t bytes = compiled.parameters[i].bytes;
        const std::size_t expected = said.kind == ParameterKind::local ? sizeof(std::uint32_t) : said.bytes;
        if (compiled.parameters_known && bytes != 0 && expected != 0 && bytes != expected) {
            disagree(declared, "its text gives parameter " + std::to_string(i) + " '" + said.name + "' " +
                                   std::to_string(expected) + " bytes, its code " + std::to_string(bytes));
        }
        compiled.parameters[i] = said;
        compiled.parameters[i].bytes = bytes != 0 ? bytes : expected;
    }
    compiled.parameters_known = true;
    compiled.required_local = declared.required_local;
    return compiled;
}

} // namespace ferry::translate
