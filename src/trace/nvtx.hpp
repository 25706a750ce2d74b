// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of NVTX that reports ranges, as published in NVIDIA's header-only nvtx3. A profiler names its
// library in NVTX_INJECTION64_PATH. The process opens it and offers tables of functions, and the library
// replaces those that it implements. Toolkits since CUDA 13 have no other NVTX library.
namespace ferry::trace::nvtx {

struct Functions {
    int (*push)(const char* name) = nullptr;
    int (*pop)() = nullptr;
};

/// Opens the library named in NVTX_INJECTION64_PATH and returns its functions. They are null if there is no
/// such library or if it does not accept ranges. Programs with raised privileges ignore the variable. Called
/// once.
Functions open() noexcept;

} // namespace ferry::trace::nvtx
