// SPDX-License-Identifier: Apache-2.0
#pragma once

// The structures of ELF files: libraries of this system, and the code of CUDA and HIP devices.
#include <elf.h>
