// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl/opencl_memory_facts.hpp"

// Answers of OpenCL drivers about memory, for very different machines.
namespace machines {

inline ferry::opencl::MemoryAnswers any() {
    ferry::opencl::MemoryAnswers answers;
    answers.base_alignment = 128;
    answers.max_allocation = std::uint64_t{4} << 30;
    answers.host_storage = ferry::opencl::Storage::mapped;
    answers.shared_storage = ferry::opencl::Storage::mapped;
    return answers;
}

inline ferry::opencl::MemoryAnswers intel_integrated() {
    auto answers = any();
    answers.host_unified = true;
    answers.imports = ferry::opencl::InPlace::intels_rule;
    answers.svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    answers.usm_host = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
    answers.usm_shared = answers.usm_host;
    answers.host_storage = ferry::opencl::Storage::usm;
    answers.shared_storage = ferry::opencl::Storage::usm;
    return answers;
}

/// It does not report atomics on host memory, and does not support them.
inline ferry::opencl::MemoryAnswers intel_discrete() {
    auto answers = intel_integrated();
    answers.host_unified = false;
    answers.imports = ferry::opencl::InPlace::never;
    answers.usm_host = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
    return answers;
}

/// Host and device have the same memory, but each pointer of the caller still causes a copy.
inline ferry::opencl::MemoryAnswers mali() {
    auto answers = any();
    answers.host_unified = true;
    answers.svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    return answers;
}

inline ferry::opencl::MemoryAnswers nvidia() {
    auto answers = any();
    answers.svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    return answers;
}

inline ferry::opencl::MemoryAnswers version_1_2() {
    return any();
}

inline ferry::opencl::MemoryAnswers pocl() {
    auto answers = any();
    answers.cpu = true;
    answers.host_unified = true;
    answers.imports = ferry::opencl::InPlace::always;
    answers.svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS;
    answers.host_storage = ferry::opencl::Storage::svm;
    answers.shared_storage = ferry::opencl::Storage::svm;
    return answers;
}

inline ferry::opencl::MemoryAnswers intel_processor() {
    auto answers = pocl();
    answers.svm |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    answers.usm_host = answers.usm_shared = answers.usm_system = 0xF;
    answers.imports = ferry::opencl::InPlace::svm_pointers;
    answers.host_storage = ferry::opencl::Storage::usm;
    answers.shared_storage = ferry::opencl::Storage::usm;
    return answers;
}

} // namespace machines
