// SPDX-License-Identifier: Apache-2.0
#include "unwritten_mistakes.hpp"

#include "scene.hpp"

#include <algorithm>
#include <stdexcept>

namespace wrong {
namespace {

constexpr const char* kernels = R"(
__kernel void doubles(__global const float* in, __global float* out) {
    out[get_global_id(0)] = 2 * in[get_global_id(0)];
}
__kernel void copies(__global const uint* in, __global uint* out) {
    out[get_global_id(0)] = in[get_global_id(0)];
}
__kernel void doubles_words(__global const uint* in, __global uint* out) {
    out[get_global_id(0)] = 2 * in[get_global_id(0)];
}
__kernel void counts(__global const uint* in, __global uint* counters) {
    atomic_inc(&counters[in[get_global_id(0)] & 7]);
}
__kernel void takes_places(__global uint* next, __global uint* out) {
    out[atomic_inc(next)] = get_global_id(0);
}
__kernel void scatters(__global const int* to, __global uint* out) {
    if (to[get_global_id(0)] >= 0) out[to[get_global_id(0)]] = get_global_id(0);
}
__kernel void even_ones(__global uint* out) { out[2 * get_global_id(0)] = get_global_id(0); }
__kernel void adds_to_even_ones(__global uint* out) {
    for (uint i = 2 * get_global_id(0); i < 2 * get_global_id(0) + 2; ++i)
        out[i] = i % 2 == 0 ? out[i] + 1 : out[i];
}
typedef struct { uchar tag; uint8 wide; ushort last; } padded;
__kernel void make_padded(__global padded* out) {
    uint i = get_global_id(0);
    out[i].tag = (uchar)i;
    out[i].wide = (uint8)(i);
    out[i].last = (ushort)(3 * i);
}
__kernel void move_padded(__global const padded* in, __global padded* out, uint n) {
    out[n - 1 - get_global_id(0)] = in[get_global_id(0)];
}
__kernel void move_words(__global const uint* in, __global uint* out) {
    out[get_global_id(0)] = in[get_global_id(0)];
}
__kernel void use_padded(__global const padded* in, __global uint* out) {
    padded one = in[get_global_id(0)];
    out[get_global_id(0)] = one.tag + one.wide.s7 + one.last;
}
)";

// Separate, because the checking device is more careful with texts that have such vectors.
constexpr const char* vector_kernels = R"(
__kernel void make_vectors(__global float3* out) {
    uint i = get_global_id(0);
    out[i].x = i; out[i].y = 2 * i; out[i].z = 3 * i;
}
__kernel void compute_vectors(__global const float3* in, __global float3* out) {
    uint i = get_global_id(0);
    out[i] = in[i] * 2.0f + sqrt(in[i]);
    out[i] = out[i] - sqrt(in[i]);
}
__kernel void use_vectors(__global const float3* in, __global uint* out) {
    uint i = get_global_id(0);
    out[i] = (uint)(in[i].x + in[i].y + in[i].z + 0.5f);
}
)";

struct Unwritten : Scene {
    explicit Unwritten(const ferry::Device& d, const char* text = kernels)
        : Scene(d), program(d, ferry::Source::opencl_c(text)) {}
    template <class... Arguments>
    void launch(const char* name, const ferry::Grid& grid, const Arguments&... arguments) {
        first.launch(program.kernel(name), grid, arguments...);
    }
    ferry::Program program;
};

void expect_each(const std::vector<Word>& got, Word factor, Word modulus) {
    for (Word i = 0; i < got.size(); ++i) {
        if (got[i] != factor * i + i % modulus) {
            throw std::runtime_error("the answer is wrong");
        }
    }
}

void unwritten_buffer_used(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<float> in{device, count};
    ferry::Buffer<float> out{device, count};
    s.launch("doubles", {10, 100}, in, out);
    s.first.finish();
}

void unwritten_buffer_copied(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<Word> in{device, count};
    s.launch("copies", {10, 100}, in, s.a);
    s.first.finish();
}

void unwritten_element_used(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<float> in{device, count};
    ferry::Buffer<float> out{device, count};
    s.first.fill(in.first(777), 1.0F);
    s.first.fill(in.last(count - 778), 1.0F);
    s.launch("doubles", {10, 100}, in, out);
    s.first.finish();
}

void unwritten_copy_used(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<Word> in{device, count};
    ferry::Buffer<Word> copy{device, count};
    s.first.fill(in.first(500), 1);
    s.first.fill(in.last(490), 1);
    s.launch("copies", {10, 100}, in, s.a); // ten words may be padding
    s.first.copy(s.a, copy);
    s.launch("doubles_words", {10, 100}, copy, s.b);
    s.first.finish();
}

void unwritten_counters_used(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<Word> counters{device, 8};
    s.launch("counts", {10, 100}, s.a, counters);
    s.first.finish();
}

void unwritten_index_used(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<int> to{device, count};
    s.first.fill(to.first(999), -1);
    s.launch("scatters", {1000, 1}, to, s.a);
    s.first.finish();
}

// The host writes without a command.
void unwritten_host_memory_used(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<float> in{device, count, ferry::MemoryKind::host};
    ferry::Buffer<float> out{device, count};
    std::fill_n(in.span().data(), 700, 1.0F);
    std::fill_n(in.span().data() + 702, count - 702, 1.0F);
    s.launch("doubles", {10, 100}, in, out);
    s.first.finish();
}

void unwritten_host_memory_copied(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<Word> in{device, count, ferry::MemoryKind::host};
    ferry::Buffer<Word> copy{device, count};
    std::fill_n(in.span().data(), 500, Word{1});
    std::fill_n(in.span().data() + 510, count - 510, Word{1});
    s.first.copy(in, copy);
    s.launch("doubles_words", {10, 100}, copy, s.b);
    s.first.finish();
}

} // namespace

// The host's values have the bytes of NaNs and of the device's patterns, and some elements are never used.
void host_memory_written_by_the_host(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<Word> padded{device, 4 * count, ferry::MemoryKind::host}; // three of four words are padding
    ferry::Buffer<Word> copy{device, 4 * count};
    for (Word i = 0; i < count; ++i) {
        padded.span()[4 * i] = i;
    }
    ferry::Buffer<Word> in{device, count, ferry::MemoryKind::host};
    ferry::Buffer<Word> out{device, count, ferry::MemoryKind::host};
    for (const Word value : {0xffffffffU, 0xfff5fff5U, 0x7fc00000U, 0xffc01234U, 0U}) {
        std::fill_n(in.span().data(), count, value);
        s.launch("copies", {5, 100}, in.first(500), out.first(500)); // the second half stays as it is
        s.launch("doubles_words", {5, 100}, out.first(500), s.a.first(500));
        s.launch("move_words", {4 * 10, 100}, padded, copy);
        const std::vector<Word> got = s.first.read(s.a.first(500));
        for (Word i = 0; i < 500; ++i) {
            if (got[i] != 2 * value || out.span()[i] != value) {
                throw std::runtime_error("the answer is wrong");
            }
        }
    }
    const std::vector<Word> moved = s.first.read(copy);
    for (Word i = 0; i < count; ++i) {
        if (moved[4 * i] != i) {
            throw std::runtime_error("the answer is wrong");
        }
    }
}

// A member of some of the objects equals the pattern of unwritten memory by chance.
void largest_padding_copied(const ferry::Device& device) {
    Unwritten s(device);
    constexpr std::size_t words = 64; // of one object: a char with 255 bytes of padding
    constexpr std::size_t objects = 2000;
    ferry::Buffer<Word> in{device, words * objects, ferry::MemoryKind::host};
    ferry::Buffer<Word> out{device, words * objects};
    for (std::size_t i = 0; i < objects; ++i) {
        reinterpret_cast<unsigned char&>(in.span()[words * i]) = static_cast<unsigned char>(i % 251);
    }
    s.launch("move_words", {words * objects / 100, 100}, in, out);
    const std::vector<Word> moved = s.first.read(out);
    for (std::size_t i = 0; i < objects; ++i) {
        if (reinterpret_cast<const unsigned char&>(moved[words * i]) != i % 251) {
            throw std::runtime_error("the answer is wrong");
        }
    }
}

// The kernels write members one by one and copy whole objects: as objects, in words, and by a copy command.
void padding_copied_by_kernels(const ferry::Device& device) {
    Unwritten s(device);
    constexpr std::size_t words = 24; // of one object
    ferry::Buffer<Word> one{device, words * count};
    ferry::Buffer<Word> two{device, words * count};
    s.launch("make_padded", {10, 100}, one);
    s.launch("move_padded", {10, 100}, one, two, Word{count});
    s.launch("move_words", {10 * words, 100}, two, one);
    s.first.copy(one, two);
    s.launch("move_padded", {10, 100}, two, one, Word{count});
    s.launch("use_padded", {10, 100}, one, s.a);
    expect_each(s.first.read(s.a), 4, 256);
}

void padded_vectors_computed(const ferry::Device& device) {
    Unwritten s(device, vector_kernels);
    ferry::Buffer<float> one{device, 4 * count};
    ferry::Buffer<float> two{device, 4 * count};
    s.launch("make_vectors", {10, 100}, one);
    s.launch("compute_vectors", {10, 100}, one, two);
    s.launch("use_vectors", {10, 100}, two, s.a);
    expect_each(s.first.read(s.a), 12, 1);
}

// Parts that no kernel computes with, and parts that one kernel writes after another.
void unwritten_bytes_left_alone(const ferry::Device& device) {
    Unwritten s(device);
    ferry::Buffer<Word> data{device, count};
    ferry::Buffer<Word> next{device, 1};
    ferry::Buffer<Word> places{device, count};
    for (int round = 0; round < 2; ++round) {
        s.launch("even_ones", {5, 100}, data);
        s.launch("adds_to_even_ones", {5, 100}, data);
        s.first.fill(next, 0);
        s.launch("takes_places", {5, 100}, next, places);
    }
    s.launch("even_ones", {5, 100}, data);
    s.launch("counts", {5, 100}, places.first(500), s.a);
    std::vector<Word> got = s.first.read(data);
    for (Word i = 0; i < count; i += 2) {
        if (got[i] != i / 2) {
            throw std::runtime_error("the answer is wrong");
        }
    }
}

std::vector<Program> unwritten_programs() {
    return {
        {"unwritten_buffer_used",
         "a kernel computes with a buffer that nothing has written",
         unwritten_buffer_used,
         {},
         {"launch of kernel 'doubles'", "The kernel uses byte ", "of device buffer #", "of 4000 bytes",
          "which no command has written", "depends on it, in the work-group ("},
         {}},
        {"unwritten_buffer_copied",
         "a kernel copies a buffer that nothing has written",
         unwritten_buffer_copied,
         {},
         {"launch of kernel 'copies'", "The kernel uses byte 0 of device buffer #", "of 4000 bytes",
          "which no command has written: byte 0 of device buffer #"},
         {}},
        {"unwritten_element_used",
         "a kernel computes with all elements of a buffer, and one of them was never written",
         unwritten_element_used,
         {},
         {"launch of kernel 'doubles'", "The kernel uses byte 31", "of 4000 bytes",
          "which no command has written: byte 31", "in the work-group (7, 0, 0)"},
         {}},
        {"unwritten_copy_used",
         "a kernel computes with copies of bytes that nothing has written",
         unwritten_copy_used,
         {},
         {"launch of kernel 'doubles_words'", "The kernel uses byte 20", "of 4000 bytes",
          "which no command has written: byte 20", "in the work-group (5, 0, 0)"},
         {}},
        {"unwritten_counters_used",
         "a kernel counts with atomic operations in a buffer that nothing has set to zero",
         unwritten_counters_used,
         {},
         {"launch of kernel 'counts'", "The kernel uses byte ", "of device buffer #", "of 32 bytes",
          "which no command has written"},
         {}},
        {"unwritten_index_used",
         "a kernel takes the place that it writes to from a buffer, and the last one was never written",
         unwritten_index_used,
         {},
         {"launch of kernel 'scatters'", "The kernel uses byte 399", "of 4000 bytes",
          "which no command has written: with another value there it wrote to",
          "in the work-group (999, 0, 0)"},
         {}},
        {"unwritten_host_memory_used",
         "a kernel computes with page-locked memory of which the host has left eight bytes unwritten",
         unwritten_host_memory_used,
         {},
         {"launch of kernel 'doubles'", "The kernel uses byte 280", "of host buffer #", "of 4000 bytes",
          "which no command has written: byte 280", "in the work-group (7, 0, 0)"},
         {}},
        {"unwritten_host_memory_copied",
         "a kernel computes with a copy of page-locked memory of which the host has left ten words unwritten",
         unwritten_host_memory_copied,
         {},
         {"launch of kernel 'doubles_words'", "The kernel uses byte 20", "of device buffer #",
          "which no command has written: byte 20", "in the work-group (5, 0, 0)"},
         {}},
    };
}

} // namespace wrong
