// SPDX-License-Identifier: Apache-2.0
#include "unwritten_mistakes.hpp"
#include "wrong.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

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
__kernel void without_const(__global uint* in, __global uint* out) {
    out[get_global_id(0)] = in[get_global_id(0)] + 1;
}
__kernel void with_barriers(__global uint* data, __local uint* part) {
    uint l = get_local_id(0), n = get_local_size(0);
    for (uint step = 1; step < n; step *= 2) {
        part[l] = data[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        data[get_global_id(0)] = part[l] + part[(l + step) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
__kernel void in_any_order(__global uint* data) {
    data[1 + atomic_add(data, 1) % 999] = get_global_id(0);
}
__kernel void divides_with_care(__global uint* data, int zero, __local int* part) {
    int i = get_global_id(0), l = get_local_id(0), first = 7;
    part[l] = zero != 0 ? 100 / zero : 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 3; n >= zero && part[99 - l] > 0; --n) {
        if (zero != 0) first = i / zero;
        if (n != 0 && i % n == 0) first += i / n;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (zero != 0 && i < 100 / zero) return;
    data[i] = first;
}
__kernel void own_address(__global uint* data) {
    uint i = get_global_id(0);
    data[i] = (uint)((size_t)(data + i) >> 2);
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

/// The first queue runs a slow kernel. The programs copy its result to host memory.
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
          program(d, ferry::Source::opencl_c(text)),
          kernel(program.kernel("slow")) {
        first.copy_and_wait(words, a);
        second.copy_and_wait(std::span(words).first(few), apart);
        first.launch(kernel, {count, 1}, a, b);
    }
    void check(Word wanted) { expect(second.read(apart), wanted); }

    ferry::Device device;
    std::vector<Word> words, more; // copies to them may be in flight until the queues end
    ferry::Queue first, second, third;
    ferry::Buffer<Word> a, b, apart;
    ferry::Program program;
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
    s.first.copy(shared.span().last(few), s.apart); // the same bytes, given by their address
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

/// Both launches only read their arguments, although the kernel's parameters are not const.
void read_by_two_queues_without_const(const ferry::Device& device) {
    Scene s(device);
    const ferry::Kernel kernel = s.program.kernel("without_const");
    const auto shared = ferry::share(device, s.more, ferry::Access::device_reads);
    const ferry::View<const Word> view = s.a;
    ferry::Buffer<Word> c{device, count}, d{device, count};
    s.first.finish(); // waits for the scene's writes
    s.first.launch(kernel, {count, 1}, shared, c);
    s.second.launch(kernel, {count, 1}, shared, d);
    expect(s.first.read(c), 3);
    expect(s.second.read(d), 3);
    s.first.launch(kernel, {count, 1}, view, c);
    s.second.launch(kernel, {count, 1}, view, d);
    expect(s.first.read(c), 2);
    expect(s.second.read(d), 2);
}

/// Copies of shared memory with the newest bytes, and of a guard's memory.
void shared_copied_beside_the_share(const ferry::Device& device) {
    Scene s(device);
    const auto shared = ferry::share(device, s.more, ferry::Access::device_updates);
    s.second.copy(std::span(s.more).last(few), s.apart);
    s.check(2);
    s.first.launch(s.program.kernel("without_const"), {count, 1}, shared, shared);
    {
        const auto guard = shared.host(s.first, ferry::HostAccess::read_write);
        s.second.copy(guard.span().last(few), s.apart);
        s.check(3);
        s.second.fill(s.apart, 9);
        s.second.copy(s.apart, guard.span().first(few));
        s.second.finish();
    }
    s.first.launch(s.program.kernel("without_const"), {count, 1}, shared, shared);
    const auto guard = shared.host(s.first);
    expect(guard.span().first(few), 10);
    expect(guard.span().subspan(few), 4);
}

/// The host writes next to the shared memory, and in parts of it under guards. At the end it has all of the
/// memory back.
void shared_by_pages(const ferry::Device& device) {
    constexpr std::size_t many = 40'000; // dozens of pages, and an end within one
    Scene s(device);
    std::vector<Word> words(3 * many, 1);
    const std::span<Word> mine = std::span(words).subspan(many, many);
    const ferry::Kernel adds = s.program.kernel("without_const");
    {
        auto shared = ferry::share(device, mine, ferry::Access::device_updates);
        for (Word turn = 1; turn <= 3; ++turn) {
            s.first.launch(adds, ferry::Grid{many / 100, 100}, shared, shared);
            s.first.finish();
            std::fill_n(words.begin(), many, turn);
            std::fill_n(words.begin() + 2 * many, many, turn);
            const auto part = shared.host_part(s.first, ferry::HostAccess::read_write, many / 2, 5000);
            expect(part.span(), turn + 1);
        }
        // Launches one after the other, and one of them on a part.
        s.second.launch(adds, ferry::Grid{many / 100, 100}, shared, shared);
        s.second.launch(adds, ferry::Grid{many / 200, 100}, shared.part(0, many / 2),
                        shared.part(0, many / 2));
        s.second.finish();
        const auto overwritten = shared.host_part(s.first, ferry::HostAccess::write, many - 100, 100);
        std::fill(overwritten.begin(), overwritten.end(), Word{77});
    }
    expect(mine.first(many / 2), 6);
    expect(mine.subspan(many / 2, many / 2 - 100), 5);
    expect(mine.last(100), 77);
    expect(std::span(words).first(many), 3);
    expect(std::span(words).last(many), 3);
}

/// Memory of many mappings. Another thread imports it while the rights of its pages change.
void shared_and_imported(const ferry::Device& device) {
    constexpr std::size_t bytes = std::size_t{64} * 4096;
    constexpr std::size_t many = bytes / sizeof(Word);
    Scene s(device);
    const ferry::Kernel adds = s.program.kernel("without_const");
    void* const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const std::span<Word> words(static_cast<Word*>(made), many);
    std::fill(words.begin(), words.end(), Word{1});
    for (std::size_t at = 0; at < bytes; at += std::size_t{2} * 4096) { // a mapping for each page
        madvise(static_cast<char*>(made) + at, 4096, MADV_DONTDUMP);
    }
    constexpr Word turns = 30;
    {
        auto shared = ferry::share(device, words, ferry::Access::device_updates);
        std::exception_ptr refused;
        std::jthread imports([&](const std::stop_token& over) {
            try {
                while (!over.stop_requested()) {
                    const ferry::Imported<Word> imported{device, words};
                }
            } catch (const ferry::Error& error) { // this device has no imports
                refused = error.code() == ferry::Code::unsupported ? nullptr : std::current_exception();
            }
        });
        bool right = true;
        for (Word turn = 1; turn <= turns; ++turn) {
            s.first.launch(adds, ferry::Grid{many / 64, 64}, shared, shared);
            s.first.finish();
            const auto part =
                shared.host_part(s.first, ferry::HostAccess::read, std::size_t{1000} * turn, 1000);
            right = right && part[0] == turn + 1 && part[999] == turn + 1;
        }
        imports.request_stop();
        imports.join();
        if (refused != nullptr) {
            std::rethrow_exception(refused);
        }
        if (!right) {
            throw std::runtime_error("a guard has old bytes");
        }
    }
    expect(words, turns + 1);
    munmap(made, bytes);
}

/// Reads after the destruction of all of Ferry's static objects, through a share that was never ended.
struct ReadAtExit {
    std::vector<Word> words;
    ~ReadAtExit() {
        if (!words.empty() && std::any_of(words.begin(), words.end(), [](Word word) { return word == 0; })) {
            std::_Exit(1);
        }
    }
} read_at_exit; // NOLINT(cert-err58-cpp)

void shared_to_the_end_of_the_process(const ferry::Device& device) {
    Scene s(device);
    read_at_exit.words.assign(20'000, 1);
    static const auto* const shared =
        new ferry::Shared<Word>(ferry::share(device, read_at_exit.words, ferry::Access::device_updates));
    s.first.launch(s.program.kernel("without_const"), ferry::Grid{200, 100}, *shared, *shared);
    s.first.finish();
}

void work_items_with_barriers(const ferry::Device& device) {
    constexpr std::size_t group = 100;
    Scene s(device);
    std::vector<Word> wanted(count);
    std::iota(wanted.begin(), wanted.end(), Word{7});
    s.first.copy_and_wait(wanted, s.b);
    s.first.launch(s.program.kernel("with_barriers"), {count / group, group}, s.b, ferry::local<Word>(group));
    for (std::size_t step = 1; step < group; step *= 2) {
        const std::vector<Word> before = wanted;
        for (std::size_t i = 0; i < count; ++i) {
            wanted[i] += before[i / group * group + (i + step) % group];
        }
    }
    const std::vector<Word> got = s.first.read(s.b);
    if (got != wanted) {
        throw std::runtime_error("the answer is wrong");
    }
}

/// Each work-item takes a place by an atomic operation. The order is undefined and need not be known.
void work_items_in_any_order(const ferry::Device& device) {
    Scene s(device);
    s.first.fill(s.b, 0);
    s.first.launch(s.program.kernel("in_any_order"), {9, 111}, s.b);
    std::vector<Word> got = s.first.read(s.b);
    std::sort(got.begin() + 1, got.end());
    for (std::size_t i = 1; i < count; ++i) {
        if (got[0] != count - 1 || got[i] != i - 1) {
            throw std::runtime_error("the answer is wrong");
        }
    }
}

/// Values that differ from run to run, but not because of the order.
void addresses_of_elements(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(s.program.kernel("own_address"), {10, 100}, s.b);
    const std::vector<Word> got = s.first.read(s.b);
    for (std::size_t i = 0; i < count; ++i) {
        if (got[i] - got[0] != i) {
            throw std::runtime_error("the answer is wrong");
        }
    }
}

/// Padding need not be written. A mapping that keeps the contents need not be written either. Poison may be
/// written.
void discarding_mapping_of_padded_elements(const ferry::Device& device) {
    struct Padded {
        alignas(16) float x; // 12 bytes of padding follow
    };
    struct MorePadded {
        alignas(ferry::max_element_alignment) char first; // followed by the largest possible padding
        alignas(ferry::max_element_alignment) char second;
    };
    struct Short {
        char first; // 7 bytes of padding follow
        double second;
    };
    Scene s(device);
    ferry::Buffer<Padded> padded{device, count};
    ferry::Buffer<MorePadded> more{device, few};
    ferry::Buffer<Short> shorts{device, few};
    {
        auto mapping = padded.map(s.first, ferry::Map::discard);
        for (Padded& one : mapping) {
            one.x = 3;
        }
    }
    for (int turn = 0; turn < 40; ++turn) { // Some of the bytes equal the poison by chance.
        for (MorePadded& one : more.map(s.first, ferry::Map::discard)) {
            one.first = 1;
            one.second = 2;
        }
        for (Short& one : shorts.map(s.first, ferry::Map::discard)) {
            one.first = 3;
            one.second = 4;
        }
    }
    {
        auto mapping = s.a.map(s.first, ferry::Map::discard);
        std::fill(mapping.begin(), mapping.end(), Word{0xffffffff});
    }
    {
        auto mapping = s.a.map(s.first, ferry::Map::discard);
        std::fill(mapping.begin(), mapping.end(), Word{0xfff5fff5});
    }
    {
        auto mapping = s.a.map(s.first, ferry::Map::write);
        mapping[0] = Word{0xfff5fff5};
    }
    s.first.finish();
    expect(s.first.read(s.a), 0xfff5fff5);
    for (const Padded& one : s.first.read(padded)) {
        if (one.x != 3) {
            throw std::runtime_error("the answer is wrong");
        }
    }
}

/// Only divisions of the text are executed.
void divisions_with_care(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(s.program.kernel("divides_with_care"), {10, 100}, s.b, 0, ferry::local<int>(100));
    const std::vector<Word> got = s.first.read(s.b);
    for (Word i = 0; i < count; ++i) {
        Word wanted = 7;
        for (Word n = 1; n <= 3; ++n) {
            wanted += i % n == 0 ? i / n : 0;
        }
        if (got[i] != wanted) {
            throw std::runtime_error("the answer is wrong");
        }
    }
}

} // namespace

const std::vector<Right>& right_programs() {
    static const std::vector<Right> list{
        {"source_waited_for", source_waited_for},
        {"source_waited_for_by_way_of_a_third_queue", source_waited_for_by_way_of_a_third_queue},
        {"source_waited_for_by_the_host", source_waited_for_by_the_host},
        {"source_of_the_same_queue", source_of_the_same_queue},
        {"source_that_a_launch_writes", source_that_a_launch_writes},
        {"shared_by_pages", shared_by_pages},
        {"shared_and_imported", shared_and_imported},
        {"shared_to_the_end_of_the_process", shared_to_the_end_of_the_process},
        {"work_items_with_barriers", work_items_with_barriers},
        {"work_items_in_any_order", work_items_in_any_order},
        {"discarding_mapping_of_padded_elements", discarding_mapping_of_padded_elements},
        {"padding_copied_by_kernels", padding_copied_by_kernels},
        {"largest_padding_copied", largest_padding_copied},
        {"padded_vectors_computed", padded_vectors_computed},
        {"unwritten_bytes_left_alone", unwritten_bytes_left_alone},
        {"host_memory_written_by_the_host", host_memory_written_by_the_host},
        {"divisions_with_care", divisions_with_care},
        {"addresses_of_elements", addresses_of_elements},
        {"source_beside_what_is_to_come", source_beside_what_is_to_come},
        {"source_read_by_two_queues", source_read_by_two_queues},
        {"destination_waited_for", destination_waited_for},
        {"read_by_two_queues_without_const", read_by_two_queues_without_const},
        {"shared_copied_beside_the_share", shared_copied_beside_the_share},
    };
    return list;
}

} // namespace wrong
