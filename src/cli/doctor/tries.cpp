// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "examine.hpp"
#include "text.hpp"

#include <ferry/ferry.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <vector>

namespace cli::doctor {
namespace {

constexpr const char* mixing = R"(
__kernel void mix_words(__global const uint* in, __global uint* out, uint n) {
    uint i = get_global_id(0);
    if (i >= n) {
        return;
    }
    uint x = in[i] ^ i;
    for (uint round = 0u; round < 16u; ++round) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 13;
        x = (x << 7) | (x >> 25);
        x += (x % 9973u) / 7u;
    }
    out[i] = x;
}
)";

std::uint32_t mixed(std::uint32_t word, std::uint32_t i) {
    std::uint32_t x = word ^ i;
    for (int round = 0; round < 16; ++round) {
        x = x * 1664525U + 1013904223U;
        x ^= x >> 13;
        x = (x << 7) | (x >> 25);
        x += (x % 9973U) / 7U;
    }
    return x;
}

} // namespace

Finding good(const ferry::Device& device, const char* check, std::string what) {
    return {Severity::good, check, device.id(), std::move(what), ""};
}
Finding wrong(const ferry::Device& device, const char* check, std::string what) {
    return {Severity::problem, check, device.id(), std::move(what),
            "Do not trust results of this device: update its driver, and test its memory."};
}

Findings try_kernel(const ferry::Device& device) {
    constexpr std::uint32_t count = 100'003;
    std::vector<std::uint32_t> words(count);
    std::vector<std::uint32_t> expected(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        words[i] = i * 2654435761U;
        expected[i] = mixed(words[i], i);
    }
    ferry::Queue queue(device);
    const ferry::Kernel kernel = ferry::Program(device, mixing).kernel("mix_words");
    ferry::Buffer<std::uint32_t> in(device, count);
    ferry::Buffer<std::uint32_t> out(device, count);
    queue.copy(words, in);
    queue.launch(kernel, ferry::Grid::covering(count, 64), in, out, count);
    const std::vector<std::uint32_t> result = queue.read(out);
    const auto differs = std::mismatch(result.begin(), result.end(), expected.begin()).first;
    if (const auto at = static_cast<std::size_t>(differs - result.begin()); at != count) {
        return {wrong(device, "kernel",
                      "A kernel computed " + std::to_string(result[at]) + " instead of " +
                          std::to_string(expected[at]) + ", at item " + std::to_string(at) + ".")};
    }
    return {good(device, "kernel", "A kernel computed " + std::to_string(count) + " known answers.")};
}

Findings try_memory(const ferry::Device& device) {
    Findings findings;
    const ferry::MemoryInfo memory = device.memory();
    if (memory.free && memory.total != 0) {
        const bool little = *memory.free < memory.total / 20;
        findings.push_back(
            {little ? Severity::warning : Severity::good, "memory", device.id(),
             bytes_text(*memory.free) + " of " + bytes_text(memory.total) + " are free.",
             little ? "End other programs that use it, or choose another device with FERRY_DEVICE." : ""});
    }
    ferry::Queue queue(device);
    for (const ferry::MemoryKind kind : memory_kinds) {
        if (!device.has(kind)) {
            continue;
        }
        try {
            ferry::Buffer<std::uint32_t> buffer(device, std::size_t{1} << 20, kind);
            queue.fill(buffer, 0x5aa5c33cU);
            queue.finish();
            ferry::Mapping<std::uint32_t> view = buffer.view().map(queue, ferry::Map::read);
            if (std::find_if(view.begin(), view.end(),
                             [](std::uint32_t word) { return word != 0x5aa5c33cU; }) != view.end()) {
                findings.push_back(wrong(device, "memory",
                                         "Memory of kind " + std::string(to_string(kind)) +
                                             " did not contain its fill pattern."));
            }
        } catch (const ferry::Error& error) {
            const bool pinned = kind == ferry::MemoryKind::host;
            findings.push_back({Severity::problem, "memory", device.id(), error.what(),
                                pinned ? mend_locked_memory : "See what else uses the device's memory."});
        }
    }
    return findings;
}

Findings try_staging(const ferry::Device& device) {
    const ferry::StagingInfo info = ferry::prepare_staging(device);
    if (!info.note.empty()) {
        return {{Severity::warning, "staging", device.id(), info.note, mend_locked_memory}};
    }
    return {good(device, "staging",
                 info.slots == 0 ? "Large copies of ordinary memory are left to the driver."
                                 : std::to_string(info.slots) + " page-locked slots of " +
                                       bytes_text(info.slot_bytes) + " were made for large copies.")};
}

/// `late`: facts for which the time was too short.
Finding measured_facts(const ferry::Device& device, std::size_t measured, std::size_t late) {
    const std::string sound = "No declared fact about memory was found wrong";
    if (late != 0) {
        return {Severity::note, "facts", device.id(),
                sound + ", but the time was too short for " + std::to_string(late) + " of " +
                    std::to_string(measured + late) + " measurements.",
                "The next program that asks for these facts measures them. FERRY_CALIBRATION=fresh gives the "
                "measurements the time that they need."};
    }
    if (measured == 0) {
        return {Severity::note, "facts", device.id(),
                "No fact about memory was measured; all are as the driver declares them.",
                "See whether FERRY_CALIBRATION is off. \"ferry info " + device.id() +
                    "\" gives the source of each fact."};
    }
    return good(device, "facts",
                sound + "; " + counted(static_cast<std::ptrdiff_t>(measured), "fact") +
                    (measured == 1 ? " was" : " were") + " measured.");
}

Findings try_facts(const ferry::Device& device) {
    Findings findings;
    std::size_t measured = 0;
    std::size_t late = 0;
    const auto look = [&](ferry::MemoryKind kind, const char* name, const auto& fact) {
        measured += fact.confidence == ferry::Confidence::measured;
        late += fact.interruption == ferry::Interruption::late ||
                fact.interruption == ferry::Interruption::killed;
        if (!fact.declared.empty()) {
            findings.push_back({Severity::warning, "facts", device.id(),
                                "For memory of kind " + std::string(to_string(kind)) + ", " + name +
                                    " differs from the value implied by " + fact.declared + ": " +
                                    fact.source + ".",
                                "Ferry uses the measured value. Report the error to the driver's vendor."});
        } else if (is_doubted(fact)) {
            findings.push_back(
                {Severity::warning, "facts", device.id(),
                 "For memory of kind " + std::string(to_string(kind)) + ", " + name + " is " + fact.source +
                     ".",
                 "Ferry uses the conservative value. Update the driver, then measure again with "
                 "FERRY_CALIBRATION=fresh or by removing the cache."});
        }
    };
    for (const ferry::MemoryKind kind : memory_kinds) {
        const ferry::MemoryCapabilities facts = device.capabilities(kind);
        look(kind, "reach", facts.reach);
        look(kind, "coherence", facts.coherence);
        look(kind, "atomics", facts.atomics);
        look(kind, "same_address", facts.same_address);
        look(kind, "migrates", facts.migrates);
        look(kind, "host_cached", facts.host_cached);
        look(kind, "read_bandwidth", facts.read_bandwidth);
        look(kind, "read_latency", facts.read_latency);
    }
    if (findings.empty()) {
        findings.push_back(measured_facts(device, measured, late));
    }
    return findings;
}

Version version_of(const std::string& text) {
    Version version;
    char dot = 0;
    std::istringstream numbers(text);
    numbers >> version.major >> dot >> version.minor;
    return version;
}

std::string mend_compiler(const ferry::Device& device) {
    return device.info().backend == ferry::Backend::host
               ? "Install a C++ compiler (g++ or clang++) or name one in FERRY_HOST_COMPILER, or ship "
                 "compiled "
                 "kernels (ferry_add_kernels)."
               : "Install the run-time compiler, or ship compiled kernels (ferry_add_kernels).";
}

Findings look_at_compiler(const ferry::Device& device) {
    const ferry::DeviceInfo& info = device.info();
    const bool cuda = info.backend == ferry::Backend::cuda;
    const Version compiler = version_of(info.compiler_version);
    const Version driver = version_of(info.api_version);
    const char* const match = "Update the driver, or name an older compiler with FERRY_NVRTC_LIBRARY.";
    if (!info.compiles) {
        return {{Severity::warning, "compiler", device.id(),
                 "Kernels cannot be compiled when the program runs: " + info.compile_note + ".",
                 cuda && compiler.major > driver.major ? match : mend_compiler(device)}};
    }
    if (info.backend == ferry::Backend::hip && compiler.major != 0 && compiler.major != driver.major) {
        return {{Severity::warning, "compiler", device.id(),
                 info.compile_note + " is of HIP " + std::to_string(compiler.major) +
                     ", and the runtime of HIP " + std::to_string(driver.major) +
                     ": one may be unable to load code compiled by the other.",
                 "Unset FERRY_HIPRTC_LIBRARY, or name the libhiprtc.so." + std::to_string(driver.major) +
                     " that came with the runtime."}};
    }
    if (cuda && compiler.major == driver.major && compiler.minor > driver.minor) {
        return {{Severity::note, "compiler", device.id(),
                 info.compile_note + " is newer than the driver, which knows CUDA " + info.api_version +
                     ": the driver accepts machine code from it, but not PTX.",
                 std::string("No action is needed if kernels build. Otherwise: ") + match}};
    }
    return {good(device, "compiler", info.compile_note + ".")};
}

} // namespace cli::doctor
