// SPDX-License-Identifier: Apache-2.0
#include "box_model.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace batch_test {

using namespace conformance;
using ferry::Code;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Pieces of a range in random order and of random sizes. They do not overlap.
struct Piece {
    std::size_t at, size;
};
std::vector<Piece> random_pieces(std::size_t count, std::size_t largest) {
    std::vector<Piece> pieces;
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        at += random_below(9);
        pieces.push_back({at, 1 + random_below(largest)});
        at += pieces.back().size;
    }
    std::shuffle(pieces.begin(), pieces.end(), random_engine());
    return pieces;
}
/// One end of copies: a buffer or host memory. Its first half is read, and its second half is written.
struct Side {
    std::unique_ptr<ferry::Buffer<std::uint8_t>> buffer;
    Bytes host, before, model;
    std::size_t end; ///< end of the written part
};

void add_copy(ferry::Batch& batch, Side& from, std::size_t source, Side& to, std::size_t target,
              std::size_t size) {
    const auto part = [&](Side& side, std::size_t at) { return std::span(side.host).subspan(at, size); };
    if (from.buffer == nullptr) {
        batch.copy(part(from, source), to.buffer->subview(target, size));
    } else if (to.buffer == nullptr) {
        batch.copy(from.buffer->subview(source, size), part(to, target));
    } else {
        batch.copy(from.buffer->subview(source, size), to.buffer->subview(target, size));
    }
    std::copy_n(from.before.begin() + static_cast<std::ptrdiff_t>(source), size,
                to.model.begin() + static_cast<std::ptrdiff_t>(target));
}

std::size_t end_of(const std::vector<Piece>& pieces) {
    std::size_t end = 0;
    for (const Piece& piece : pieces) {
        end = std::max(end, piece.at + piece.size);
    }
    return end;
}

} // namespace

FERRY_TEST("batch: random copies between buffers of every kind against a model") {
    ferry::Queue queue{device};
    for (const auto from_kind : all_kinds(device)) {
        for (const auto to_kind : all_kinds(device)) {
            for (const std::size_t largest : {1U, 16U, 100U, 3000U}) {
                const auto pieces = random_pieces(1 + random_below(400), largest);
                const std::size_t size = end_of(pieces) + 50;
                ferry::Buffer<std::uint8_t> a{device, size, from_kind};
                ferry::Buffer<std::uint8_t> b{device, size, to_kind};
                const Bytes data = random_values<std::uint8_t>(size);
                Bytes model = random_values<std::uint8_t>(size);
                queue.copy_and_wait(data, a);
                queue.copy_and_wait(model, b);
                ferry::Batch batch;
                std::size_t bytes = 0;
                for (const Piece& piece : pieces) {
                    const std::size_t source = random_below(size - piece.size + 1); // sources may overlap
                    batch.copy(a.subview(source, piece.size), b.subview(piece.at, piece.size));
                    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(source), piece.size,
                                model.begin() + static_cast<std::ptrdiff_t>(piece.at));
                    bytes += piece.size;
                }
                CHECK(batch.size() == pieces.size());
                CHECK(batch.size_bytes() == bytes);
                queue.copy(batch);
                INFO(pieces.size(), " copies of up to ", largest, " bytes, ",
                     std::string(to_string(from_kind)), " to ", std::string(to_string(to_kind)));
                check_same(queue.read(b), model);
                check_same(queue.read(a), data);
            }
        }
    }
}

FERRY_TEST("batch: aligned pages, moved in one buffer, many of them") {
    ferry::Queue queue{device};
    constexpr std::size_t page = 1024;
    constexpr std::size_t count = 1000;
    const auto data = random_values<std::uint32_t>(count * page / 4);
    ferry::Buffer<std::uint32_t> buffer{device, 2 * data.size()};
    queue.copy(data, buffer.first(data.size()));
    std::vector<std::size_t> slots(count);
    for (std::size_t i = 0; i < count; ++i) {
        slots[i] = i;
    }
    std::shuffle(slots.begin(), slots.end(), random_engine());
    ferry::Batch batch;
    batch.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        batch.copy(buffer.subview(i * page / 4, page / 4),
                   buffer.subview(data.size() + slots[i] * page / 4, page / 4));
    }
    queue.copy(batch);
    std::vector<std::uint32_t> wanted(data.size());
    for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(i * page / 4), page / 4,
                    wanted.begin() + static_cast<std::ptrdiff_t>(slots[i] * page / 4));
    }
    check_same(queue.read(buffer.last(data.size())), wanted);
    check_same(queue.read(buffer.first(data.size())), data);
}

FERRY_TEST("batch: from and to host memory, mixed with large ones") {
    ferry::Queue queue{device};
    const std::size_t size = 3'000'000;
    const Bytes data = random_values<std::uint8_t>(size);
    const Bytes small = random_values<std::uint8_t>(5000);
    Bytes model = random_values<std::uint8_t>(size);
    ferry::Buffer<std::uint8_t> a{device, size};
    ferry::Buffer<std::uint8_t> b{device, size};
    queue.copy_and_wait(data, a);
    queue.copy_and_wait(model, b);
    Bytes seen = poison<std::uint8_t>(4000);
    ferry::Batch batch;
    for (std::size_t i = 0; i < 50; ++i) {
        batch.copy(std::span(small).subspan(i * 100, 100), b.subview(i * 1001, 100));
        batch.copy(a.subview(i * 777, 70), std::span(seen).subspan(i * 80, 70));
        std::copy_n(small.begin() + static_cast<std::ptrdiff_t>(i * 100), 100,
                    model.begin() + static_cast<std::ptrdiff_t>(i * 1001));
    }
    batch.copy(a.subview(1'000'000, 2'000'000), b.subview(1'000'000, 2'000'000));
    std::copy_n(data.begin() + 1'000'000, 2'000'000, model.begin() + 1'000'000);
    queue.copy(batch);
    queue.finish();
    check_same(queue.read(b), model);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const bool inside = i % 80 < 70;
        REQUIRE(seen[i] == (inside ? data[i / 80 * 777 + i % 80] : 0xa5));
    }
}

FERRY_TEST("batch: many memories at once, most of them for a few copies, a few for many") {
    ferry::Queue queue{device};
    constexpr std::size_t half = 1'000'000;
    std::vector<Side> sides(2); // both in host memory
    for (const auto kind : all_kinds(device)) {
        for (int i = 0; i < 3; ++i) {
            sides.emplace_back().buffer =
                std::make_unique<ferry::Buffer<std::uint8_t>>(device, 2 * half, kind);
        }
    }
    for (Side& side : sides) {
        side.before = side.model = random_values<std::uint8_t>(2 * half);
        side.end = half;
        if (side.buffer == nullptr) {
            side.host = side.before;
        } else {
            queue.copy_and_wait(side.before, *side.buffer);
        }
    }
    ferry::Batch batch;
    for (int i = 0; i < 600; ++i) {
        const bool often = random_below(3) != 0;
        Side& from = sides[often ? random_below(2) : random_below(sides.size())];
        Side& to = sides[often ? 2 + random_below(2) : random_below(sides.size())];
        const bool turned = random_below(2) != 0;
        Side& source = turned ? to : from;
        Side& target = turned ? from : to;
        const std::size_t largest = random_below(100) == 0 ? 300'000 : random_below(20) == 0 ? 70'000 : 900;
        const std::size_t size = 1 + random_below(largest);
        const std::size_t at = target.end + random_below(3);
        if ((source.buffer == nullptr && target.buffer == nullptr) || at + size > 2 * half) {
            continue;
        }
        add_copy(batch, source, random_below(half - size), target, at, size);
        target.end = at + size;
    }
    queue.copy(batch);
    queue.finish();
    for (Side& side : sides) {
        check_same(side.buffer == nullptr ? side.host : queue.read(*side.buffer), side.model);
    }
}

FERRY_TEST("batch: pages gathered in host memory, while the host writes next to them") {
    if (!device.has(ferry::MemoryKind::host)) {
        return;
    }
    ferry::Queue queue{device};
    constexpr std::size_t page = 1001;
    constexpr std::size_t count = 300;
    const Bytes data = random_values<std::uint8_t>(2 * page * count);
    ferry::Buffer<std::uint8_t> buffer{device, data.size()};
    ferry::Buffer<std::uint8_t> host{device, 3 * page * count, ferry::MemoryKind::host};
    queue.copy_and_wait(data, buffer);
    std::fill(host.span().begin(), host.span().end(), std::uint8_t{0xa5});
    const std::size_t start = 1 + random_below(page);
    const bool in_two = random_below(2) != 0;
    const auto target = [&](std::size_t i) {
        return start + i * page + (in_two && i >= count / 2 ? 777 : 0);
    };
    Bytes model(host.size(), 0xa5);
    ferry::Batch batch;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t source = 2 * page * (i * 7 % count);
        batch.copy(buffer.subview(source, page), host.subview(target(i), page));
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(source), page,
                    model.begin() + static_cast<std::ptrdiff_t>(target(i)));
    }
    queue.copy(batch);
    for (const std::size_t beside : {start - 1, target(count - 1) + page, host.size() - 1}) {
        host.span()[beside] = model[beside] = 0x11; // possibly while the copy runs
    }
    queue.finish();
    check_same(Bytes(host.span().begin(), host.span().end()), model);
    ferry::Batch back; // the copies are far apart in memory
    Bytes wanted = random_values<std::uint8_t>(data.size());
    queue.copy_and_wait(wanted, buffer);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t source = random_below(host.size() - page);
        back.copy(host.subview(source, page), buffer.subview(2 * page * i + 5, page));
        std::copy_n(model.begin() + static_cast<std::ptrdiff_t>(source), page,
                    wanted.begin() + static_cast<std::ptrdiff_t>(2 * page * i + 5));
    }
    queue.copy(back);
    check_same(queue.read(buffer), wanted);
}

FERRY_TEST("batch: takes from host memory what the commands before it bring there") {
    if (device.backend() == ferry::Backend::cuda || device.backend() == ferry::Backend::hip) {
        throw ferry::Error(ferry::Code::unsupported, "Such memory is read during the call, and may be old.");
    }
    ferry::Queue queue{device};
    constexpr std::size_t size = 50'000;
    const Bytes data = random_values<std::uint8_t>(size);
    ferry::Buffer<std::uint8_t> a{device, size};
    ferry::Buffer<std::uint8_t> b{device, size};
    queue.copy_and_wait(data, a);
    queue.fill(b, std::uint8_t{0xa5});
    Bytes between = poison<std::uint8_t>(size);
    ferry::Batch batch;
    for (std::size_t i = 0; i < 100; ++i) {
        batch.copy(std::span(between).subspan(i * 500, 500), b.subview((99 - i) * 500, 500));
    }
    queue.copy(a, between);
    queue.copy(batch);
    Bytes wanted(size);
    for (std::size_t i = 0; i < 100; ++i) {
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(i * 500), 500,
                    wanted.begin() + static_cast<std::ptrdiff_t>((99 - i) * 500));
    }
    check_same(queue.read(b), wanted);
}

FERRY_TEST("batch: more from and to host memory than is staged at a time") {
    ferry::Queue queue{device};
    const std::size_t piece = 40'000;
    const std::size_t count = 300; // 12 MB
    const Bytes data = random_values<std::uint8_t>(piece * count);
    ferry::Buffer<std::uint8_t> buffer{device, data.size() + 5};
    ferry::Batch up;
    for (std::size_t i = 0; i < count; ++i) {
        up.copy(std::span(data).subspan(i * piece, piece),
                buffer.subview((count - 1 - i) * piece + 5, piece));
    }
    queue.copy(up);
    Bytes seen = poison<std::uint8_t>(data.size());
    ferry::Batch down;
    for (std::size_t i = 0; i < count; ++i) {
        down.copy(buffer.subview(i * piece + 5, piece),
                  std::span(seen).subspan((count - 1 - i) * piece, piece));
    }
    queue.copy(down);
    queue.finish();
    check_same(seen, data);
}

FERRY_TEST("batch: megabytes in small pieces, up, within and down in one, again and again") {
    ferry::Queue queue{device};
    const auto random_side = [&](std::size_t count) { return random_pieces(count, 6000); };
    for (const std::size_t count : {400U, 1500U, 300U}) {
        const auto up_from = random_side(count);
        const auto down_from = random_side(count);
        const Bytes source = random_values<std::uint8_t>(end_of(up_from));
        const Bytes kept = random_values<std::uint8_t>(end_of(down_from));
        Bytes seen = poison<std::uint8_t>(end_of(down_from) + 3);
        Bytes wanted_seen = seen;
        ferry::Buffer<std::uint8_t> target{device, 2 * source.size() + 7};
        ferry::Buffer<std::uint8_t> held{device, kept.size() + 5};
        Bytes wanted(target.size(), 0xa5);
        queue.fill(target, std::uint8_t{0xa5});
        queue.copy_and_wait(kept, held.subview(5, kept.size()));
        ferry::Batch batch;
        for (std::size_t i = 0; i < count; ++i) {
            const auto [at, size] = up_from[i];
            batch.copy(std::span(source).subspan(at, size), target.subview(source.size() - at - size, size));
            std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(at), size,
                        wanted.begin() + static_cast<std::ptrdiff_t>(source.size() - at - size));
            const auto [from, length] = down_from[i];
            batch.copy(held.subview(5 + from, length), std::span(seen).subspan(from + 3, length));
            std::copy_n(kept.begin() + static_cast<std::ptrdiff_t>(from), length,
                        wanted_seen.begin() + static_cast<std::ptrdiff_t>(from + 3));
            if (i % 3 == 0 && source.size() + 7 + from + length <= target.size()) {
                batch.copy(held.subview(5 + from, length), target.subview(source.size() + 7 + from, length));
                std::copy_n(kept.begin() + static_cast<std::ptrdiff_t>(from), length,
                            wanted.begin() + static_cast<std::ptrdiff_t>(source.size() + 7 + from));
            }
        }
        queue.copy(batch);
        INFO(count, " pieces each way");
        check_same(queue.read(target), wanted);
        check_same(seen, wanted_seen);
    }
}

FERRY_TEST("batch: one command in its queue's order, and again with other contents") {
    ferry::Queue queue{device};
    const std::uint32_t size = 64 * 100;
    auto model = random_values<std::uint32_t>(size);
    ferry::Buffer<std::uint32_t> a{device, size};
    ferry::Buffer<std::uint32_t> b{device, size};
    queue.copy_and_wait(model, a);
    ferry::Batch batch; // reverses blocks of 64 elements
    for (std::uint32_t i = 0; i < 100; ++i) {
        batch.copy(a.subview(std::size_t{i} * 64, 64), b.subview(std::size_t{99 - i} * 64, 64));
    }
    const ferry::Kernel stir = kernel(device, "stir");
    for (std::uint32_t round = 0; round < 6; ++round) {
        queue.launch(stir, ferry::Grid::covering(size, 64), a, size, round);
        queue.copy(batch);
        queue.copy(b, a);
        std::vector<std::uint32_t> next(size);
        for (std::uint32_t i = 0; i < size; ++i) {
            next[(99 - i / 64) * 64 + i % 64] = stir_result(model[i], i, round);
        }
        model = next;
    }
    check_same(queue.read(a), model);
    batch.clear();
    CHECK(batch.empty());
    CHECK(batch.size_bytes() == 0);
    queue.fill(b, 5U);
    batch.copy(b.first(10), a.last(10));
    const ferry::Event done = [&] {
        queue.copy(batch);
        return queue.record();
    }();
    batch.clear(); // clear() is allowed because the batch was already read
    done.wait();
    std::fill(model.end() - 10, model.end(), 5U);
    check_same(queue.read(a), model);
}

FERRY_TEST("batch: an empty one and copies of nothing are no-ops") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Batch batch;
    queue.copy(batch);
    ferry::Buffer<std::uint32_t> a{device, 10};
    std::vector<std::uint32_t> none;
    batch.copy(none, a.first(0)).copy(a.last(0), none).copy(ferry::View<std::uint32_t>{}, a.first(0));
    CHECK(batch.empty());
    queue.copy(batch);
    queue.finish();
}

FERRY_TEST("batch: overlapping copies are refused and nothing changes") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const Bytes data = random_values<std::uint8_t>(300);
    ferry::Buffer<std::uint8_t> a{device, 300};
    ferry::Buffer<std::uint8_t> b{device, 300};
    queue.copy_and_wait(data, a);
    queue.copy_and_wait(data, b);
    Bytes host(300);
    const auto refused = [&](std::initializer_list<std::string> parts, ferry::Batch& batch) {
        expect_error(Code::invalid_argument, parts, [&] { queue.copy(batch); });
        // the same error again: the first one did not change the batch
        expect_error(Code::invalid_argument, parts, [&] { queue.copy(batch); });
    };
    ferry::Batch twice;
    twice.copy(a.subview(0, 20), b.subview(100, 20)).copy(a.subview(0, 20), b.subview(119, 20));
    refused({"written", "100 to 120", "119 to 139"}, twice);
    ferry::Batch onward;
    onward.copy(a.subview(0, 20), b.subview(100, 20)).copy(b.subview(90, 11), a.subview(200, 11));
    refused({"read", "90 to 101", "written", "100 to 120"}, onward);
    ferry::Batch itself;
    itself.copy(a.subview(0, 20), a.subview(10, 20));
    refused({"one buffer", "0 to 20", "10 to 30"}, itself);
    ferry::Batch inner; // the long copy ends after the short one that it contains
    inner.copy(a.subview(0, 200), b.subview(0, 200)).copy(a.subview(0, 5), b.subview(10, 5));
    refused({"0 to 200", "10 to 15"}, inner);
    ferry::Batch on_host;
    on_host.copy(a.first(100), std::span(host).first(100))
        .copy(b.first(100), std::span(host).subspan(99, 100));
    refused({"host memory"}, on_host);
    check_same(queue.read(a), data);
    check_same(queue.read(b), data);
    ferry::Batch fine; // allowed: equal sources and adjacent targets
    fine.copy(a.first(10), b.first(10)).copy(a.first(10), b.subview(10, 10));
    queue.copy(fine);
    queue.finish();
}

FERRY_TEST("batch: different sizes and mapped buffers are refused") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> a{device, 10};
    ferry::Buffer<std::uint32_t> b{device, 10};
    queue.fill(a, 1U);
    queue.fill(b, 2U);
    ferry::Batch batch;
    expect_error(Code::invalid_argument, {"10 elements", "9 elements"}, [&] { batch.copy(a, b.first(9)); });
    const std::span<std::uint32_t> nowhere(static_cast<std::uint32_t*>(nullptr), 10);
    expect_error(Code::invalid_argument, {"The source", "40 bytes", "null pointer"},
                 [&] { batch.copy(nowhere, b.first(10)); });
    expect_error(Code::invalid_argument, {"The destination", "40 bytes", "null pointer"},
                 [&] { batch.copy(b.first(10), nowhere); });
    CHECK(batch.empty());
    batch.copy(a, b);
    {
        const auto mapping = b.map(queue, ferry::Map::read);
        expect_error(Code::invalid_state, {"mapped"}, [&] { queue.copy(batch); });
    }
    queue.copy(batch);
    check_same(queue.read(b), std::vector<std::uint32_t>(10, 1U));
}

FERRY_PAIR_TEST("batch: buffers of another device are refused") {
    ferry::Queue queue{from};
    ferry::Buffer<std::uint32_t> a{from, 10};
    ferry::Buffer<std::uint32_t> b{to, 10};
    ferry::Batch batch;
    batch.copy(a, b);
    expect_error(Code::invalid_argument, {to.id(), from.id()}, [&] { queue.copy(batch); });
}

FERRY_PAIR_TEST("batch: boxes, batches and fills after host work keep their order") {
    ferry::Queue queue{from};
    const auto data = random_values<std::uint32_t>(4096);
    ferry::Buffer<std::uint32_t> a{from, data.size()};
    ferry::Buffer<std::uint32_t> b{from, data.size()};
    ferry::Buffer<std::uint32_t> far{to, data.size()};
    std::vector<std::uint32_t> first(data.size());
    std::vector<std::uint32_t> second(64);
    queue.copy(data, a);
    queue.copy(a, far);
    queue.fill(a, 0U);
    queue.copy(far, a); // this copy is host work, so later commands wait on the host
    ferry::Batch batch;
    batch.copy(a.first(2048), b.last(2048)).copy(a.last(2048), b.first(2048));
    queue.copy(batch);
    batch.clear();
    std::vector<std::byte> pattern(12, std::byte{7});
    pattern[5] = std::byte{1};
    queue.copy(b, first);
    queue.fill_bytes(a.first(std::size_t{3} * 64), pattern);
    std::fill(pattern.begin(), pattern.end(), std::byte{0});
    queue.copy(ferry::Box{a, {8, 8}, {.row = 96}}, ferry::HostBox{second, {8, 8}});
    queue.finish();
    std::vector<std::uint32_t> wanted(data.begin() + 2048, data.end());
    wanted.insert(wanted.end(), data.begin(), data.begin() + 2048);
    check_same(first, wanted);
    for (std::size_t i = 0; i < 64; ++i) {
        REQUIRE(second[i] == (i % 8 % 3 == 1 ? 0x07070107U : 0x07070707U));
    }
}

} // namespace batch_test
