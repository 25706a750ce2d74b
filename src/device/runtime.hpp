// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/settings.hpp"
#include "device/device_state.hpp"
#include "hal/backend.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::detail {

/// The opened backends of this process. Never destroyed, so that devices and static objects of the program
/// stay usable until the end.
class Runtime {
public:
    static Runtime& get();

    /// The devices of one backend, which is opened at first use. Empty if it is not available.
    const std::vector<std::unique_ptr<DeviceState>>& devices(Backend backend);
    bool is_open(Backend backend) const noexcept; ///< Whether there was an attempt to open it.
    BackendReport report(Backend backend);        ///< Opens it.
    /// The files of its vendor library with their stamps (system/file_stamp.hpp). Empty if it was not tested,
    /// or not opened.
    const std::vector<std::string>& files(Backend backend);

private:
    struct Opened {
        std::once_flag once;
        std::atomic<bool> attempted{false};
        std::unique_ptr<backend::Driver> driver;
        std::vector<std::unique_ptr<DeviceState>> devices;
        std::vector<BackendReason> reasons;
        std::string library;
        std::vector<std::string> files;
    };
    Opened& open(Backend backend);
    std::array<Opened, backend::rows.size()> opened_;
};

/// Marks a device as lost: every later call on it throws the error. So do calls on the other devices of its
/// platform that the driver has lost with it, as CUDA does. Returns the error by which the device is lost:
/// this one, or an earlier one.
Error lose(DeviceState& device, const Error& error);

} // namespace ferry::detail
