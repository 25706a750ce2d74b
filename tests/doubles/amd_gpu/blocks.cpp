// SPDX-License-Identifier: Apache-2.0
#include "blocks.hpp"

#include "fault.hpp"

#include <cstring>

namespace amd_gpu {
namespace {

constexpr std::size_t longest_block = 256;

} // namespace

const u32* BlockCache::code_at(u64 pc) {
    const u8* code = memory_.pointer(pc, 4);
    if (code == nullptr || pc % 4 != 0) {
        throw Fault("instruction fetch at " + hexadecimal(pc) + ", " + memory_.describe(pc));
    }
    return reinterpret_cast<const u32*>(code);
}

const Block& BlockCache::find(u64 pc) {
    std::unique_ptr<Block>& block = blocks_[pc];
    if (block != nullptr) {
        const u8* const code = memory_.pointer(pc, block->code.size() * 4);
        if (code == nullptr || std::memcmp(code, block->code.data(), block->code.size() * 4) != 0) {
            block.reset();
        }
    }
    if (block == nullptr) {
        auto fresh = std::make_unique<Block>();
        fresh->begin = pc;
        u64 at = pc;
        do {
            const u32* const code = code_at(at);
            fresh->instructions.push_back(decode(code, at));
            const unsigned size = fresh->instructions.back().size;
            fresh->code.insert(fresh->code.end(), code, code + size / 4);
            at += size;
        } while (!fresh->instructions.back().opcode->ends_block &&
                 fresh->instructions.size() < longest_block);
        fresh->end = at;
        block = std::move(fresh);
    }
    block->checked = launch_;
    recent_[pc >> 2 & (recent_count - 1)] = block.get();
    return *block;
}

} // namespace amd_gpu
