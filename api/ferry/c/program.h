// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/argument.h>
#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The language of a variant of a program.
typedef int32_t ferry_language;
enum {
    FERRY_LANGUAGE_OPENCL_C = 0,
    FERRY_LANGUAGE_CUDA = 1,
    FERRY_LANGUAGE_HIP = 2,
    FERRY_LANGUAGE_PTX = 3,
    FERRY_LANGUAGE_CUBIN = 4,
    FERRY_LANGUAGE_CODE_OBJECT = 5,
    FERRY_LANGUAGE_OPENCL_BINARY = 6,
    FERRY_LANGUAGE_SPIRV = 7,
};

/// One variant: code in one language. `data` is text or binary of `bytes` bytes. For zero-terminated text,
/// `bytes` may be FERRY_TO_END. The call that takes the source captures it.
typedef struct ferry_source {
    const void* data;
    size_t bytes;
    const char* name; ///< File name for diagnostics. Null: a name that depends on the language. Binaries
                      ///< ignore it.
    const char* architecture; ///< For binaries: the compilation target ("sm_90"). Null: not known.
    ferry_language language;
} ferry_source;

/// Options for compiling source; binaries ignore them. Each pointer may be null and each count 0.
/// ferry::BuildOptions (ferry/program.hpp) has the details.
typedef struct ferry_build_options {
    const char* const* defines; ///< "NAME" or "NAME=value", the same for every language.
    size_t define_count;
    const char* const* include_directories;
    size_t include_directory_count;
    const char* opencl;     ///< Options passed unchanged to the vendor's compiler: for OpenCL C,
    const char* cuda;       ///< for CUDA C++,
    const char* hip;        ///< for HIP C++.
    int32_t global_offsets; ///< 0: launches start at work-item 0. Otherwise OpenCL C kernels accept
                            ///< ferry_grid::offset.
    int32_t untrusted;      ///< If not 0: the OpenCL C comes from an untrusted author; no files and no host
                            ///< device.
    int32_t opencl_only;    ///< If not 0: the OpenCL C is meant for OpenCL drivers only; they check it
                            ///< themselves, and other devices do not take it.
} ferry_build_options;

/// Builds the best of `count` sources for the device. `options` may be null. Blocking: a first compilation
/// can take a second; compiled code is kept on disk. The caller owns the program. FERRY_UNSUPPORTED: no
/// source fits the device; the message gives the reason for each. FERRY_BUILD_FAILED: the best source does
/// not build; ferry_error::log has the compiler's messages. FERRY_INVALID_ARGUMENT: no sources, a null text,
/// or no such language.
FERRY_API ferry_code ferry_program_create(ferry_device* device, const ferry_source* sources, size_t count,
                                          const ferry_build_options* options, ferry_program** program);

/// The same for one zero-terminated OpenCL C text.
FERRY_API ferry_code ferry_program_create_from_text(ferry_device* device, const char* opencl_c,
                                                    const ferry_build_options* options,
                                                    ferry_program** program);

/// The same for one file in `language`. A binary is assumed to fit every device. FERRY_NOT_FOUND: there is no
/// such file. FERRY_UNAVAILABLE: the file cannot be read.
FERRY_API ferry_code ferry_program_create_from_file(ferry_device* device, ferry_language language,
                                                    const char* path, const ferry_build_options* options,
                                                    ferry_program** program);

/// One line of text: the selected source, and the reason against each other one. Owned by the program.
FERRY_API ferry_code ferry_program_explain(ferry_program* program, const char** text);

/// The compiler's messages of the build. Often "". Owned by the program.
FERRY_API ferry_code ferry_program_get_log(ferry_program* program, const char** text);

/// Releases the program. Its kernels stay valid. Null is ignored.
FERRY_API void ferry_program_release(ferry_program* program);

/// The entry point of this name. The caller owns it. FERRY_NOT_FOUND: there is none; the message suggests
/// similar names. FERRY_UNSUPPORTED: it has more than 128 parameters.
FERRY_API ferry_code ferry_kernel_create(ferry_program* program, const char* name, ferry_kernel** kernel);

/// Stores in `groups` the maximum number of work-groups of `local` work-items that run at the same time on
/// one compute unit, or -1 if the backend cannot tell (OpenCL). `local_bytes`: bytes of local memory
/// arguments. See ferry::Kernel::occupancy(). FERRY_INVALID_ARGUMENT: the device or the kernel does not take
/// such groups.
FERRY_API ferry_code ferry_kernel_get_occupancy(ferry_kernel* kernel, const size_t local[3],
                                                size_t local_bytes, int32_t* groups);

/// Makes in advance everything that a launch with groups of this shape needs. `local_bytes`: bytes of each
/// local memory argument, in order; may be null if `count` is 0. See ferry::Kernel::prepare().
/// FERRY_INVALID_ARGUMENT: a launch would be refused for its grid or local memory, or `count` differs from
/// the number of local parameters.
FERRY_API ferry_code ferry_kernel_prepare(ferry_kernel* kernel, const ferry_grid* grid,
                                          const size_t* local_bytes, size_t count);

/// Releases the kernel. Launches of it that are not done are unaffected. Null is ignored.
FERRY_API void ferry_kernel_release(ferry_kernel* kernel);

#ifdef __cplusplus
}
#endif
