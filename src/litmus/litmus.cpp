// SPDX-License-Identifier: Apache-2.0
#include "litmus.hpp"

#include <ferry/error.hpp>

namespace ferry::detail::litmus {

MemoryCapabilities measure(Session& session, MemoryCapabilities facts) {
    if (!facts.available || !session.device.has(facts.kind)) {
        return facts;
    }
    for (const auto test :
         {test_address, test_storage, test_ordering, test_atomics, test_reach, test_host_cache}) {
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
