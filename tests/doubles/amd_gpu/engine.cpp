// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include "fault.hpp"

#include <algorithm>

namespace amd_gpu {
namespace {

constexpr unsigned instructions_per_turn = 100000;

// The contents of a kernel's first scalar registers, in this order.
enum Property : u32 {
    with_private_buffer = 1,
    with_dispatch_packet = 2,
    with_queue = 4,
    with_arguments = 8,
    with_dispatch_id = 16,
    with_flat_scratch = 32,
    with_private_size = 64,
};

void poison_registers(Wave& wave, unsigned vector_registers) {
    std::fill(std::begin(wave.scalar), std::end(wave.scalar), poison);
    for (unsigned reg = 0; reg < vector_registers; ++reg) {
        std::fill(std::begin(wave.vector[reg].at), std::end(wave.vector[reg].at), poison);
    }
}

void poison_bytes(std::vector<u8>& bytes, std::size_t size) {
    bytes.resize(size);
    for (std::size_t i = 0; i < size; i += sizeof poison) {
        std::memcpy(&bytes[i], &poison, std::min(sizeof poison, size - i));
    }
}

// Rows of the FLAT format have the name of its flat form.
std::string instruction_name(const Instruction& in) {
    std::string name = in.opcode->name;
    if (in.format == Format::flat && in.segment != Segment::flat && name.rfind("flat_", 0) == 0) {
        name.replace(0, 4, in.segment == Segment::global ? "global" : "scratch");
    }
    return name;
}

unsigned products(const u32 (&size)[3]) {
    return size[0] * size[1] * size[2];
}

} // namespace

void run_indexed(Wave& wave, const Instruction& instruction) {
    Instruction in = instruction;
    const u32 index = wave.scalar[reg_m0] & 0xff;
    const u32 which = wave.scalar[reg_m0] >> 12 & 15;
    for (unsigned i = 0; i < 3; ++i) {
        if ((which >> i & 1) != 0 && in.source[i] >= code_vector) {
            in.source[i] = static_cast<u16>(in.source[i] + index);
        }
    }
    if ((which & 8) != 0) {
        in.destination = static_cast<u16>(in.destination + index);
    }
    in.run(wave, in);
}

Engine::Descriptor Engine::read_descriptor(u64 address) {
    const u8* const bytes = memory_.pointer(address, 64);
    if (bytes == nullptr) {
        throw Fault("no kernel descriptor at " + hexadecimal(address) + ", " + memory_.describe(address));
    }
    const auto word = [&](unsigned offset) {
        u32 value;
        std::memcpy(&value, bytes + offset, sizeof value);
        return value;
    };
    Descriptor kernel;
    kernel.code = address + join(word(16), word(20));
    constexpr u64 old_header = 256; // amd_kernel_code_t: the arguments' size is elsewhere, and unimportant
    kernel.arguments_size = kernel.code - address == old_header ? 0 : word(8);
    kernel.resources3 = word(44);
    kernel.resources1 = word(48);
    kernel.resources2 = word(52);
    kernel.properties = word(56);
    return kernel;
}

void Engine::start_wave(Wave& wave, unsigned index, const Launch& launch, const Descriptor& kernel,
                        const u32 (&id)[3], const u32 (&size)[3]) {
    poison_registers(wave, std::min(512U, ((kernel.resources1 & 63) + 1) * 8));
    wave.scc = wave.indexing = false;
    wave.state = WaveState::running;
    wave.group = &group_;
    wave.pc = kernel.code;
    poison_bytes(wave.scratch, std::size_t{group_.lane_scratch} * lane_count);
    const unsigned total = products(size);
    const unsigned components = kernel.resources2 >> 11 & 3; // of the local id, less one
    u64 exec = 0;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const unsigned item = index * lane_count + lane;
        if (item >= total) {
            break;
        }
        exec |= 1ULL << lane;
        const u32 local[3] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
        if (options_.packed_ids) {
            wave.vector[0][lane] = local[0] | local[1] << 10 | local[2] << 20;
        } else {
            for (unsigned i = 0; i <= std::min(components, 2U); ++i) {
                wave.vector[i][lane] = local[i];
            }
        }
    }
    wave.set_pair(reg_exec, exec);

    unsigned next = 0;
    const auto put = [&](u32 value) { wave.scalar[next++] = value; };
    const auto put_pair = [&](u64 value) {
        put(low_half(value));
        put(high_half(value));
    };
    const u32 properties = kernel.properties;
    if ((properties & with_private_buffer) != 0) { // a swizzled buffer; its base is never used
        put_pair(1ULL << 63);
        put_pair(0xffffffff);
    }
    if ((properties & with_dispatch_packet) != 0) {
        put_pair(launch.packet);
    }
    if ((properties & with_queue) != 0) {
        put_pair(launch.queue);
    }
    if ((properties & with_arguments) != 0) {
        put_pair(launch.arguments);
    }
    if ((properties & with_dispatch_id) != 0) {
        put_pair(0);
    }
    if ((properties & with_flat_scratch) != 0) {
        put_pair(0);
    }
    if ((properties & with_private_size) != 0) {
        put(launch.private_bytes);
    }
    next = kernel.resources2 >> 1 & 31; // the number of user registers
    for (unsigned i = 0; i < 3; ++i) {
        if ((kernel.resources2 >> (7 + i) & 1) != 0) {
            put(id[i]);
        }
    }
    if ((kernel.resources2 >> 10 & 1) != 0) { // sizes of the group
        put(0);
    }
    if ((kernel.resources2 & 1) != 0) { // the wave's offset in scratch
        put(0);
    }
}

void Engine::start_group(const Launch& launch, const Descriptor& kernel, const u32 (&id)[3]) {
    // A group at the grid's edge is smaller.
    u32 size[3];
    for (unsigned i = 0; i < 3; ++i) {
        size[i] = std::min(launch.group[i], launch.grid[i] - id[i] * launch.group[i]);
    }
    poison_bytes(group_.lds, launch.shared_bytes);
    wave_count_ = (products(size) + lane_count - 1) / lane_count;
    while (waves_.size() < wave_count_) {
        waves_.push_back(std::make_unique<Wave>());
    }
    for (unsigned i = 0; i < wave_count_; ++i) {
        start_wave(*waves_[i], i, launch, kernel, id, size);
    }
}

void Engine::run_wave(Wave& wave) {
    const u64 until = instructions_ + instructions_per_turn;
    while (wave.state == WaveState::running && instructions_ < until) {
        const Block& block = cache_.at(wave.pc);
        wave.pc = block.end;
        instructions_ += block.instructions.size();
        for (const Instruction& in : block.instructions) {
            wave.current = &in;
            const bool vector = in.format >= Format::vop1 && in.format <= Format::vop3p;
            if (wave.indexing && vector) {
                run_indexed(wave, in);
            } else {
                in.run(wave, in);
            }
        }
    }
}

void Engine::run_group(const std::atomic<bool>& stop) {
    while (!stop.load(std::memory_order_relaxed)) {
        bool all_done = true;
        bool all_wait = true;
        for (unsigned i = 0; i < wave_count_; ++i) {
            running_ = options_.reverse_waves ? wave_count_ - 1 - i : i;
            Wave& wave = *waves_[running_];
            if (wave.state == WaveState::running) {
                run_wave(wave);
            }
            all_done = all_done && wave.state == WaveState::done;
            all_wait = all_wait && wave.state != WaveState::running;
        }
        if (all_done) {
            return;
        }
        if (all_wait) {
            for (unsigned i = 0; i < wave_count_; ++i) {
                if (waves_[i]->state == WaveState::at_barrier) {
                    waves_[i]->state = WaveState::running;
                }
            }
        }
    }
}

FaultReport Engine::report(const Fault& fault, const Launch& launch, const u32 (&id)[3]) {
    std::string text = "kernel " + kernel_name(memory_, launch.kernel_object) + ", group (" +
                       std::to_string(id[0]) + ", " + std::to_string(id[1]) + ", " + std::to_string(id[2]) +
                       ")";
    const Wave* const wave = running_ < waves_.size() ? waves_[running_].get() : nullptr;
    if (wave != nullptr) {
        text += ", wave " + std::to_string(running_);
    }
    if (fault.lane >= 0) {
        text += ", lane " + std::to_string(fault.lane);
    }
    text += ": " + std::string(fault.what());
    if (wave != nullptr && wave->current != nullptr) {
        text += " (" + instruction_name(*wave->current) + " at " + hexadecimal(wave->current->address) + ")";
    }
    return {text, fault.address, fault.of_memory};
}

std::optional<FaultReport> Engine::run(const Launch& launch, const std::atomic<bool>& stop) {
    cache_.begin_launch();
    memory_.begin_launch();
    u32 id[3] = {0, 0, 0};
    for (const auto& wave : waves_) {
        wave->current = nullptr;
    }
    try {
        const Descriptor kernel = read_descriptor(launch.kernel_object);
        group_.memory = &memory_;
        group_.interrupt = options_.interrupt;
        group_.shared_base = join(0, launch.shared_base);
        group_.private_base = join(0, launch.private_base);
        group_.apertures = launch.private_base >> 16 | (launch.shared_base & 0xffff0000);
        group_.lane_scratch = launch.private_bytes;
        group_.kernel_arguments = launch.arguments;
        group_.kernel_arguments_size = kernel.arguments_size;
        u32 groups[3];
        for (unsigned i = 0; i < 3; ++i) {
            groups[i] = (launch.grid[i] + launch.group[i] - 1) / launch.group[i];
        }
        const u64 total = u64{groups[0]} * groups[1] * groups[2];
        for (u64 n = 0; n < total && !stop.load(std::memory_order_relaxed); ++n) {
            const u64 linear = options_.reverse_waves ? total - 1 - n : n;
            id[0] = static_cast<u32>(linear % groups[0]);
            id[1] = static_cast<u32>(linear / groups[0] % groups[1]);
            id[2] = static_cast<u32>(linear / groups[0] / groups[1]);
            start_group(launch, kernel, id);
            run_group(stop);
        }
    } catch (const Fault& fault) {
        return report(fault, launch, id);
    }
    return std::nullopt;
}

} // namespace amd_gpu
