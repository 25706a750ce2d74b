// SPDX-License-Identifier: Apache-2.0
#include "offline.hpp"

#include "cuda/cuda_backend.hpp"
#include "hip/hip_backend.hpp"
#include "host/host_backend.hpp"

namespace ferry::backend {

std::vector<OfflineCompiler> offline_compilers(const Libraries& libraries) {
    return {cuda::offline_compiler(libraries), hip::offline_compiler(libraries), host::offline_compiler()};
}

} // namespace ferry::backend
