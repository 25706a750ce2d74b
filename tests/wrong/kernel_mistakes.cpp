// SPDX-License-Identifier: Apache-2.0
#include "kernel_mistakes.hpp"

#include "scene.hpp"

#include <climits>
#include <stdexcept>

namespace wrong {
namespace {

void divide(const ferry::HostGroup& group, const Word* in, Word* out, Word by) {
    out[group.group.x] = in[group.group.x] / by;
}
constexpr ferry::HostKernel host_kernels[] = {ferry::host_kernel<divide>("divide")};

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

void division_in_a_host_function(const ferry::Device& device) {
    Scene s(device);
    const ferry::Program program{device, ferry::Source::host(host_kernels)};
    s.first.launch(program.kernel("divide"), {count, 1}, s.a, s.b, Word{0});
    s.first.finish();
}

} // namespace wrong
