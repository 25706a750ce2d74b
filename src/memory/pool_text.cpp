// SPDX-License-Identifier: Apache-2.0
#include "memory/pool_text.hpp"

#include "base/text.hpp"
#include "system/machine.hpp"

#include <limits>
#include <optional>
#include <string>

namespace ferry::detail {
namespace {

std::string locked_limit() {
    const std::optional<std::uint64_t> limit = host::lockable_memory();
    return limit ? "; the system lets this process lock " + in_bytes(*limit) +
                       " (ulimit -l), which some drivers obey"
                 : std::string();
}

} // namespace

Error describe(const PoolRefusal& told, const Error* driver) {
    const bool limited = told.limit != std::numeric_limits<std::uint64_t>::max();
    std::string text = driver != nullptr ? std::string(driver->what()) + "; the" : "There is no room: the";
    text += " pool of the device holds " + in_bytes(told.sum.reserved) + ", of which buffers use " +
            in_bytes(told.sum.used);
    if (limited) {
        text += ", and may hold " + in_bytes(told.limit) + " (Pool::set_limit())";
    }
    if (told.kind == MemoryKind::host) {
        text += locked_limit();
    }
    return driver != nullptr ? driver->with_message(text)
                             : Error(Code::out_of_memory, text, SourceLocation());
}

} // namespace ferry::detail
