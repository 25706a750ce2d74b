// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything of Ferry's core. Meetings with other libraries are in ferry/interop/.
#include <ferry/argument.hpp>
#include <ferry/backend.hpp>
#include <ferry/batch.hpp>
#include <ferry/box.hpp>
#include <ferry/buffer.hpp>
#include <ferry/cache.hpp>
#include <ferry/capabilities.hpp>
#include <ferry/compile.hpp>
#include <ferry/copy_end.hpp>
#include <ferry/device.hpp>
#include <ferry/embedded_kernels.hpp>
#include <ferry/error.hpp>
#include <ferry/event.hpp>
#include <ferry/file.hpp>
#include <ferry/grid.hpp>
#include <ferry/host_kernel.hpp>
#include <ferry/import.hpp>
#include <ferry/kernel.hpp>
#include <ferry/mapping.hpp>
#include <ferry/memory.hpp>
#include <ferry/placement.hpp>
#include <ferry/pool.hpp>
#include <ferry/program.hpp>
#include <ferry/queue.hpp>
#include <ferry/recording.hpp>
#include <ferry/settings.hpp>
#include <ferry/share.hpp>
#include <ferry/source.hpp>
#include <ferry/source_location.hpp>
#include <ferry/staging.hpp>
#include <ferry/stream.hpp>
#include <ferry/version.hpp>
#include <ferry/view.hpp>
#include <ferry/wait_policy.hpp>
