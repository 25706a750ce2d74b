// SPDX-License-Identifier: Apache-2.0
#include "staging/device_key.hpp"

#include "base/digest.hpp"
#include "device/device_state.hpp"
#include "device/runtime.hpp"

#include <string>

namespace ferry::detail {

cache::Key device_key(DeviceState& device, std::string_view what) {
    const DeviceInfo& info = device.info();
    std::string files;
    for (const std::string& file : Runtime::get().files(info.backend)) {
        files += file + '\n';
    }
    cache::Key key;
    key.add("measured", what)
        .add("form", 8)
        .add("files", cache::hex(cache::digest(files)))
        .add("backend", to_string(info.backend))
        .add("device", info.name)
        .add("platform", info.platform)
        // The strict host device's seed has no effect on measurements.
        .add("driver", info.driver_version.substr(0, info.driver_version.find(", FERRY_HOST_SEED=")))
        .add("api", info.api_version)
        .add("address", info.pci_address + " " + info.uuid)
        .add("index", info.index);
    return key;
}

} // namespace ferry::detail
