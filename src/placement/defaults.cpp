// SPDX-License-Identifier: Apache-2.0
#include "placement/defaults.hpp"

namespace ferry::detail::placement {

Costs default_costs(const DeviceInfo& info, Reach reach, bool maps) {
    Costs c;
    if (reach == Reach::local) {
        c.link_read = c.link_write = c.device_memory;
        if (info.backend == Backend::opencl) {
            c.command = 10e-6;
            // PoCL 5 on 16 cores: shares of 4 KiB took 45 us longer in place than staged, and 28 us more for
            // each further launch; PoCL 3.1 on two cores 60 to 90 and 12.
            c.in_place_command = maps ? 45e-6 : 10e-6;
            c.in_place_launch = maps ? 15e-6 : 0;
        } else if (info.backend == Backend::host) {
            c.command = 1e-6;
        }
        return c;
    }
    // A discrete device on PCIe 5, as measured on one machine with an H200.
    c.command = 6e-6;
    c.wait = 4e-6;
    c.pinned_up = c.pinned_down = 55.5e9;
    c.pageable_up = 10.1e9;
    c.pageable_down = 18.7e9;
    c.staged_up = c.staged_down = 45e9;
    c.staged_above = 4e6;
    c.link_read = 51.4e9;
    c.link_write = 52.7e9;
    c.link_random = 8; // 32 bytes cross for 4
    c.device_memory = 3e12;
    c.lock_fixed = 40e-6;
    c.lock_bytes = 1.074e9 / 36e-3;
    c.allocate_fixed = 48e-6;
    return c;
}

} // namespace ferry::detail::placement
