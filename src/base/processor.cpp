// SPDX-License-Identifier: Apache-2.0
#include "base/processor.hpp"

#include "base/cpuid.hpp"
#include "base/no_destructor.hpp"
#include "system/machine.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

namespace ferry::host {
namespace {

struct Part {
    unsigned implementer, part;
    const char* name;
};
// Main ID Register, fields Implementer and PartNum: the cores of servers and boards that run Linux.
constexpr Part parts[] = {
    {0x41, 0xd03, "ARM Cortex-A53"},   {0x41, 0xd04, "ARM Cortex-A35"},   {0x41, 0xd05, "ARM Cortex-A55"},
    {0x41, 0xd07, "ARM Cortex-A57"},   {0x41, 0xd08, "ARM Cortex-A72"},   {0x41, 0xd09, "ARM Cortex-A73"},
    {0x41, 0xd0a, "ARM Cortex-A75"},   {0x41, 0xd0b, "ARM Cortex-A76"},   {0x41, 0xd0c, "ARM Neoverse-N1"},
    {0x41, 0xd0d, "ARM Cortex-A77"},   {0x41, 0xd40, "ARM Neoverse-V1"},  {0x41, 0xd41, "ARM Cortex-A78"},
    {0x41, 0xd42, "ARM Cortex-A78AE"}, {0x41, 0xd44, "ARM Cortex-X1"},    {0x41, 0xd46, "ARM Cortex-A510"},
    {0x41, 0xd47, "ARM Cortex-A710"},  {0x41, 0xd48, "ARM Cortex-X2"},    {0x41, 0xd49, "ARM Neoverse-N2"},
    {0x41, 0xd4d, "ARM Cortex-A715"},  {0x41, 0xd4e, "ARM Cortex-X3"},    {0x41, 0xd4f, "ARM Neoverse-V2"},
    {0x41, 0xd80, "ARM Cortex-A520"},  {0x41, 0xd81, "ARM Cortex-A720"},  {0x41, 0xd82, "ARM Cortex-X4"},
    {0x41, 0xd84, "ARM Neoverse-V3"},  {0x41, 0xd8e, "ARM Neoverse-N3"},  {0x43, 0x0af, "Cavium ThunderX2"},
    {0x46, 0x001, "Fujitsu A64FX"},    {0x48, 0xd01, "HiSilicon TSV110"}, {0x4e, 0x004, "NVIDIA Carmel"},
    {0xc0, 0xac3, "Ampere-1"},         {0xc0, 0xac4, "Ampere-1A"},
};

std::string vendor_of(unsigned implementer) {
    switch (implementer) {
    case 0x41:
        return "ARM";
    case 0x42:
        return "Broadcom";
    case 0x43:
        return "Cavium";
    case 0x46:
        return "Fujitsu";
    case 0x48:
        return "HiSilicon";
    case 0x4e:
        return "NVIDIA";
    case 0x50:
        return "APM";
    case 0x51:
        return "Qualcomm";
    case 0x53:
        return "Samsung";
    case 0x61:
        return "Apple";
    case 0xc0:
        return "Ampere";
    default:
        return {};
    }
}

unsigned hexadecimal(std::string_view text) {
    text.remove_prefix(text.starts_with("0x") ? 2 : 0);
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
}

using Core = std::map<std::string, std::string, std::less<>>; // The lines of one core: key, value.

std::string text_of(const Core& core, std::string_view key) {
    const auto found = core.find(key);
    return found != core.end() ? found->second : std::string();
}

std::string name_of(const Core& core) {
    if (std::string name = text_of(core, "model name"); !name.empty()) {
        return name;
    }
    const unsigned implementer = hexadecimal(text_of(core, "CPU implementer"));
    const unsigned number = hexadecimal(text_of(core, "CPU part"));
    const auto* const known = std::find_if(std::begin(parts), std::end(parts), [&](const Part& part) {
        return part.implementer == implementer && part.part == number;
    });
    if (known != std::end(parts)) {
        return known->name;
    }
    const std::string vendor = vendor_of(implementer);
    return vendor.empty() ? std::string() : vendor + " processor, part " + text_of(core, "CPU part");
}

// The other lines change while the machine runs, or differ between equal cores.
bool describes_code(std::string_view key) {
    constexpr std::string_view keys[] = {"vendor_id",
                                         "cpu family",
                                         "model",
                                         "model name",
                                         "stepping",
                                         "flags",
                                         "CPU implementer",
                                         "CPU architecture",
                                         "CPU variant",
                                         "CPU part",
                                         "CPU revision",
                                         "Features",
                                         "isa",
                                         "uarch",
                                         "cpu"};
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos
               ? std::string()
               : std::string(text.substr(first, text.find_last_not_of(" \t") + 1 - first));
}

Core next_core(std::istream& cpuinfo) {
    Core core;
    for (std::string line; std::getline(cpuinfo, line) && (!line.empty() || core.empty());) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && describes_code(trimmed(line.substr(0, colon)))) {
            core[trimmed(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
        }
    }
    return core;
}

std::string midr_of_all_cores() {
    std::string all;
    const std::uint32_t cores = configured_processors();
    for (std::uint32_t core = 0; core < cores; ++core) {
        std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(core) +
                           "/regs/identification/midr_el1");
        std::string line;
        if (std::getline(file, line)) {
            all += line + "\n";
        } else if (core == 0) {
            break; // Another architecture.
        }
    }
    return all;
}

} // namespace

Processor read_processor(std::istream& cpuinfo, std::istream& midr, Capabilities capabilities) {
    Processor processor;
    std::set<std::string> kinds; // Sorted, because the order of cores is arbitrary.
    for (Core core = next_core(cpuinfo); !core.empty(); core = next_core(cpuinfo)) {
        std::string kind;
        for (const auto& [key, value] : core) {
            kind += key + "=" + value + ";";
        }
        if (!kinds.insert(kind).second) {
            continue;
        }
        const std::string name = name_of(core);
        if (!name.empty() && processor.name.find(name) == std::string::npos) {
            processor.name += (processor.name.empty() ? "" : " + ") + name;
        }
        if (processor.vendor.empty()) {
            processor.vendor = text_of(core, "vendor_id");
        }
        if (processor.vendor.empty()) {
            processor.vendor = vendor_of(hexadecimal(text_of(core, "CPU implementer")));
        }
        if (core.contains("flags")) {
            break; // x86: a compiler generates the same code for all cores, and the file is long.
        }
    }
    for (std::string line; std::getline(midr, line);) {
        kinds.insert("MIDR=" + line);
    }
    for (const std::string& kind : kinds) {
        processor.identity += kind + "\n";
    }
    processor.identity +=
        "HWCAP=" + std::to_string(capabilities.first) + " " + std::to_string(capabilities.second);
    return processor;
}

const Processor& processor() {
    static detail::NoDestructor<const Processor> one([] {
        std::ifstream file("/proc/cpuinfo");
        std::istringstream asked(file ? std::string() : cpuinfo_by_instruction());
        std::istream& cpuinfo = file ? static_cast<std::istream&>(file) : asked;
        std::istringstream midr(midr_of_all_cores());
        const auto [first, second] = processor_features();
        return read_processor(cpuinfo, midr, {first, second});
    }());
    return *one;
}

} // namespace ferry::host
