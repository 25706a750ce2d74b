// SPDX-License-Identifier: Apache-2.0
// Input: any bytes as a kernel file. The number of bytes selects one of the three dialects, with or without
// launch offsets. Checks that a translation fails with a message, or gives C++ with balanced brackets and
// with places within the file. Checks also that explain() accepts any log.
#include "emit_cpp/emit.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace ferry::translate;

namespace {

void require(bool condition, const char* what, const std::string& text) {
    if (!condition) {
        std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
        std::abort();
    }
}

void check_places(const Translation& t, const std::string& text) {
    for (const auto& line : t.lines) {
        for (const Mapping& mapping : line) {
            require(mapping.column != 0 && mapping.at.file < t.files->size(), "a place that is none", text);
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    constexpr Dialect dialects[] = {Dialect::cuda, Dialect::hip, Dialect::host};
    Request request;
    request.dialect = dialects[size % 3];
    request.text = text;
    request.offsets = size / 3 % 2 != 0;
    request.preprocess.limits.tokens = 20'000;
    request.preprocess.limits.made_bytes = 1u << 20;
    request.preprocess.limits.source_bytes = 1u << 20;
    request.preprocess.limits.includes = 100;
    const Translation t = ferry::emit_cpp::translate(request);
    require(t.error.empty() != t.kernels.empty(), "neither kernels nor an error, or both", text);
    if (t.error.empty()) {
        check_places(t, text);
        static_cast<void>(
            t.explain("k(3): error: x\n  a\n  ^\nk:4:2: warning: y\nk:99999:1: z\n" + text, "k"));
    }
    return 0;
}
