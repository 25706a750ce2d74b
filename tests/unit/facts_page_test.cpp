// SPDX-License-Identifier: Apache-2.0
// Checks that the table of docs/backends/facts.md follows from the machines' answers.
#include "driver_machines.hpp"
#include "opencl_machines.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>

namespace facts_page_test {

using namespace ferry;

namespace {

using FactsOf = std::function<MemoryCapabilities(MemoryKind)>;

FactsOf cuda(const driver::MemoryAnswers& answers) {
    return [answers](MemoryKind kind) { return driver::cuda_memory_facts(answers, kind); };
}
FactsOf hip(const driver::MemoryAnswers& answers) {
    return [answers](MemoryKind kind) { return driver::hip_memory_facts(answers, kind); };
}
FactsOf opencl_device(const opencl::MemoryAnswers& answers) {
    return [answers](MemoryKind kind) { return opencl::memory_facts(answers, kind); };
}

struct Machine {
    const char* name;
    FactsOf facts;
};

const Machine all[] = {
    {"NVIDIA, discrete (H200)", cuda(machines::h200())},
    {"NVIDIA, coherent link (Grace)", cuda(machines::grace())},
    {"NVIDIA, pageable memory without the host's page tables", cuda(machines::pageable())},
    {"NVIDIA, Windows-style managed memory", cuda(machines::windows())},
    {"NVIDIA, embedded (Tegra)", cuda(machines::tegra())},
    {"AMD, on the processor's memory, XNACK", hip(machines::amd_integrated())},
    {"AMD, discrete", hip(machines::amd_discrete())},
    {"AMD, discrete, XNACK", hip(machines::amd_discrete_xnack())},
    {"AMD, discrete, a slot without PCIe atomics", hip(machines::amd_discrete_no_atomics())},
    {"OpenCL, Intel, integrated", opencl_device(machines::intel_integrated())},
    {"OpenCL, Intel, discrete", opencl_device(machines::intel_discrete())},
    {"OpenCL, one memory and copies (Mali)", opencl_device(machines::mali())},
    {"OpenCL, NVIDIA", opencl_device(machines::nvidia())},
    {"OpenCL 1.2", opencl_device(machines::version_1_2())},
    {"OpenCL, PoCL", opencl_device(machines::pocl())},
    {"OpenCL, Intel's processors", opencl_device(machines::intel_processor())},
};

std::string cell(const MemoryCapabilities& facts) {
    if (!facts.available) {
        return "none";
    }
    std::string text = std::string(to_string(facts.reach.value)) + ", " +
                       std::string(to_string(facts.coherence.value)) + ", " +
                       std::string(to_string(facts.atomics.value));
    const std::string more = std::string(facts.same_address.value ? "a" : "") +
                             (facts.migrates.value ? "m" : "") + (facts.host_cached.value ? "c" : "");
    return more.empty() ? text : text + ", " + more;
}

} // namespace

TEST_CASE("the table of docs/backends/facts.md follows from the answers") {
    std::ifstream file(FERRY_FACTS_PAGE);
    std::ostringstream page;
    page << file.rdbuf();
    std::string missing;
    for (const Machine& machine : all) {
        std::string row = std::string("| ") + machine.name + " |";
        for (const MemoryKind kind :
             {MemoryKind::device, MemoryKind::host, MemoryKind::shared, MemoryKind::imported}) {
            row += " " + cell(machine.facts(kind)) + " |";
        }
        missing += page.str().find(row + "\n") == std::string::npos ? row + "\n" : "";
    }
    CHECK_MESSAGE(missing.empty(), "facts.md lacks:\n", missing);
}

} // namespace facts_page_test
