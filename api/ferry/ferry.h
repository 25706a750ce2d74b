// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C API of Ferry, for C99 and for languages that call C. It is the same library as ferry.hpp, with one
// function for each operation. docs/c.md has the conventions and an example program; the headers below
// document each function.
//
// A function that can fail returns a ferry_code: FERRY_OK, or the kind of the error. After an error,
// ferry_last_error() returns the message. Results are stored through the last parameters. After an error,
// these are null or unchanged.
//
// Handles are pointers to opaque types. The caller owns the handles returned by functions named ..._create,
// ..._record, ..._map, ..._begin, ..._borrow_native or ..._adopt_native, and must pass each one to the
// matching ..._release function.
//
// Offsets and sizes are in bytes, times in nanoseconds.
#include <ferry/c/argument.h>
#include <ferry/c/base.h>
#include <ferry/c/buffer.h>
#include <ferry/c/copy.h>
#include <ferry/c/device.h>
#include <ferry/c/event.h>
#include <ferry/c/native.h>
#include <ferry/c/program.h>
#include <ferry/c/queue.h>
#include <ferry/c/recording.h>
#include <ferry/c/share.h>
