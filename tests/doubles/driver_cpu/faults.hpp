// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string_view>

namespace ferry_double {

// One exported function: its counter and, through enter(), its injected failures.
struct Site {
    const char* name = nullptr;
    std::atomic<long long> calls{0};
};

/// The site of that name; null if the library exports none such.
Site* find_site(std::string_view name);

/// Counts the call; the code to return at once, or 0.
int enter(Site& site);

/// The failure that is to happen when the command enqueued by this call runs ("later:SYMBOL:...").
struct Later {
    int code = 0;
    bool once = false; ///< reported by one call; otherwise the device is lost
};
Later later_fault(std::string_view symbol);
Later kernel_fault(std::string_view kernel);

/// False if the text is not understood; null and "" clear.
bool inject(const char* spec);
long long calls(const char* symbol);

} // namespace ferry_double
