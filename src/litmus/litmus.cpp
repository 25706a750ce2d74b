// SPDX-License-Identifier: Apache-2.0
#include "litmus.hpp"

#include <ferry/error.hpp>

#include <span>

namespace ferry::detail::litmus {

MemoryCapabilities measure(Session& session, MemoryCapabilities facts) {
    using Test = void (*)(Session&, MemoryCapabilities&);
    static constexpr Test own[] = {test_address, test_storage, test_ordering,
                                   test_atomics, test_reach,   test_host_cache};
    static constexpr Test callers[] = {test_imported};
    const bool imported = facts.kind == MemoryKind::imported;
    if (!facts.available || !(imported || session.device.has(facts.kind))) {
        return facts;
    }
    for (const Test test : imported ? std::span<const Test>(callers) : std::span<const Test>(own)) {
        if (!session.time_left()) {
            break;
        }
        MemoryCapabilities settled = facts;
        try {
            test(session, settled);
        } catch (const Error& error) {
            if (error.code() == Code::device_lost) {
                throw;
            }
            continue; // no answer, so the declared one stands
        }
        facts = std::move(settled);
    }
    return facts;
}

} // namespace ferry::detail::litmus
