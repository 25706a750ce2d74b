// SPDX-License-Identifier: Apache-2.0
#include "real.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

/// The functions whose next call ends the process, separated by commas.
struct Exit {
    std::mutex mutex;
    std::string names;
    int status = 0;
    std::atomic<bool> asked{false};
};
Exit& exits() {
    static Exit& all = *new Exit; // never destroyed, because calls may come while the process ends
    return all;
}

} // namespace

void ask_for_exit(std::string_view names, int status) {
    Exit& all = exits();
    const std::lock_guard lock(all.mutex);
    all.names = names;
    all.status = status;
    all.asked = !names.empty();
}

void exit_if_asked(const char* name) {
    Exit& all = exits();
    if (!all.asked.load()) {
        return;
    }
    {
        const std::lock_guard lock(all.mutex);
        if (("," + all.names + ",").find("," + std::string(name) + ",") == std::string::npos ||
            !all.asked.exchange(false)) {
            return;
        }
    }
    std::exit(all.status); // NOLINT(concurrency-mt-unsafe): the caller may hold its mutex, as a driver's own
}
