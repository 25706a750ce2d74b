// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measurement.hpp"

#include <string>

namespace bench {

/// The limits of the hardware, as far as they are known.
class Limits {
public:
    Limits(const ferry::Device& device, Subject* raw);

    /// Queries the link again and keeps its best speed, because an idle link runs at a lower speed.
    void look();

    /// Bytes per second in each direction. 0 if not known. As text: "PCIe 32 GT/s x16".
    double link() const { return link_; }
    const std::string& link_text() const { return link_text_; }
    /// Bytes per second. 0 if not known.
    double memory() const { return memory_; }
    /// The shortest possible time of a step in nanoseconds. 0 if not known.
    double step(const Measurement& what, std::size_t bytes) const;

private:
    std::string pci_address_;
    double link_ = 0;
    std::string link_text_;
    double memory_ = 0;
};

/// Bytes per second of a PCIe link in one direction, without the overhead of packets.
double pcie_bandwidth(double gigatransfers, int lanes);

} // namespace bench
