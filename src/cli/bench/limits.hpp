// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measurement.hpp"

#include <string>

namespace bench {

/// What the hardware allows at best, as far as it tells.
class Limits {
public:
    Limits(const ferry::Device& device, Subject* raw);

    /// Reads the link again: it slows down while nothing uses it, so its best speed seen counts.
    void look();

    /// Bytes per second in each direction, 0 if not known, and in words: "PCIe 32 GT/s x16".
    double link() const { return link_; }
    const std::string& link_text() const { return link_text_; }
    /// Bytes per second, 0 if not known.
    double memory() const { return memory_; }
    /// Nanoseconds for a step, 0 if not known.
    double step(const Measurement& what, std::size_t bytes) const;

private:
    std::string pci_address_;
    double link_ = 0;
    std::string link_text_;
    double memory_ = 0;
};

/// Bytes per second of a PCIe link, one direction, without the packets' own overhead.
double pcie_bandwidth(double gigatransfers, int lanes);

} // namespace bench
