// SPDX-License-Identifier: Apache-2.0
#include "../ferry_double.h"
#include "exports.hpp"
#include "memory.hpp"
#include "programs.hpp"

#include <string_view>

// Which rows this library has. Everything in the lists must be defined, or the library does not link.
#ifndef FERRY_DOUBLE_WITH_RUNTIME
#define FERRY_DOUBLE_WITH_RUNTIME 1
#endif
#ifndef FERRY_DOUBLE_WITH_COMPILER
#define FERRY_DOUBLE_WITH_COMPILER (FERRY_DOUBLE_ABI < 7)
#endif

#ifndef FERRY_DOUBLE_REQUIRED_ONLY
#define FERRY_DOUBLE_REQUIRED_ONLY 0
#endif

namespace {

struct Row {
    std::string_view tier;
    const char* name;
    const void* function;
};

// Optional ones that a library of this version does not export (abi5.map, required.map); the others must be
// there.
bool hidden(const Row& row) {
    if (FERRY_DOUBLE_REQUIRED_ONLY != 0) {
        return row.tier != "required" && row.tier != "either_properties";
    }
    return FERRY_DOUBLE_ABI == 5 && row.tier == "either_properties_r0600";
}

const Row rows[] = {
#if FERRY_DOUBLE_WITH_RUNTIME
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) \
    {#tier, #hip, reinterpret_cast<const void*>(&::hip)},
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) \
    {#tier, #name, reinterpret_cast<const void*>(&::name)},
#include "driver/symbols.def"
#endif
#if FERRY_DOUBLE_WITH_COMPILER
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    {#tier, #hiprtc, reinterpret_cast<const void*>(&::hiprtc)},
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    {#tier, #hiprtc, reinterpret_cast<const void*>(&::hiprtc)},
#include "driver/compiler.def"
#endif
    {{}, nullptr, nullptr}};

} // namespace

FERRY_DOUBLE_EXPORT const char* ferry_double_symbol(int index) {
    for (const Row& row : rows) {
        if (row.function != nullptr && !hidden(row) && index-- == 0) {
            return row.name;
        }
    }
    return nullptr;
}

FERRY_DOUBLE_EXPORT int ferry_double_inject(const char* spec) {
    return inject(spec) ? 1 : 0;
}
FERRY_DOUBLE_EXPORT long long ferry_double_calls(const char* symbol) {
    return calls(symbol);
}

FERRY_DOUBLE_EXPORT int ferry_double_lives(const void* address) {
    return find_range(address, 1).known ? 1 : 0;
}

FERRY_DOUBLE_EXPORT ferry_double_live_objects ferry_double_live() {
    ferry_double_live_objects live{};
    const MemoryCounts memory = memory_counts();
    live.allocations = memory.allocations;
    live.bytes = memory.bytes;
    live.overruns = memory.overruns;
    live.wild = memory.wild;
    live.streams = world().queues.size();
    live.events = world().marks.size();
    live.modules = world().modules.size();
    live.graphs = world().graphs.size() + world().graph_execs.size();
#if FERRY_DOUBLE_WITH_COMPILER
    live.programs = live_programs();
#endif
    return live;
}
