// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

// The subcommands of ferry_bench (main.cpp). Each one prints its figures and returns the exit status: 1 if a
// result was wrong. They throw std::exception if they cannot measure. In the options 0 and empty stand for
// the default.
namespace bench {

struct CallsOptions {
    std::vector<std::string> devices; ///< Selectors. Empty: every device with raw calls for the comparison.
    std::string filter;               ///< Part of a case's name.
    std::string json;                 ///< File to write.
    int repetitions = 0;
    std::size_t large_bytes = 0;
    bool timing = true;
    bool quick = false;
    bool list = false;
};
/// The vendor's own calls and Ferry's, compared with the project's limits.
int calls(const CallsOptions& options);

struct ShapesOptions {
    std::string device;
    std::string json;
    int repetitions = 0;
    bool quick = false;
    bool only_batches = false;
};
/// Boxes, batches and fills, compared with a program without them.
int shapes(const ShapesOptions& options);

struct StagingOptions {
    std::string device;
    std::size_t most = 0;
    int rounds = 0;
    std::string file; ///< A folder: also measures files in it.
    unsigned threads = 0;
    std::size_t slot_bytes = 0;
    unsigned slots_for_thread = 0;
    bool plain_stores = false;
};
/// Copies of ordinary memory, compared with the vendor's blocking call.
int staging(const StagingOptions& options);

struct StreamOptions {
    std::size_t bytes = 0;
    std::size_t chunk = 0;
    int rounds = 0;
    bool quick = false;
};
/// for_each_chunk(), compared with double buffering written by hand.
int stream(const StreamOptions& options);

struct BetweenOptions {
    std::size_t bytes = 0;
    int rounds = 0;
    bool quick = false;
};
/// Copies from each device to each other device, compared with their bounds.
int between(const BetweenOptions& options);

/// Launches from several threads, and recorded work.
int queue(bool quick, const std::string& json);
/// The time and the processor time of waits, compared with the vendor's own wait.
int waits(bool quick);
/// The creation and destruction of a buffer.
int pool(bool quick);
/// Ferry's own part of a call, on a CUDA driver with calls that cost nothing.
int overhead(bool quick);
/// The first and the later costs of Device::capabilities().
int calibration();
/// The first kernel of a process, with its code in the cache.
int warm_start(bool quick);

/// Kernels of 2^scale elements, compared with hand-written ones. `only`: the name of a kernel.
int kernels(unsigned scale, const std::string& only);

} // namespace bench
