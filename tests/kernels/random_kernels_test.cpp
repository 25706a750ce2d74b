// SPDX-License-Identifier: Apache-2.0
#include "corpus.hpp"
#include "known_bugs.hpp"
#include "random_program.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace kernels;

namespace {

/// Runs the program. Returns the index of the first wrong output scalar, or the size if there is none.
std::size_t first_wrong(const ferry::Device& device, const RandomProgram& program,
                        const std::vector<std::uint64_t>& in, std::string* report = nullptr,
                        const ferry::BuildOptions& options = {}) {
    Corpus c(device, program.text(), options);
    auto din = c.in(in);
    auto out = c.out<std::uint64_t>(in.size());
    c.run("random_kernel", {random_items / random_group, random_group}, din, out);
    const auto seen = c.read(out);
    const auto wanted = program.expected(in);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen[i] != wanted[i]) {
            if (report != nullptr) {
                *report = "work-item " + std::to_string(i / program.scalars()) + ", out[" +
                          std::to_string(i % program.scalars()) + "] is " + std::to_string(seen[i]) +
                          " where " + std::to_string(wanted[i]) + " was expected, in:";
                for (std::size_t k = i - i % program.scalars(), n = 0; n < program.scalars(); ++k, ++n) {
                    *report += " " + std::to_string(in[k]);
                }
            }
            return i;
        }
    }
    return seen.size();
}

/// Removes every statement that is not needed for a wrong result.
RandomProgram reduced(const ferry::Device& device, RandomProgram program,
                      const std::vector<std::uint64_t>& in) {
    for (std::size_t i = program.statements.size(); i-- > 0;) {
        RandomProgram shorter = program;
        shorter.statements.erase(shorter.statements.begin() + static_cast<std::ptrdiff_t>(i));
        if (first_wrong(device, shorter, in) != in.size()) {
            program = shorter;
        }
    }
    return program;
}

/// Whether the program is right without the driver's optimiser, on a driver with a known bug there.
bool is_known_of_optimiser(const ferry::Device& device, const RandomProgram& program,
                           const std::vector<std::uint64_t>& in) {
    return known_bug(device, wrong_when_optimised) != nullptr &&
           first_wrong(device, program, in, nullptr, {.opencl = "-cl-opt-disable"}) == in.size();
}

RandomLimits limits_of(const ferry::Device& device) {
    return {known_bug(device, bytes_128_across_barrier) != nullptr,
            known_bug(device, swizzle_behind_constant) != nullptr};
}

std::size_t kernel_count() {
    const char* value = std::getenv("FERRY_RANDOM_KERNELS");
    return value != nullptr ? static_cast<std::size_t>(std::strtoull(value, nullptr, 10)) : 0;
}

} // namespace

// Without a count it runs for a few seconds.
KERNEL_TEST("random: kernels that are compared with a model bit for bit") {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(6);
    const std::size_t count = kernel_count();
    const RandomLimits limits = limits_of(device);
    std::size_t done = 0;
    std::size_t expressions = 0;
    std::size_t failures = 0;
    std::size_t known = 0;
    while (failures < 3 && (count != 0 ? done < count : done == 0 || Clock::now() < end)) {
        const RandomProgram program = random_program(limits);
        const auto in = conformance::random_values<std::uint64_t>(program.scalars() * random_items);
        ++done;
        expressions += program.expressions;
        if (std::getenv("FERRY_RANDOM_SHOW") != nullptr) { // for drivers that crash or hang
            std::printf("kernel number %zu:\n%s\n", done, program.text().c_str());
            std::fflush(stdout);
        }
        try {
            if (first_wrong(device, program, in) != in.size()) {
                const RandomProgram small = reduced(device, program, in);
                if (is_known_of_optimiser(device, small, in)) {
                    ++known;
                    continue;
                }
                ++failures;
                std::string report;
                first_wrong(device, small, in, &report);
                FAIL_CHECK("kernel number ", done, " is wrong on ", device.id(), ": ", report, "\n",
                           small.text());
            }
        } catch (const ferry::Error& error) {
            ++failures;
            FAIL_CHECK("kernel number ", done, " fails on ", device.id(), ": ", std::string(error.what()),
                       "\n", program.text());
        }
    }
    std::printf(
        "random kernels on %s: %zu kernels, %zu expressions, each in %zu work-items; %zu wrong only as "
        "the driver optimises them\n",
        device.id().c_str(), done, expressions, random_items, known);
}
