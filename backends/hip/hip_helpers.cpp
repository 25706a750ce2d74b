// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_helpers.hpp"
#include "hip/hip_vendor.hpp"

namespace ferry::hip {

std::string Vendor::helper_image(const Api&, Compiler& compiler, const DeviceInfo& info) {
    if (!compiler.available()) {
        return {};
    }
    return compiler.compile(Source::hip(driver::helper_text, "ferry_helpers.hip"), {}, info.architecture)
        .image;
}

} // namespace ferry::hip
