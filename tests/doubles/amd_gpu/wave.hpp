// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "instruction.hpp"
#include "lanes.hpp"

#include <cstring>
#include <vector>

namespace amd_gpu {

class AddressView;

// The state that the waves of a group share.
struct Group {
    std::vector<u8> lds; // exactly the bytes that the launch asked for
    u64 shared_base = 0; // the flat addresses of LDS and scratch: 4 GiB each
    u64 private_base = 0;
    u32 apertures = 0;                                   // as s_getreg reads them
    u32 lane_scratch = 0;                                // bytes of scratch of one lane
    u64 kernel_arguments = 0, kernel_arguments_size = 0; // size 0: not known
    AddressView* memory = nullptr;
    void (*interrupt)(u32 data) = nullptr;
};

enum class WaveState : u8 { running, at_barrier, done };

struct Wave {
    Lanes32 vector[512]; // from 256 on: the accumulation registers
    alignas(8) u32 scalar[128];
    bool scc = false;
    bool indexing = false; // s_set_gpr_idx_on
    WaveState state = WaveState::running;
    u64 pc = 0;
    const Instruction* current = nullptr;
    Group* group = nullptr;
    std::vector<u8> scratch;

    u64 pair(unsigned reg) const {
        u64 value;
        std::memcpy(&value, &scalar[reg], sizeof value);
        return value;
    }
    void set_pair(unsigned reg, u64 value) { std::memcpy(&scalar[reg], &value, sizeof value); }
    u64 exec() const { return pair(reg_exec); }
    u64 vcc() const { return pair(reg_vcc); }

    // All bits set in the lanes of EXEC.
    const Lanes32& active() {
        if (const u64 now = exec(); now != active_for_ || !active_known_) {
            expand(now, active_);
            active_for_ = now;
            active_known_ = true;
        }
        return active_;
    }

private:
    Lanes32 active_;
    u64 active_for_ = 0;
    bool active_known_ = false;
};

// Runs one instruction with vector registers relative to M0 (s_set_gpr_idx_on).
void run_indexed(Wave& wave, const Instruction& instruction);

} // namespace amd_gpu
