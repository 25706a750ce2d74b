// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "device_state.hpp"
#include "environment.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::detail {

/// The opened backends of this process. Never destroyed, so that devices and static objects of the program
/// stay usable until the very end.
class Runtime {
public:
    static Runtime& get();

    /// The devices of one backend, opened on first use; empty if it is not available.
    const std::vector<std::unique_ptr<DeviceState>>& devices(Backend backend);
    bool is_open(Backend backend) const noexcept; ///< whether an attempt to open it was made
    BackendReport report(Backend backend);        ///< opens it
    /// The files of its vendor library with their stamps (probe/file_stamp.hpp); empty if it was not tested,
    /// or not opened.
    const std::vector<std::string>& files(Backend backend);

private:
    struct Opened {
        std::once_flag once;
        std::atomic<bool> attempted{false};
        std::unique_ptr<backend::Driver> driver;
        std::vector<std::unique_ptr<DeviceState>> devices;
        std::vector<std::string> reasons;
        std::string library;
        std::vector<std::string> files;
    };
    Opened& open(Backend backend);
    std::array<Opened, 4> opened_;
};

/// A vendor's word that a device is unusable: every call on it throws that from now on. So do calls on the
/// others of its platform that the driver has given up with it, as CUDA does. Gives what the device is lost
/// by: that error, or an earlier one.
Error lose(DeviceState& device, const Error& error);

} // namespace ferry::detail
