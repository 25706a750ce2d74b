// SPDX-License-Identifier: Apache-2.0
// Tests of Ferry's memory as Kokkos::Views.
#include "kokkos_test.hpp"

namespace {

using Host = Kokkos::HostSpace;

/// view(i, j, k) = 10000 i + 100 j + k, in Kokkos.
template <class View>
void number(const View& view) {
    using Policy = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;
    Kokkos::parallel_for(Policy(0, view.extent(0)), [=](std::size_t at) {
        const auto i = static_cast<int>(at);
        for (int j = 0; j < static_cast<int>(view.extent(1)); ++j) {
            for (int k = 0; k < static_cast<int>(view.extent(2)); ++k) {
                view(i, j, k) += static_cast<Word>(10000 * i + 100 * j + k);
            }
        }
    });
    Kokkos::fence();
}

/// The same in memory order, added to an iota.
std::vector<Word> numbered(std::size_t a, std::size_t b, std::size_t c, bool left) {
    std::vector<Word> result(a * b * c);
    for (std::size_t i = 0; i < a; ++i) {
        for (std::size_t j = 0; j < b; ++j) {
            for (std::size_t k = 0; k < c; ++k) {
                const std::size_t at = left ? i + a * (j + b * k) : (i * b + j) * c + k;
                result[at] = word(at + 10000 * i + 100 * j + k);
            }
        }
    }
    return result;
}

template <class Layout>
void works_on(ferry::MemoryKind kind) {
    constexpr std::size_t a = 3;
    constexpr std::size_t b = 5;
    constexpr std::size_t c = 7;
    ferry::Queue queue{device()};
    ferry::Buffer<Word> buffer{device(), a * b * c + 1, kind};
    const ferry::View<Word> part = buffer.subview(1); // at an offset
    queue.launch(program().kernel("iota"), covering(part.size()), part, word(part.size()), 0U);
    kk::acquire(queue);
    number(kk::unmanaged<Host, Layout>(part, {a, b, c}));
    CHECK(queue.read(part) == numbered(a, b, c, std::is_same_v<Layout, Kokkos::LayoutLeft>));

    const auto flat = kk::unmanaged<Host, Layout>(part, {a * b * c});
    const auto square = kk::unmanaged<Host, Layout>(part, {a * b, c});
    CHECK(flat.data() == square.data());
    CHECK(square.extent(0) == a * b);
    CHECK(square.extent(1) == c);
    CHECK(&flat(1) == flat.data() + 1);
    CHECK(&square(1, 0) == square.data() + (std::is_same_v<Layout, Kokkos::LayoutLeft> ? 1 : c));
}

} // namespace

TEST_CASE("kokkos: a Ferry buffer as a view of one to three extents, in both orders") {
    if (host_reaches()) {
        works_on<Kokkos::LayoutRight>(ferry::MemoryKind::device);
        works_on<Kokkos::LayoutLeft>(ferry::MemoryKind::device);
    }
    if (device().has(ferry::MemoryKind::host)) {
        works_on<Kokkos::LayoutRight>(ferry::MemoryKind::host);
        works_on<Kokkos::LayoutLeft>(ferry::MemoryKind::host);
    }
}

TEST_CASE("kokkos: a mapping, on every device, with nothing copied but what the mapping copies") {
    ferry::Queue queue{device()};
    ferry::Buffer<Word> buffer{device(), 60};
    queue.launch(program().kernel("iota"), covering(60), buffer, 60U, 0U);
    {
        const auto mapping = buffer.map(queue, ferry::Map::read_write);
        const auto view = kk::unmanaged<Host, Kokkos::LayoutLeft>(mapping, {3, 4, 5});
        CHECK(view.data() == mapping.data());
        number(view);
    }
    CHECK(queue.read(buffer) == numbered(3, 4, 5, true));
}

TEST_CASE("kokkos: a guard of a Shared, and what is const stays so") {
    ferry::Queue queue{device()};
    std::vector<Word> data(60);
    {
        auto shared = ferry::share(device(), data, ferry::Access::device_updates);
        queue.launch(program().kernel("iota"), covering(60), shared, 60U, 0U);
        {
            const auto guard = shared.host(queue, ferry::HostAccess::read_write);
            number(kk::unmanaged<Host>(guard, {3, 4, 5}));
        }
        const auto reading = shared.host(queue);
        const auto view = kk::unmanaged<Host>(reading, {60});
        static_assert(std::is_const_v<std::remove_reference_t<decltype(view(0))>>);
        Word sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, 60),
            [=](int i, Word& mine) { mine += view(i); }, sum);
        Word wanted = 0;
        for (const Word value : numbered(3, 4, 5, false)) {
            wanted += value;
        }
        CHECK(sum == wanted);
    }
    CHECK(data == numbered(3, 4, 5, false));
    const auto span = kk::unmanaged<Host>(std::span(data), {6, 10});
    CHECK(span.data() == data.data());
    const ferry::Buffer<Word> constant;
    static_assert(std::is_same_v<decltype(kk::unmanaged<Host>(constant, {0}).data()), const Word*>);
}

TEST_CASE("kokkos: memory out of the processor's reach is refused for a host space") {
    ferry::Buffer<Word> buffer{device(), 10};
    if (!host_reaches()) {
        const ferry::Error error = error_of([&] { (void)kk::unmanaged<Host>(buffer, {10}); });
        CHECK(error.code() == ferry::Code::unsupported);
        const std::string told = error.what();
        CHECK_MESSAGE(told.find(device().id()) != std::string::npos, told);
        CHECK_MESSAGE(told.find("map it") != std::string::npos, told);
    }
}

/// Represents a page-locked or managed space of HIP, which this Kokkos may lack.
struct BothReach {};

namespace ferry::interop::kokkos::detail {
template <>
inline constexpr Backend backend_of<BothReach> = Backend::hip;
template <>
inline constexpr bool host_reaches<BothReach> = true;
} // namespace ferry::interop::kokkos::detail

TEST_CASE("kokkos: a space that both reach takes no memory of kind device") {
    if (device().backend() != ferry::Backend::hip) {
        return;
    }
    const auto address = [](ferry::Buffer<Word>& buffer) {
        return kk::detail::address<BothReach>(buffer.region(), ferry::SourceLocation::current());
    };
    ferry::Buffer<Word> far{device(), 10};
    const ferry::Error error = error_of([&] { (void)address(far); });
    CHECK(error.code() == ferry::Code::unsupported);
    CHECK(std::string(error.what()).find("map it") != std::string::npos);
    ferry::Buffer<Word> near{device(), 10, ferry::MemoryKind::host};
    CHECK(address(near) == ferry::interop::hip::pointer(near));
}

TEST_CASE("kokkos: a shape of another size is refused, naming both") {
    ferry::Queue queue{device()};
    ferry::Buffer<Word> buffer{device(), 60};
    const auto mapping = buffer.map(queue, ferry::Map::read_write);
    const std::size_t huge = std::size_t{1} << 33;
    const auto told = [&](const auto& shape) {
        const ferry::Error error = error_of([&] { (void)kk::unmanaged<Host>(mapping, shape); });
        CHECK(error.code() == ferry::Code::invalid_argument);
        const std::string text = error.what();
        CHECK_MESSAGE(text.find("60") != std::string::npos, text);
        return text;
    };
    const std::size_t more[] = {3, 4, 6};
    CHECK(told(more).find("3 x 4 x 6") != std::string::npos);
    const std::size_t fewer[] = {59};
    static_cast<void>(told(fewer));
    const std::size_t wraps[] = {huge, huge, 60};
    static_cast<void>(told(wraps));
    const std::size_t none[] = {0, 60};
    static_cast<void>(told(none));
    const ferry::Buffer<Word> empty;
    CHECK(kk::unmanaged<Host>(empty, {0, 7}).size() == 0);
}
