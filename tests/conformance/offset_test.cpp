// SPDX-License-Identifier: Apache-2.0
// Launches that begin at an offset.
#include "check.hpp"
#include "devices.hpp"
#include "embedded.cl.hpp"
#include "kernels.hpp"
#include "moved.cl.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace offset_test {

using namespace conformance;
using ferry::Code;
using ferry::Dim3;
using ferry::Grid;

namespace {

using Words = std::vector<std::uint32_t>;
using Places = std::vector<std::uint64_t>;

/// moved.cl, compiled into this program.
const ferry::EmbeddedKernels& text = kernels::moved_cl;
constexpr std::size_t place_words = 10;

std::array<std::size_t, 3> numbers(const Dim3& d) {
    return {d.x, d.y, d.z};
}

/// The values that `places` writes for all work-items.
Places places_of(const Grid& grid) {
    const auto groups = numbers(grid.groups);
    const auto local = numbers(grid.local);
    const auto offset = numbers(grid.offset);
    std::array<std::size_t, 3> size{};
    std::uint64_t dimensions = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        size[d] = groups[d] * local[d];
        dimensions = size[d] > 1 || offset[d] != 0 ? d + 1 : dimensions;
    }
    Places places;
    for (std::size_t n = 0; n < size[0] * size[1] * size[2]; ++n) {
        const std::array<std::size_t, 3> at{n % size[0], n / size[0] % size[1], n / size[0] / size[1]};
        for (int twice = 0; twice < 2; ++twice) {
            for (std::size_t d = 0; d < 3; ++d) {
                places.push_back(offset[d] + at[d]);
            }
        }
        places.insert(places.end(), {offset[0], offset[1], offset[2], dimensions});
    }
    return places;
}

Dim3 random_offset(std::size_t dimensions, std::size_t below) {
    return {random_below(below), dimensions > 1 ? random_below(below) : 0,
            dimensions > 2 ? random_below(below) : 0};
}

/// The result of turned_groups for the values [first, first + in.size()), in groups of `local`.
Words turned(const Words& in, std::size_t first, std::size_t local) {
    Words out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t group = i / local * local;
        const auto id = static_cast<std::uint32_t>(first + i);
        out[i] = in[group + local - 1 - i % local] * 3 + id;
    }
    return out;
}

std::uint32_t stirred(std::uint32_t value, std::size_t i) {
    return stir_result(value, static_cast<std::uint32_t>(i), 7);
}

/// A buffer of random values, with a copy of them.
struct Data {
    Data(const ferry::Device& device, ferry::Queue& queue, std::size_t size)
        : values(random_values<std::uint32_t>(size)), buffer(device, size) {
        queue.copy_and_wait(values, buffer);
    }
    Words values;
    ferry::Buffer<std::uint32_t> buffer;
};

/// Whether the driver treats offsets as signed 32-bit numbers. Larger ids are right.
bool has_short_offsets(const ferry::Device& device) {
    return device.info().platform == "NVIDIA CUDA";
}

/// Whether the variants of the test kernels have one in a language of the device's backend.
bool has_native_code(const ferry::Device& device) {
    return device.backend() != ferry::Backend::opencl && device.backend() != ferry::Backend::vulkan;
}

} // namespace

FERRY_TEST("offset: ids in one, two and three dimensions, asked for in the kernel and in functions") {
    const ferry::Program program{device, text};
    INFO("explain(): ", program.explain());
    const ferry::Kernel places = program.kernel("places");
    CHECK(places.parameters().size() == 1);
    if (device.backend() == ferry::Backend::host) {
        const bool from_text =
            // the strict device runs the text in two orders
            matches(device, ", strict") && device.info().compiles;
        CHECK(program.language() == (from_text ? ferry::Language::opencl_c : ferry::Language::host));
    }
    ferry::Queue queue{device};
    std::vector<Grid> grids{{5, 3, {1, 0, 0}}, {{3, 2}, {4, 5}, {0, 1, 0}}, {{2, 1, 3}, {3, 2, 2}, {0, 0, 1}},
                            {7, 3, {0, 2, 0}}, {{2, 2}, 3, {0, 0, 9}},      {{2, 3, 2}, {2, 2, 2}}};
    for (std::size_t dimensions = 1; dimensions <= 3; ++dimensions) {
        for (int round = 0; round < 3; ++round) {
            Grid grid{{1 + random_below(5)}, {1 + random_below(7)}};
            grid.groups.y = dimensions > 1 ? 1 + random_below(4) : 1;
            grid.local.y = dimensions > 1 ? 1 + random_below(3) : 1;
            grid.groups.z = dimensions > 2 ? 1 + random_below(3) : 1;
            grid.local.z = dimensions > 2 ? 1 + random_below(3) : 1;
            grid.offset = random_offset(dimensions, std::size_t{1} << (8 + 11 * round));
            grids.push_back(grid);
        }
    }
    if (device.backend() != ferry::Backend::host && !has_short_offsets(device)) {
        const std::size_t far = std::size_t{1} << 40;
        grids.push_back({{2, 2}, {3, 2}, {far + random_below(far), random_below(far), far}});
    }
    for (const Grid& grid : grids) {
        INFO("offset ", grid.offset.x, ", ", grid.offset.y, ", ", grid.offset.z);
        const Places wanted = places_of(grid);
        ferry::Buffer<std::uint64_t> out{device, wanted.size() + place_words};
        queue.fill(out, std::uint64_t{0xa5a5a5a5a5a5a5a5U});
        queue.launch(places, grid, out);
        Places all = wanted;
        all.insert(all.end(), place_words, 0xa5a5a5a5a5a5a5a5U);
        check_same(queue.read(out), all);
    }
}

FERRY_TEST("offset: only a part of a buffer is written") {
    const ferry::Program program{device, text};
    const ferry::Kernel stir = program.kernel("stir_part");
    const ferry::Kernel image = program.kernel("stir_image");
    ferry::Queue queue{device};
    for (const std::size_t size : {65U, 1009U, 4095U}) {
        Data data{device, queue, size};
        const std::size_t first = random_below(size);
        // the kernel's guard skips the other elements
        const std::size_t end = first + 1 + random_below(size - first);
        Grid grid = Grid::covering(end - first, 32);
        grid.offset.x = first;
        queue.launch(stir, grid, data.buffer, static_cast<std::uint32_t>(end));
        for (std::size_t i = first; i < end; ++i) {
            data.values[i] = stirred(data.values[i], i);
        }
        INFO(first, " to ", end, " of ", size);
        check_same(queue.read(data.buffer), data.values);
    }
    const std::size_t width = 61;
    const std::size_t height = 37;
    Data data{device, queue, width * height};
    const Dim3 from{random_below(width), random_below(height)};
    const Dim3 to{from.x + 1 + random_below(width - from.x), from.y + 1 + random_below(height - from.y)};
    Grid grid = Grid::covering({to.x - from.x, to.y - from.y}, {8, 4});
    grid.offset = {from.x, from.y, 0};
    queue.launch(image, grid, data.buffer, static_cast<std::uint32_t>(width),
                 static_cast<std::uint32_t>(to.x), static_cast<std::uint32_t>(to.y));
    for (std::size_t i = 0; i < data.values.size(); ++i) {
        const bool inside =
            i % width >= from.x && i % width < to.x && i / width >= from.y && i / width < to.y;
        data.values[i] = inside ? stirred(data.values[i], i) : data.values[i];
    }
    INFO(from.x, ", ", from.y, " to ", to.x, ", ", to.y);
    check_same(queue.read(data.buffer), data.values);
}

FERRY_TEST("offset: with local memory of both kinds, and barriers") {
    const ferry::Program program{device, text};
    const ferry::Kernel turn = program.kernel("turned_groups");
    CHECK(turn.parameters().size() == 3);
    ferry::Queue queue{device};
    for (const std::size_t local : {1U, 7U, 32U}) {
        const std::size_t size = local * (1 + random_below(20));
        const std::size_t first = random_below(100'000);
        const Data in{device, queue, size};
        ferry::Buffer<std::uint32_t> out{device, size};
        queue.fill(out, 0xa5a5a5a5U);
        queue.launch(turn, {size / local, local, {first, 0, 0}}, in.buffer, out,
                     ferry::local<std::uint32_t>(local));
        INFO(size, " in groups of ", local, " from ", first);
        check_same(queue.read(out), turned(in.values, first, local));
    }
}

FERRY_TEST("offset: two queues, each with its own at the same time") {
    const ferry::Program program{device, text};
    const ferry::Kernel stir = program.kernel("stir_part");
    ferry::Queue one{device};
    ferry::Queue other{device};
    constexpr std::size_t half = 2048;
    Data low{device, one, 2 * half};
    Data high{device, other, 2 * half};
    const auto size = static_cast<std::uint32_t>(2 * half);
    for (int round = 0; round < 10; ++round) {
        const std::size_t part = 1 + random_below(16);
        for (std::size_t i = 0; i < half; i += half / 16 * part) {
            const Grid grid{std::min(part * 2, (half - i) / 64), 64, {i, 0, 0}};
            Grid above = grid;
            above.offset.x = half + i;
            one.launch(stir, grid, low.buffer, size);
            other.launch(stir, above, high.buffer, size);
            for (std::size_t n = 0; n < grid.groups.x * 64; ++n) {
                low.values[i + n] = stirred(low.values[i + n], i + n);
                high.values[half + i + n] = stirred(high.values[half + i + n], half + i + n);
            }
        }
    }
    check_same(one.read(low.buffer), low.values);
    check_same(other.read(high.buffer), high.values);
}

FERRY_TEST("offset: recorded launches keep theirs, and take another") {
    const ferry::Program program{device, text};
    const ferry::Kernel stir = program.kernel("stir_part");
    ferry::Queue queue{device};
    constexpr std::size_t size = 1024;
    Data data{device, queue, size};
    const auto stir_by_hand = [&](const Grid& grid) {
        for (std::size_t i = grid.offset.x; i < grid.offset.x + grid.groups.x * grid.local.x; ++i) {
            data.values[i] = stirred(data.values[i], i);
        }
    };
    std::array<Grid, 3> grids{Grid{3, 32, {1 + random_below(900), 0, 0}}, Grid{2, 64},
                              Grid{1, 128, {1 + random_below(890), 0, 0}}};
    std::vector<ferry::Step> steps;
    ferry::Recording recording{
        device, [&](ferry::Recorder& line) {
            for (const Grid& grid : grids) {
                steps.push_back(line.launch(stir, grid, data.buffer, static_cast<std::uint32_t>(size)));
            }
        }};
    INFO(recording.explain());
    for (int round = 0; round < 4; ++round) {
        queue.replay(recording);
        std::for_each(grids.begin(), grids.end(), stir_by_hand);
        check_same(queue.read(data.buffer), data.values);
        Grid& changed = grids[random_below(grids.size())];
        changed.offset.x = round == 2 ? 0 : random_below(890);
        recording.set_grid(steps[static_cast<std::size_t>(&changed - grids.data())], changed);
        recording.set(steps[0], 1, static_cast<std::uint32_t>(size)); // an argument changes; the grid stays
    }
    expect_error(Code::invalid_argument, {"stir_part", "18446744073709551615"}, [&] {
        recording.set_grid(steps[0], {1, 64, {std::numeric_limits<std::size_t>::max(), 0, 0}});
    });
    queue.replay(recording);
    std::for_each(grids.begin(), grids.end(), stir_by_hand);
    check_same(queue.read(data.buffer), data.values);
}

FERRY_TEST("offset: one beyond the range of counts is refused") {
    const Unchanged unchanged{device};
    const ferry::Program program{device, text};
    const ferry::Kernel places = program.kernel("places");
    ferry::Queue queue{device};
    ferry::Buffer<std::uint64_t> out{device, place_words * 64};
    const std::size_t most = std::numeric_limits<std::size_t>::max();
    const bool host = device.backend() == ferry::Backend::host;
    const std::string counted = std::to_string(host || has_short_offsets(device) ? 2147483647 : most);
    for (const Dim3& offset : {Dim3{most, 0, 0}, Dim3{0, most, 0}, Dim3{0, 0, most}, Dim3{most - 63, 0, 0}}) {
        expect_error(Code::invalid_argument, {"places", "more than " + counted}, [&] {
            queue.launch(places, {{2, 1, 1}, {32, 1, 1}, offset}, out);
        });
    }
    if (has_short_offsets(device)) {
        expect_error(Code::invalid_argument, {"places", "2147483648 is more than 2147483647"}, [&] {
            queue.launch(places, {1, 64, {0, 2147483648, 0}}, out);
        });
        const Grid last{1, 64, {2147483647, 5, 2147483647}};
        queue.launch(places, last, out);
        check_same(queue.read(out), places_of(last));
    }
    if (host) {
        expect_error(Code::invalid_argument, {"places", "2147483647", "2147483584"}, [&] {
            queue.launch(places, {1, 64, {2147483584, 0, 0}}, out);
        });
        const Grid last{1, 64, {2147483583, 0, 0}};
        queue.launch(places, last, out);
        check_same(queue.read(out), places_of(last));
    }
}

FERRY_TEST("offset: one beyond the device's range is refused when it is recorded or set") {
    if (device.backend() != ferry::Backend::host) { // other devices support the whole range of size_t
        return;
    }
    const ferry::Program program{device, text};
    const ferry::Kernel places = program.kernel("places");
    ferry::Queue queue{device};
    ferry::Buffer<std::uint64_t> out{device, place_words * 64};
    const Grid last{1, 64, {2147483583 - random_below(100), 0, 0}};
    const std::size_t past = 2147483584 + random_below(100);
    std::vector<Grid> grids{
        {1, 64, {past, 0, 0}}, {1, 64, {0, past + 63, 0}}, {{1, 1, 2}, {1, 1, 32}, {0, 0, past}}};
    constexpr std::size_t many = std::size_t{1} << 30;
    if (device.info().max_groups[0] >= many) { // false for the strict host
        grids.insert(grids.end(), {{many, 2}, {many / 16, 32}, {many / 32 - 1, 64, {64, 0, 0}}});
    }
    const auto refused_by = [&](const auto& launch,
                                ferry::SourceLocation here = ferry::SourceLocation::current()) {
        for (const Grid& grid : grids) {
            expect_error(
                Code::invalid_argument, {"places", "more than 2147483647"}, [&] { launch(grid); }, here);
        }
    };
    std::vector<ferry::Step> steps;
    ferry::Recording recording{
        device, [&](ferry::Recorder& line) {
            line.fill(out, std::uint64_t{0xa5a5a5a5a5a5a5a5U});
            steps.push_back(line.launch(places, last, out));
            refused_by([&](const Grid& grid) { static_cast<void>(line.launch(places, grid, out)); });
        }};
    refused_by([&](const Grid& grid) { recording.set_grid(steps.at(0), grid); });
    refused_by([&](const Grid& grid) { queue.launch(places, grid, out); });
    CHECK(recording.size() == 2);
    queue.replay(recording);
    check_same(queue.read(out), places_of(last));
}

FERRY_TEST("offset: programs built without it refuse it, and accept launches without one") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 1};
    const auto refuses = [&](const ferry::Program& program) {
        INFO("explain(): ", program.explain());
        expect_error(Code::invalid_argument,
                     {"value", "(5, 0, 0)", "BuildOptions::global_offsets", "GLOBAL_OFFSETS"}, [&] {
                         queue.launch(program.kernel("value"), {1, 1, {5, 0, 0}}, out);
                     });
        queue.launch(program.kernel("value"), {1, 1, {0, 0, 0}}, out);
        CHECK(queue.read(out).at(0) == 7);
    };
    refuses(ferry::Program{device, kernels::embedded_cl});
    refuses(ferry::Program{device, kernels::embedded_cl.text});
    // Code compiled without global offsets is not used if they are requested.
    const ferry::Program late{device, kernels::embedded_cl, {.global_offsets = true}};
    INFO("explain(): ", late.explain());
    CHECK(late.language() == ferry::Language::opencl_c);
    ferry::Buffer<std::uint32_t> three{device, 3};
    queue.fill(three, 0U);
    queue.launch(late.kernel("value"), {1, 1, {2, 0, 0}}, three);
    check_same(queue.read(three), Words{0, 0, 7});
}

FERRY_TEST("offset: native kernels of other languages than OpenCL's cannot have one") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 64};
    const ferry::Kernel iota = kernel(device, "iota");
    const bool native = program(device).language() != ferry::Language::opencl_c;
    CHECK(native == has_native_code(device));
    expect_error(native ? Code::unsupported : Code::invalid_argument, {"iota", "(0, 0, 3)"}, [&] {
        queue.launch(iota, {1, 64, {0, 0, 3}}, out, 64U, 0U);
    });
    if (device.backend() == ferry::Backend::opencl) {
        const ferry::Program text_program{device, kernels::embedded_cl.text};
        const auto bytes = text_program.binary();
        const auto code = ferry::Source::opencl_binary(bytes, device.info().name);
        const auto with_text = code.compiled_from(kernels::embedded_cl.text, "embedded.cl");
        for (const bool asked : {false, true}) {
            for (const ferry::Source& source : {code, with_text, with_text.with_global_offsets()}) {
                const ferry::Program binary{device, source, {.global_offsets = asked}};
                queue.fill(out, 0U);
                queue.launch(binary.kernel("value"), {1, 1, {63, 0, 0}}, out);
                CHECK(queue.read(out).back() == 7);
                CHECK(queue.read(out).front() == 0);
            }
        }
    }
}

FERRY_TEST("offset: if the options require it, a form that supports it replaces native code") {
    std::vector<ferry::Source> variants;
    for (const ferry::Source& source : sources()) {
        if (source.language() != ferry::Language::opencl_c) {
            variants.push_back(source);
        }
    }
    if (has_native_code(device)) { // the kernel alone is accepted
        const ferry::Program native{device, variants, {.global_offsets = true}};
        CHECK(native.language() != ferry::Language::opencl_c);
    }
    variants.push_back(ferry::Source::opencl_c(text.text, "moved.cl"));
    const ferry::Program program{device, variants, {.global_offsets = true}};
    INFO("explain(): ", program.explain());
    CHECK(program.language() == ferry::Language::opencl_c);
    CHECK((program.explain().find("accepts no offset") != std::string::npos) == has_native_code(device));
    ferry::Queue queue{device};
    const Grid grid{3, 5, random_offset(1, 1000)};
    const Places wanted = places_of(grid);
    ferry::Buffer<std::uint64_t> out{device, wanted.size()};
    queue.fill(out, std::uint64_t{0xa5a5a5a5a5a5a5a5U});
    queue.launch(program.kernel("places"), grid, out);
    check_same(queue.read(out), wanted);
}

FERRY_TEST("offset: an option builds a text for it, and the compiled code works in other programs") {
    const ferry::Program program{device, text.text, {.global_offsets = true}};
    CHECK(program.language() == ferry::Language::opencl_c);
    std::vector<ferry::Program> programs{program};
    const bool cuda = device.backend() == ferry::Backend::cuda;
    if (cuda ||
        device.backend() == ferry::Backend::hip) { // the same code that ferry_add_kernels() adds to programs
        const auto bytes = program.binary();
        const ferry::Source code = cuda ? ferry::Source::cubin(bytes, device.info().architecture)
                                        : ferry::Source::code_object(bytes, device.info().architecture);
        programs.emplace_back(device, code.compiled_from(text.text, "moved.cl").with_global_offsets());
        const ferry::Program unsaid{device, code.compiled_from(text.text, "moved.cl")};
        // With HIP over CUDA, the code has no information about parameters.
        if (ferry::Program(device, code).kernel("places").info().parameters_known) {
            expect_error(Code::build_failed, {"places", "Source::with_global_offsets()"},
                         [&] { static_cast<void>(unsaid.kernel("places")); });
        } else {
            CHECK(device.backend() == ferry::Backend::hip);
        }
    }
    ferry::Queue queue{device};
    const Grid grid{{2, 3}, {3, 2}, random_offset(3, 1000)};
    const Places wanted = places_of(grid);
    for (const ferry::Program& p : programs) {
        INFO("explain(): ", p.explain());
        CHECK(p.kernel("places").parameters().size() == 1);
        ferry::Buffer<std::uint64_t> out{device, wanted.size()};
        queue.fill(out, std::uint64_t{0xa5a5a5a5a5a5a5a5U});
        queue.launch(p.kernel("places"), grid, out);
        check_same(queue.read(out), wanted);
    }
}

} // namespace offset_test
