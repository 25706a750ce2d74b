// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real.hpp"

/// The negative status of a completed event that was recorded after a failing launch; CL_SUCCESS for all
/// other events.
cl_int failed_status(cl_event event);
