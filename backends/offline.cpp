// SPDX-License-Identifier: Apache-2.0
#include "hal/offline.hpp"

#include "driver/driver_backends.hpp"
#include "host/host_backend.hpp"

namespace ferry::backend {

OfflineCompiler offline_compiler(Backend backend, const Libraries& libraries) {
    switch (backend) {
    case Backend::cuda:
        return cuda::offline_compiler(libraries);
    case Backend::hip:
        return hip::offline_compiler(libraries);
    default:
        return host::offline_compiler();
    }
}

} // namespace ferry::backend
