// SPDX-License-Identifier: Apache-2.0
#include "kernel_mistakes.hpp"

#include "scene.hpp"

#include <climits>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>

namespace wrong {
namespace {

void divide(const ferry::HostGroup& group, const Word* in, Word* out, Word by) {
    out[group.group.x] = in[group.group.x] / by;
}
constexpr ferry::HostKernel host_kernels[] = {ferry::host_kernel<divide>("divide")};

constexpr const char* kernels_beside = R"(
__kernel void just_before(__global uint* out) { if (get_global_id(0) == 0) out[-2] = 1; }
__kernel void just_beyond(__global uint* out) { if (get_global_id(0) == 0) out[1000] = 1; }
__kernel void in_one_order(__global const uint* in, __global uint* out, __local uint* part) {
    uint l = get_local_id(0);
    part[l] = l;
    out[get_global_id(0)] = l == 0 ? 0 : in[part[l - 1]];
}
)";

// Each case has one division. `by` decides whether its result is defined.
constexpr const char* divisions = R"(
#define CASES(N, T) \
    case N: out[i] += (T)least / (T)by; break; \
    case N + 1: out[i] += (T)least % (T)by; break; \
    case N + 2: { T x = (T)least; x /= (T)by; out[i] += x; break; } \
    case N + 3: { T x = (T)least; x %= (T)by; out[i] += x; break; } \
    case N + 4: out[i] += ((T##4)(1, 2, (T)least, 4) / (T##4)(1, 2, (T)by, 4)).z; break; \
    case N + 5: out[i] += ((T##4)(1, (T)least, 3, 4) % (T##4)(1, (T)by, 3, 4)).y; break; \
    case N + 6: { T##4 x = (T)least; x /= (T)by; out[i] += x.w; break; } \
    case N + 7: { T##4 x = (T)least; x.xz %= (T##2)(1, (T)by); out[i] += x.z; break; }
__kernel void divides_in(__global long* out, int form, long least, long by) {
    size_t i = get_global_id(0);
    if (i != 5) return;
    switch (form) {
    CASES(0, char) CASES(8, uchar) CASES(16, short) CASES(24, ushort)
    CASES(32, int) CASES(40, uint) CASES(48, long) CASES(56, ulong)
    }
}
)";

struct Divided {
    long least;
    bool is_signed;
    bool is_promoted; ///< scalars are computed as int, so the least number of the type has a defined result
};
constexpr Divided divided[] = {{SCHAR_MIN, true, true}, {0, false, true},       {SHRT_MIN, true, true},
                               {0, false, true},        {INT_MIN, true, false}, {0, false, false},
                               {LONG_MIN, true, false}, {0, false, false}};
constexpr int forms_of_each = 8;

} // namespace

void kernel_reads_beyond(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "next"), {count, 1}, s.a, s.b);
    s.first.finish();
}

void kernel_writes_beyond(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "beyond"), {count, 1}, s.a);
    s.first.finish();
}

void kernel_writes_just_before(const ferry::Device& device) {
    Scene s(device);
    const ferry::Program program{device, ferry::Source::opencl_c(kernels_beside)};
    s.first.launch(program.kernel("just_before"), {count, 1}, s.a);
    s.first.finish();
}

void kernel_writes_just_beyond(const ferry::Device& device) {
    Scene s(device);
    const ferry::Program program{device, ferry::Source::opencl_c(kernels_beside)};
    s.first.launch(program.kernel("just_beyond"), {count, 1}, s.a);
    s.first.finish();
}

void kernel_faults_in_another_order(const ferry::Device& device) {
    Scene s(device);
    const ferry::Program program{device, ferry::Source::opencl_c(kernels_beside)};
    s.first.launch(program.kernel("in_one_order"), {10, 100}, s.a, s.b, ferry::local<Word>(100));
    s.first.finish();
}

void kernel_writes_to_const(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "casts"), {count, 1}, s.a);
    s.first.finish();
}

void missing_barrier(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "no_barrier"), {10, 100}, s.a, ferry::local<Word>(100));
    s.first.finish();
}

void missing_second_barrier(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "no_second_barrier"), {10, 100}, s.a);
    s.first.finish();
}

void groups_conflict(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "in_place"), {10, 100}, s.a);
    s.first.finish();
}

void local_memory_read_unwritten(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "unwritten_part"), {10, 100}, s.a);
    for (const Word word : s.first.read(s.a)) {
        if (word == 0xfff5fff5) {
            throw std::runtime_error("local memory was read that nobody had written: the result is poison");
        }
    }
}

void local_memory_overrun(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "local_beyond"), {10, 100}, s.a, ferry::local<Word>(100));
    s.first.finish();
}

void division_by_zero(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "divides"), {10, 100}, s.a, 0);
    s.first.finish();
}

void division_that_overflows(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "divides_the_least"), {1, 13}, s.a, INT_MIN);
    s.first.finish();
}

void division_of_each_form(const ferry::Device& device) {
    const ferry::Kernel divides =
        ferry::Program{device, ferry::Source::opencl_c(divisions)}.kernel("divides_in");
    ferry::Queue queue{device};
    ferry::Buffer<std::int64_t> out{device, 8};
    std::string last;
    for (int form = 0; form < static_cast<int>(std::size(divided)) * forms_of_each; ++form) {
        const Divided& type = divided[form / forms_of_each];
        const bool scalar = form % forms_of_each < 4;
        for (const std::int64_t by : {1, 0, -1}) {
            const bool wrong = by == 0 || (by == -1 && type.is_signed && !(scalar && type.is_promoted));
            queue.fill(out, std::int64_t{0});
            queue.launch(divides, {8, 1}, out, form, std::int64_t{type.least}, by);
            std::string report;
            try {
                queue.finish();
            } catch (const ferry::Error& error) {
                report = error.what();
            }
            const std::string wanted = !wrong    ? ""
                                       : by == 0 ? "divided an integer by zero at kernel.cl:"
                                                 : "divided the least integer by -1 at kernel.cl:";
            if (wrong == report.empty() || report.find(wanted) == std::string::npos) {
                throw std::runtime_error("division " + std::to_string(form) + " by " + std::to_string(by) +
                                         " was reported as: " + report);
            }
            last = wrong ? report : last;
        }
    }
    throw std::runtime_error("each division: " + last);
}

void division_in_a_host_function(const ferry::Device& device) {
    Scene s(device);
    const ferry::Program program{device, ferry::Source::host(host_kernels)};
    s.first.launch(program.kernel("divide"), {count, 1}, s.a, s.b, Word{0});
    s.first.finish();
}

} // namespace wrong
