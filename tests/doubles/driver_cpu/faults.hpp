// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string_view>

namespace ferry_double {

// One exported function: its counter and, through enter(), its injected failures.
struct Site {
    const char* name = nullptr;
    std::atomic<long long> calls{0};
    /// Arguments of the last successful call, for functions whose effect nothing else shows.
    std::atomic<long long> arguments[3]{};

    void note(long long first, long long second = 0, long long third = 0) {
        arguments[0] = first;
        arguments[1] = second;
        arguments[2] = third;
    }
};

/// The site of that name; null if the library does not export it.
Site* find_site(std::string_view name);

/// Counts the call. Returns the code that the call must return at once, or 0.
int enter(Site& site);

/// The failure of the command enqueued by this call, when it is executed ("later:SYMBOL:...").
struct Later {
    int code = 0;
    bool once = false; ///< reported by one call; otherwise the device is lost
};
Later later_fault(std::string_view symbol);
Later kernel_fault(std::string_view kernel);

/// Returns false if the text is not understood. Null and "" clear all failures.
bool inject(const char* spec);
long long calls(const char* symbol);
/// Site::arguments; -1 if there is no such function or index.
long long argument(const char* symbol, int index);

} // namespace ferry_double
