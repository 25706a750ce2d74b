// SPDX-License-Identifier: Apache-2.0
// Runs kernels: groups one after another, the waves of a group in turns.
#pragma once

#include "blocks.hpp"
#include "wave.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace amd_gpu {

// One kernel dispatch packet.
struct Launch {
    u64 kernel_object = 0; // address of the descriptor
    u64 packet = 0, queue = 0, arguments = 0;
    u32 grid[3] = {1, 1, 1};
    u32 group[3] = {1, 1, 1};
    u32 private_bytes = 0, shared_bytes = 0;
    u32 shared_base = 0, private_base = 0; // the upper halves of the apertures
};

struct EngineOptions {
    bool packed_ids = true;                // gfx90a: the three local ids in one register
    bool reverse_waves = false;            // waves of a group, and groups, from the last on
    void (*interrupt)(u32 data) = nullptr; // gets M0 of a wave that sends the host an interrupt
};

// A kernel's fault, as the user reads it.
struct FaultReport {
    std::string text;
    u64 address = 0;
    bool of_memory = false;
};

class Engine {
public:
    Engine(const AddressMap& map, EngineOptions options) : memory_(map), cache_(memory_), options_(options) {}

    // Runs all of it. Returns the report of the first fault. STOP ends it early.
    std::optional<FaultReport> run(const Launch& launch, const std::atomic<bool>& stop);
    u64 instructions() const { return instructions_; }

private:
    struct Descriptor {
        u64 code = 0;
        u32 arguments_size = 0, resources1 = 0, resources2 = 0, properties = 0, resources3 = 0;
    };

    Descriptor read_descriptor(u64 address);
    void start_group(const Launch& launch, const Descriptor& kernel, const u32 (&id)[3]);
    void start_wave(Wave& wave, unsigned index, const Launch& launch, const Descriptor& kernel,
                    const u32 (&id)[3], const u32 (&size)[3]);
    void run_group(const std::atomic<bool>& stop);
    void run_wave(Wave& wave);
    FaultReport report(const struct Fault& fault, const Launch& launch, const u32 (&id)[3]);

    AddressView memory_;
    BlockCache cache_;
    EngineOptions options_;
    Group group_;
    std::vector<std::unique_ptr<Wave>> waves_;
    unsigned wave_count_ = 0;
    unsigned running_ = 0;
    u64 instructions_ = 0;
};

// The name of the kernel with the descriptor at ADDRESS, from the symbols of its loaded code object;
// otherwise the address.
std::string kernel_name(AddressView& memory, u64 address);

} // namespace amd_gpu
