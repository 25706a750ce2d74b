// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ferry for C99, and for whatever calls C: the same library as ferry.hpp, one function for each thing that it
// does. docs/c.md has the conventions and a program; every function's own words are in the headers below.
//
// A function that can fail returns a ferry_code, FERRY_OK or what went wrong; ferry_last_error() then has the
// sentence. What it makes or finds goes through its last parameters, which are null or untouched after an
// error.
//
// Handles are pointers to types that C does not see. What a function named ..._create, ..._record, ..._map,
// ..._begin,
// ..._borrow_native or ..._adopt_native makes is the caller's, until it is given to the function named
// ..._release.
//
// Offsets and sizes are bytes, times nanoseconds.
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
