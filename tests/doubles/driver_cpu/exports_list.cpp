// SPDX-License-Identifier: Apache-2.0
#include "../ferry_double.h"
#include "exports.hpp"
#include "memory.hpp"
#include "programs.hpp"

#include <string_view>

// The rows of this library (FERRY_DOUBLE_WITH_RUNTIME, FERRY_DOUBLE_WITH_COMPILER). If a row of the lists is
// not defined, the library does not link.
using namespace ferry_double;

namespace {

struct Row {
    std::string_view tier;
    const char* name;
    const void* function;
};

bool hidden(const Row& row) {
    return row.name != nullptr && is_hidden(row.tier);
}

const Row rows[] = {
#if FERRY_DOUBLE_WITH_RUNTIME
#define FERRY_EACH_ROW(tier, member, name, result, parameters) \
    {#tier, #name, reinterpret_cast<const void*>(&Rows::member)},
#include "../each_row.inc"
#endif
#if FERRY_DOUBLE_WITH_COMPILER
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) \
    {#tier, #name, reinterpret_cast<const void*>(&CompilerRows::member)},
#include "../each_row.inc"
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

FERRY_DOUBLE_EXPORT long long ferry_double_argument(const char* symbol, int index) {
    return argument(symbol, index);
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
