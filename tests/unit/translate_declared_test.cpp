// SPDX-License-Identifier: Apache-2.0
// Compares a kernel's parameters in the text with those reported by its compiler.
#include "translate/declared.hpp"

#include <ferry/compile.hpp>
#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using ferry::Backend;
using ferry::KernelInfo;
using ferry::ParameterInfo;
using ferry::ParameterKind;
using ferry::translate::complete;
using ferry::translate::TranslatedKernel;

namespace {

ParameterInfo parameter(ParameterKind kind, const char* name, std::size_t bytes) {
    ParameterInfo info;
    info.kind = kind;
    info.name = name;
    info.bytes = bytes;
    return info;
}

/// From the text: a buffer, a float, a struct, local memory.
TranslatedKernel declared() {
    TranslatedKernel kernel;
    KernelInfo& info = kernel.info;
    info.name = "k";
    info.parameters_known = true;
    info.parameters = {parameter(ParameterKind::buffer, "out", 8), parameter(ParameterKind::value, "a", 4),
                       parameter(ParameterKind::value, "s", 0), parameter(ParameterKind::local, "part", 8)};
    info.required_local = {8, 4, 1};
    return kernel;
}

/// From a compiler: only sizes.
KernelInfo compiled(const std::vector<std::size_t>& sizes) {
    KernelInfo info;
    info.name = "fy_k_k";
    info.parameters_known = true;
    info.registers = 17;
    for (const std::size_t bytes : sizes) {
        info.parameters.push_back(parameter(ParameterKind::unknown, "", bytes));
    }
    return info;
}

void disagree(const KernelInfo& code, const std::vector<std::string>& parts,
              const TranslatedKernel& text = declared()) {
    try {
        (void)complete(code, text);
        FAIL_CHECK("they were said to agree");
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::internal);
        for (const std::string& part : parts) {
            CHECK_MESSAGE(std::string(error.what()).find(part) != std::string::npos, error.what());
        }
    }
}

} // namespace

TEST_CASE("parameters are those of the text, with the compiler's sizes") {
    const KernelInfo all = complete(compiled({8, 4, 24, 4}), declared());
    CHECK(all.name == "k");
    CHECK(all.registers == 17);
    CHECK(all.required_local[1] == 4);
    REQUIRE(all.parameters.size() == 4);
    CHECK(all.parameters[1].name == "a");
    CHECK(all.parameters[1].kind == ParameterKind::value);
    CHECK(all.parameters[2].bytes == 24); // not known from the text
    CHECK(all.parameters[3].kind == ParameterKind::local);
    CHECK(all.parameters[3].bytes == 4); // the offset that is passed for local memory

    KernelInfo silent = compiled({});
    silent.parameters_known = false;
    CHECK(complete(silent, declared()).parameters[1].bytes == 4);
}

TEST_CASE("a text and a compiler that disagree about parameters are an error") {
    disagree(compiled({8, 4, 24}), {"kernel 'k'", "declares 4 parameters", "code has 3"});
    disagree(compiled({8, 4, 24, 4, 4}), {"kernel 'k'", "declares 4 parameters", "code has 5"});
    disagree(compiled({8, 8, 24, 4}), {"kernel 'k'", "parameter 1 'a' 4 bytes", "code 8"});
    disagree(compiled({4, 4, 24, 4}), {"kernel 'k'", "parameter 0 'out' 8 bytes", "code 4"});
    disagree(compiled({8, 4, 24, 8}), {"kernel 'k'", "parameter 3 'part' 4 bytes", "code 8"});
    TranslatedKernel with_struct = declared();
    with_struct.info.parameters[2].bytes = 24;
    CHECK(complete(compiled({8, 4, 24, 4}), with_struct).parameters[2].bytes == 24);
    disagree(compiled({8, 4, 32, 4}), {"kernel 'k'", "parameter 2 's' 24 bytes", "code 32"}, with_struct);
}
