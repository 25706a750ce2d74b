// SPDX-License-Identifier: Apache-2.0
// The table of backends for this program. The linker takes it instead of the one in the library.
#include "null/null_backend.hpp"

namespace ferry::backend {
namespace {

std::unique_ptr<Driver> left_out(const Libraries&, std::vector<BackendReason>& reasons) {
    reasons.push_back({BackendProblem::failed, "The table of this program has the null backend only."});
    return nullptr;
}

} // namespace

const std::array<Row, 5> rows{{
    {Backend::cuda, left_out},
    {Backend::hip, left_out},
    {Backend::opencl, left_out},
    {Backend::vulkan, left_out},
    {null::this_backend, null::open},
}};

} // namespace ferry::backend
