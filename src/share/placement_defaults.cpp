// SPDX-License-Identifier: Apache-2.0
#include "share/placement_defaults.hpp"

namespace ferry::detail::placement {

Costs default_costs(const DeviceInfo& info, Reach reach, bool maps) {
    Costs c;
    if (reach == Reach::local) {
        c.link_read = c.link_write = c.device_memory;
        if (info.backend == Backend::opencl) {
            c.command = 10e-6;
            // PoCL 5 on 16 cores: shares of 4 KiB took 45 us longer in place than staged, and 28 us more for
            // each further launch. PoCL 3.1 on two cores: 60 to 90 us, and 12 us.
            c.in_place_command = maps ? 45e-6 : 10e-6;
            c.in_place_launch = maps ? 15e-6 : 0;
        } else if (info.backend == Backend::host) {
            c.command = 1e-6;
        }
        return c;
    }
    // A discrete device on PCIe 5, measured on machines with an H200 and with an H100, without the time of
    // the launch and the wait. Page-locking and unlocking make small shares in place expensive.
    c.command = 1e-6;
    c.wait = 8e-6;
    c.pinned_up = 55.5e9;
    c.pinned_down = 52.5e9;
    c.pageable_up = 9.5e9;
    c.pageable_down = 4.2e9;
    c.staged_up = 27e9;
    c.staged_down = 20e9;
    c.staged_above = 6e6;
    c.link_read = 51.4e9;
    c.link_write = 53e9;
    c.link_random = 8; // A 4-byte access transfers 32 bytes.
    c.in_place_launch = 1e-6;
    c.device_memory = 3e12;
    c.lock_fixed = 130e-6;
    c.lock_bytes = 12e9;
    c.allocate_fixed = 1.5e-6;
    return c;
}

} // namespace ferry::detail::placement
