// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ferry::detail {

/// What a way costs: `latency + bytes / bandwidth`.
struct PathCost {
    double latency_us = 0; ///< microseconds for a few bytes
    double bandwidth = 0;  ///< bytes/s of many; 0: not measured

    bool known() const noexcept { return bandwidth > 0; }
    double microseconds(double bytes) const noexcept { return latency_us + bytes / bandwidth * 1e6; }
};

/// The costs that placement weighs, of one device of this machine. What the device lacks, or could not be
/// measured, is not known().
struct Calibration {
    PathCost pinned_up, pinned_down;     ///< copies between memory of kind host and device, to its completion
    PathCost pageable_up, pageable_down; ///< copies of ordinary memory as Queue::copy does them
    PathCost link_read, link_write;      ///< a kernel on memory of kind host, launch and completion included
    PathCost local_read, local_write;    ///< the same on memory of kind device
    PathCost map, unmap;                 ///< of memory of kind host or, where it has none, device
};

/// As text, a line for each path, and back. Nothing from a text of another form.
std::string to_text(const Calibration& calibration);
std::optional<Calibration> calibration_from(std::string_view text);

namespace litmus {
class Session;
}
/// Measures; takes about 0.3 s on a fast device, and leaves out what it has no time for. Throws Error.
Calibration calibrate(litmus::Session& session);

} // namespace ferry::detail
