// SPDX-License-Identifier: Apache-2.0
#include "base/processor.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

namespace host = ferry::host;

namespace {

host::Processor read(const std::string& cpuinfo, const std::string& midr = {},
                     host::Capabilities capabilities = {}) {
    std::istringstream text(cpuinfo);
    std::istringstream registers(midr);
    return host::read_processor(text, registers, capabilities);
}

std::string arm_core(int number, const std::string& part, const std::string& features,
                     const std::string& implementer = "0x41") {
    return "processor\t: " + std::to_string(number) + "\nBogoMIPS\t: 48.00\nFeatures\t: " + features +
           "\nCPU implementer\t: " + implementer +
           "\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: " + part + "\nCPU revision\t: 3\n\n";
}

const std::string neon = "fp asimd evtstrm aes crc32 cpuid";

} // namespace

TEST_CASE("host processor: an ARM64 core has a name and a vendor") {
    const host::Processor grace = read(arm_core(0, "0xd4f", neon + " atomics sve sve2"));
    CHECK(grace.name == "ARM Neoverse-V2");
    CHECK(grace.vendor == "ARM");
    const host::Processor unlisted = read(arm_core(0, "0xfff", neon, "0xc0"));
    CHECK(unlisted.name == "Ampere processor, part 0xfff");
    CHECK(read(arm_core(0, "0xfff", neon, "0x77")).name.empty());
}

TEST_CASE("host processor: two kinds of cores are both named, in whatever order the kernel lists them") {
    const std::string small = arm_core(0, "0xd05", neon);
    const std::string large = arm_core(4, "0xd0b", neon);
    CHECK(read(small + small + large + large).name == "ARM Cortex-A55 + ARM Cortex-A76");
    CHECK(read(small + small + large).identity == read(large + small).identity);
    CHECK(read(small + small).identity != read(small + large).identity);
}

TEST_CASE("host processor: the identity differs if a compiler's code for the processor may differ") {
    const std::string plain = arm_core(0, "0xd08", neon);
    const std::string identity = read(plain).identity;
    CHECK(identity == read(plain).identity);
    CHECK(identity != read(arm_core(0, "0xd08", neon + " sve")).identity);
    CHECK(identity != read(arm_core(0, "0xd0c", neon)).identity);
    CHECK(identity != read(arm_core(0, "0xd08", neon, "0x48")).identity);
    CHECK(identity != read(plain, "0x00000000410fd083\n").identity);
    CHECK(read(plain, "0x00000000410fd083\n").identity != read(plain, "0x00000000410fd0c1\n").identity);
    // Some emulators show the file of the real machine.
    CHECK(read(plain, {}, {1, 0}).identity != read(plain, {}, {1U << 22 | 1, 0}).identity);
    CHECK(read(plain, {}, {1, 0}).identity != read(plain, {}, {1, 2}).identity);
}

TEST_CASE("host processor: clock rates and the number of equal cores are no part of the identity") {
    const std::string x86 =
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel name\t: AMD EPYC 9654\n"
        "cpu MHz\t\t: ";
    const std::string rest = "\nflags\t\t: fpu sse2 avx2\nbugs\t\t:\n\n";
    const host::Processor one = read(x86 + "2400.000" + rest);
    CHECK(one.name == "AMD EPYC 9654");
    CHECK(one.vendor == "AuthenticAMD");
    CHECK(one.identity == read(x86 + "3700.000" + rest + x86 + "1500.000" + rest).identity);
    CHECK(one.identity != read(x86 + "2400.000\nflags\t\t: fpu sse2 avx2 avx512f\n\n").identity);
    CHECK(read(arm_core(0, "0xd4f", neon)).identity ==
          read(arm_core(0, "0xd4f", neon) + arm_core(1, "0xd4f", neon)).identity);
}

TEST_CASE("host processor: a system that reports nothing, or other lines before its cores") {
    CHECK(read("").name.empty());
    CHECK(read("").vendor.empty());
    CHECK(
        read("\nProcessor\t: AArch64 rev 4\n\n" + arm_core(0, "0xd03", neon) + "Hardware\t: board\n").name ==
        "ARM Cortex-A53");
    CHECK_FALSE(host::processor().identity.empty());
}
