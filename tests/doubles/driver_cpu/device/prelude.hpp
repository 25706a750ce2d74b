// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included before the user's text, which the double has preprocessed separately; see rewrite.hpp.

#include "atomics.hpp"
#include "math.hpp"
#include "more_math.hpp"
#include "run.hpp"
#include "vectors.hpp"
#ifdef FERRY_DOUBLE_FIBERS
#include "barriers.hpp"
#endif
#ifdef FERRY_DOUBLE_CUDA
#include "cuda.hpp"
#endif
