// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a variant of a program is written in.
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

/// One variant: code in one language, text or bytes, of `bytes` bytes; for text with an end of its own,
/// FERRY_TO_END. Captured by the call that it is given to.
typedef struct ferry_source {
    const void* data;
    size_t bytes;
    const char* name; ///< of the file, for diagnostics; null: a name by the language. Binaries have none
    const char* architecture; ///< of binaries: what they were compiled for ("sm_90"); null: not known
    ferry_language language;
} ferry_source;

/// How source is compiled; binaries ignore it. Null is none for each pointer, and 0 for each count.
/// ferry::BuildOptions (ferry/program.hpp) has the details.
typedef struct ferry_build_options {
    const char* const* defines; ///< "NAME" or "NAME=value", the same for every language
    size_t define_count;
    const char* const* include_directories;
    size_t include_directory_count;
    const char* opencl;     ///< options for the vendor's compiler, as they are: for OpenCL C,
    const char* cuda;       ///< for CUDA C++,
    const char* hip;        ///< for HIP C++
    int32_t global_offsets; ///< 0: launches begin at work-item 0; else OpenCL C takes ferry_grid::offset
    int32_t untrusted;      ///< not 0: OpenCL C of somebody who is not trusted; no files, no host device
} ferry_build_options;

/// Takes the best of `count` sources for the device and builds it; `options` may be null. Blocks: a first
/// compile can take a second, what was compiled is kept on disk. The caller owns the program.
/// FERRY_UNSUPPORTED: no source fits the device, the message says for each why not. FERRY_BUILD_FAILED: the
/// one that fits best does not build; the compiler's words are in ferry_error::log. FERRY_INVALID_ARGUMENT:
/// no sources, a null text, no such language.
FERRY_API ferry_code ferry_program_create(ferry_device* device, const ferry_source* sources, size_t count,
                                          const ferry_build_options* options, ferry_program** program);

/// The same for one text in OpenCL C, which ends with a zero byte.
FERRY_API ferry_code ferry_program_create_from_text(ferry_device* device, const char* opencl_c,
                                                    const ferry_build_options* options,
                                                    ferry_program** program);

/// The same for one file in that language. Binaries are taken to be made for any device. FERRY_NOT_FOUND:
/// there is no such file. FERRY_UNAVAILABLE: it cannot be read.
FERRY_API ferry_code ferry_program_create_from_file(ferry_device* device, ferry_language language,
                                                    const char* path, const ferry_build_options* options,
                                                    ferry_program** program);

/// Which source was taken and why not each other one: a line for people. Belongs to the program.
FERRY_API ferry_code ferry_program_explain(ferry_program* program, const char** text);

/// The compiler's messages of the build; often "". Belongs to the program.
FERRY_API ferry_code ferry_program_get_log(ferry_program* program, const char** text);

/// Gives the program up; its kernels live on. Null is let pass.
FERRY_API void ferry_program_release(ferry_program* program);

/// The entry point of that name; the caller owns it. FERRY_NOT_FOUND: there is none; near names are in the
/// message. FERRY_UNSUPPORTED: it has more than 128 parameters.
FERRY_API ferry_code ferry_kernel_create(ferry_program* program, const char* name, ferry_kernel** kernel);

/// Gives the kernel up; launches of it that are not done yet end as if it were there. Null is let pass.
FERRY_API void ferry_kernel_release(ferry_kernel* kernel);

#ifdef __cplusplus
}
#endif
