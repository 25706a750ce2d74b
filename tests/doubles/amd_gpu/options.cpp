// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "../driver_cpu/environment.hpp"
#include "events.hpp"

#include <cstdio>
#include <cstdlib>

namespace amd_gpu {
namespace {

Options read_options() {
    using ferry_double::number_from;
    Options read;
    read.architecture = ferry_double::text_from("FERRY_DOUBLE_GPU_ARCH", "gfx90a");
    struct Architecture {
        const char* name;
        unsigned stepping;
    };
    constexpr Architecture known[] = {{"gfx900", 0}, {"gfx906", 6}, {"gfx908", 8}, {"gfx90a", 10}};
    bool found = false;
    for (const Architecture& architecture : known) {
        if (read.architecture == architecture.name) {
            read.stepping = architecture.stepping;
            found = true;
        }
    }
    if (!found) {
        std::fprintf(stderr, "FERRY_DOUBLE_GPU_ARCH is %s; gfx900, gfx906, gfx908 and gfx90a are emulated.\n",
                     read.architecture.c_str());
        std::abort();
    }
    read.devices = static_cast<unsigned>(number_from("FERRY_DOUBLE_GPU_COUNT", 1));
    read.memory = static_cast<u64>(number_from("FERRY_DOUBLE_GPU_MEMORY", 4LL << 30));
    read.sdma = number_from("FERRY_DOUBLE_GPU_SDMA", 1) != 0;
    read.apu = number_from("FERRY_DOUBLE_GPU_APU", 0) != 0;
    read.xnack = read.apu || number_from("FERRY_DOUBLE_GPU_XNACK", 0) != 0;
    read.statistics = number_from("FERRY_DOUBLE_GPU_STATISTICS", 0) != 0;
    read.lost_at = number_from("FERRY_DOUBLE_GPU_LOST_AT", 0);
    read.engine.reverse_waves = number_from("FERRY_DOUBLE_GPU_REVERSE", 0) != 0;
    read.engine.interrupt = deliver_interrupt;
    read.engine.packed_ids = read.architecture == "gfx90a";
    return read;
}

} // namespace

const Options& options() {
    static const Options& read = *new Options(read_options());
    return read;
}

} // namespace amd_gpu
