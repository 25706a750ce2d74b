// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real.hpp"

/// The negative status of an event that was recorded behind a launch that fails, when it is done; CL_SUCCESS
/// for others.
cl_int failed_status(cl_event event);
