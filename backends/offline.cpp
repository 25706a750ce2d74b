// SPDX-License-Identifier: Apache-2.0
#include "offline.hpp"

#include "driver/driver_backends.hpp"
#include "host/host_backend.hpp"

namespace ferry::backend {

std::vector<OfflineCompiler> offline_compilers(const Libraries& libraries) {
    return {cuda::offline_compiler(libraries), hip::offline_compiler(libraries), host::offline_compiler()};
}

} // namespace ferry::backend
