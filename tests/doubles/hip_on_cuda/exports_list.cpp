// SPDX-License-Identifier: Apache-2.0
#include "../driver_cpu/library.hpp"
#include "../ferry_double.h"
#include "forward.hpp"

#include <iterator>

#define FERRY_EACH_ROW(tier, member, name, result, parameters) #name,
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) #name,
#define FERRY_ROWS_CUDA 0
const char* const ferry_double::library_symbols[] = {
#include "../each_row.inc"
    nullptr};

namespace {

struct Row {
    const char* name;
    const void* function;
};

const Row rows[] = {
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) {#hip, reinterpret_cast<const void*>(&::hip)},
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) \
    {#name, reinterpret_cast<const void*>(&::name)},
#include "driver/symbols.def"
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    {#hiprtc, reinterpret_cast<const void*>(&::hiprtc)},
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    {#hiprtc, reinterpret_cast<const void*>(&::hiprtc)},
#include "driver/compiler.def"
};

} // namespace

FERRY_DOUBLE_EXPORT const char* ferry_double_symbol(int index) {
    return index >= 0 && index < static_cast<int>(std::size(rows)) && rows[index].function != nullptr
               ? rows[index].name
               : nullptr;
}
FERRY_DOUBLE_EXPORT int ferry_double_inject(const char* spec) {
    return inject(spec) ? 1 : 0;
}
FERRY_DOUBLE_EXPORT long long ferry_double_calls(const char* symbol) {
    return calls(symbol);
}
