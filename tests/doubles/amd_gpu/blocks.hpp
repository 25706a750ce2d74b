// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "addresses.hpp"
#include "instruction.hpp"

#include <memory>
#include <unordered_map>
#include <vector>

namespace amd_gpu {

// Decoded instructions from one address to the next branch.
struct Block {
    u64 begin = 0, end = 0;
    std::vector<Instruction> instructions;
    std::vector<u32> code; // that they were decoded from
    u64 checked = 0;       // the launch that found the code unchanged
};

// One thread's decoded code. Code may change between launches, not within one.
class BlockCache {
public:
    explicit BlockCache(AddressView& memory) : memory_(memory), recent_(recent_count) {}
    void begin_launch() { ++launch_; }
    const Block& at(u64 pc) {
        const Block* block = recent_[pc >> 2 & (recent_count - 1)];
        return block != nullptr && block->begin == pc && block->checked == launch_ ? *block : find(pc);
    }

private:
    static constexpr std::size_t recent_count = 1 << 14;

    const Block& find(u64 pc);
    const u32* code_at(u64 pc);

    AddressView& memory_;
    std::unordered_map<u64, std::unique_ptr<Block>> blocks_;
    std::vector<const Block*> recent_;
    u64 launch_ = 0;
};

} // namespace amd_gpu
