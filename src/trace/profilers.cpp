// SPDX-License-Identifier: Apache-2.0
#include "trace/profilers.hpp"

#include "system/shared_library.hpp"
#include "trace/nvtx.hpp"

#include <array>
#include <cstddef>

namespace ferry::trace {
namespace {

using Push = int (*)(const char*);
using Pop = int (*)();

struct Profiler {
    Push push = nullptr;
    Pop pop = nullptr;
};

Profiler of_nvtx() noexcept {
    const nvtx::Functions found = nvtx::open();
    return {found.push, found.pop};
}

Profiler of_roctx() noexcept {
    // rocprofv3 loads the first two, rocprof and rocprofv2 the last.
    for (const char* const name :
         {"librocprofiler-sdk-roctx.so.1", "librocprofiler-sdk-roctx.so.0", "libroctx64.so.4"}) {
        if (void* const library = detail::loaded_library(name)) {
            return {reinterpret_cast<Push>(detail::symbol_of(library, "roctxRangePushA")),
                    reinterpret_cast<Pop>(detail::symbol_of(library, "roctxRangePop"))};
        }
    }
    return {};
}

Profiler usable(Profiler found) noexcept {
    return found.push != nullptr && found.pop != nullptr ? found : Profiler{};
}

const std::array<Profiler, 2>& profilers() noexcept {
    static const std::array<Profiler, 2> found{usable(of_nvtx()), usable(of_roctx())};
    return found;
}

} // namespace

bool has_profiler() noexcept {
    return profilers()[0].push != nullptr || profilers()[1].push != nullptr;
}

unsigned begin_range(const char* name) noexcept {
    unsigned told = 0;
    for (std::size_t i = 0; i < profilers().size(); ++i) {
        if (profilers()[i].push != nullptr) {
            profilers()[i].push(name);
            told |= 1U << i;
        }
    }
    return told;
}

void end_range(unsigned told) noexcept {
    for (std::size_t i = 0; i < profilers().size(); ++i) {
        if ((told >> i & 1U) != 0) {
            profilers()[i].pop();
        }
    }
}

} // namespace ferry::trace
