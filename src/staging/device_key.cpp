// SPDX-License-Identifier: Apache-2.0
#include "staging/device_key.hpp"

#include "base/digest.hpp"
#include "device/device_state.hpp"
#include "device/runtime.hpp"
#include "hal/mistakes.hpp"

#include <string>

namespace ferry::detail {

cache::Key device_key(DeviceState& device, std::string_view what) {
    const DeviceInfo& info = device.info();
    std::string files;
    for (const std::string& file : Runtime::get().files(info.backend)) {
        files += file + '\n';
    }
    const backend::MistakeHooks* const hooks = device.native().mistake_hooks();
    cache::Key key;
    key.add("measured", what)
        .add("form", 8)
        .add("files", cache::hex(cache::digest(files)))
        .add("backend", to_string(info.backend))
        .add("device", info.name)
        .add("platform", info.platform)
        .add("driver", hooks != nullptr ? hooks->lasting_driver_version() : info.driver_version)
        .add("api", info.api_version)
        .add("address", info.pci_address + " " + info.uuid)
        .add("index", info.index);
    return key;
}

} // namespace ferry::detail
