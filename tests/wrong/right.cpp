// SPDX-License-Identifier: Apache-2.0
#include "wrong.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace wrong {
namespace {

constexpr std::size_t count = 1000;
constexpr std::size_t few = 10;
using Word = std::uint32_t;

const char* const text = R"(
__kernel void slow(__global const uint* in, __global uint* out) {
    uint v = in[get_global_id(0)];
    for (uint r = 0; r < 50000; ++r) v = (v ^ (v >> 7)) * 1664525u + 1013904223u;
    out[get_global_id(0)] = v;
}
)";

Word slow(Word v) {
    for (int r = 0; r < 50000; ++r) {
        v = (v ^ (v >> 7U)) * 1664525U + 1013904223U;
    }
    return v;
}

void expect(std::span<const Word> got, Word wanted) {
    if (!std::all_of(got.begin(), got.end(), [&](Word word) { return word == wanted; })) {
        throw std::runtime_error("the answer is wrong");
    }
}

/// The first queue brings what is slow to make to host memory.
struct Scene {
    explicit Scene(const ferry::Device& d)
        : device(d),
          words(count, 1),
          more(count, 2),
          first(d),
          second(d),
          third(d),
          a(d, count),
          b(d, count),
          apart(d, few),
          kernel(ferry::Program{d, ferry::Source::opencl_c(text)}.kernel("slow")) {
        first.copy_and_wait(words, a);
        second.copy_and_wait(std::span(words).first(few), apart);
        first.launch(kernel, {count, 1}, a, b);
    }
    void check(Word wanted) { expect(second.read(apart), wanted); }

    ferry::Device device;
    std::vector<Word> words, more; // copies to them may be in flight until the queues end
    ferry::Queue first, second, third;
    ferry::Buffer<Word> a, b, apart;
    ferry::Kernel kernel;
};

void source_waited_for(const ferry::Device& device) {
    Scene s(device);
    s.first.copy(s.b, s.more);
    s.second.wait(s.first.record());
    s.second.copy(std::span(s.more).last(few), s.apart);
    s.check(slow(1));
}

void source_waited_for_by_way_of_a_third_queue(const ferry::Device& device) {
    Scene s(device);
    s.first.copy(s.b, s.more);
    s.third.wait(s.first.record());
    s.second.wait(s.third.record());
    s.second.copy(std::span(s.more).last(few), s.apart);
    s.check(slow(1));
}

void source_waited_for_by_the_host(const ferry::Device& device) {
    Scene s(device);
    s.first.copy(s.b, s.more);
    s.first.finish();
    s.second.copy(std::span(s.more).last(few), s.apart);
    s.check(slow(1));
}

void source_of_the_same_queue(const ferry::Device& device) {
    Scene s(device);
    s.first.copy(s.b, s.more);
    s.first.copy(std::span(s.more).last(few), s.apart);
    s.first.finish();
    s.check(slow(1));
}

void source_that_a_launch_writes(const ferry::Device& device) {
    if (!device.info().host_memory) {
        return;
    }
    Scene s(device);
    ferry::Buffer<Word> shared{device, count, ferry::MemoryKind::host};
    std::fill_n(shared.span().data(), count, Word{3});
    s.first.launch(s.kernel, {count, 1}, s.b, shared);
    s.first.copy(shared.span().last(few), s.apart); // the same bytes, named by their address
    s.first.finish();
    s.check(slow(slow(1)));
}

void source_beside_what_is_to_come(const ferry::Device& device) {
    Scene s(device);
    s.first.copy(s.b.first(count - few), std::span(s.more).first(count - few));
    s.second.copy(std::span(s.more).last(few), s.apart);
    s.check(2);
    s.first.finish();
    expect(std::span(s.more).first(count - few), slow(1));
}

void destination_waited_for(const ferry::Device& device) {
    Scene s(device);
    s.first.copy(s.more, s.a);
    s.second.wait(s.first.record());
    s.second.copy(s.apart, std::span(s.more).last(few));
    s.second.finish();
    expect(s.first.read(s.a), 2);
    expect(std::span(s.more).last(few), 1);
}

void source_read_by_two_queues(const ferry::Device& device) {
    Scene s(device);
    s.first.copy(s.more, s.a);
    s.second.copy(std::span(s.more).last(few), s.apart);
    s.check(2);
    expect(s.first.read(s.a), 2);
}

} // namespace

const std::vector<Right>& right_programs() {
    static const std::vector<Right> list{
        {"source_waited_for", source_waited_for},
        {"source_waited_for_by_way_of_a_third_queue", source_waited_for_by_way_of_a_third_queue},
        {"source_waited_for_by_the_host", source_waited_for_by_the_host},
        {"source_of_the_same_queue", source_of_the_same_queue},
        {"source_that_a_launch_writes", source_that_a_launch_writes},
        {"source_beside_what_is_to_come", source_beside_what_is_to_come},
        {"source_read_by_two_queues", source_read_by_two_queues},
        {"destination_waited_for", destination_waited_for},
    };
    return list;
}

} // namespace wrong
