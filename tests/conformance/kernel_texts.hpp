// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace conformance {

extern const char* const opencl_text;
extern const char* const cuda_hip_text;
extern const char* const opencl_double_text;
extern const char* const cuda_hip_double_text;
extern const char* const opencl_half_text;
extern const char* const cuda_hip_half_text;

} // namespace conformance
