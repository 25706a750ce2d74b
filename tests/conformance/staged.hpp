// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_threads.hpp"
#include "staging/policy.hpp"

#include <ferry/ferry.hpp>

#include <cstddef>

namespace conformance {

/// During its lifetime, every copy of ordinary memory on new queues goes through page-locked slots, on
/// processors too. The slots are small, so that little data fills the ring many times.
class Staged {
public:
    static constexpr std::size_t slot = std::size_t{64} << 10;

    explicit Staged(const char* mode = "on") : before_(ferry::settings()), tuning_(tuning()) {
        ferry::Settings settings = before_;
        settings.staging = mode;
        ferry::configure(settings);
        ferry::trim_staging(); // the measured figures are not needed now
        tuning().slot_bytes = slot;
        tuning().smallest_slot = slot / 4;
        tuning().bytes_for_a_slot = slot;
        tuning().threads = 3;
        ferry::detail::staging::Workers::look_again();
        ferry::trim_staging(); // slots made later have the new size
    }
    Staged(const Staged&) = delete;
    Staged& operator=(const Staged&) = delete;
    ~Staged() {
        ferry::configure(before_);
        ferry::trim_staging();
        tuning() = tuning_;
        ferry::detail::staging::Workers::look_again();
        ferry::trim_staging();
    }

private:
    static ferry::detail::staging::Tuning& tuning() { return ferry::detail::staging::tuning(); }
    ferry::Settings before_;
    ferry::detail::staging::Tuning tuning_;
};

} // namespace conformance
