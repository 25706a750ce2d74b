// SPDX-License-Identifier: Apache-2.0
#ifndef VALUE
#define VALUE 7
#endif

__kernel void value(__global uint* out) { out[get_global_id(0)] = VALUE; }
