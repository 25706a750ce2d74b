// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_backends.hpp"
#include "hal/backend.hpp"
#include "host/host_backend.hpp"
#include "opencl/opencl_backend.hpp"
#include "strict/strict_device.hpp"
#include "vulkan/vulkan_backend.hpp"

namespace ferry::backend {

namespace {
std::unique_ptr<Driver> open_host(const Libraries& settings, std::vector<BackendReason>& reasons) {
    return host::open(settings, reasons, &host::make_strict_device);
}
} // namespace

const std::array<Row, 5> rows{{
    {Backend::cuda, cuda::open},
    {Backend::hip, hip::open},
    {Backend::opencl, opencl::open},
    {Backend::vulkan, vulkan::open},
    {Backend::host, open_host},
}};

} // namespace ferry::backend
