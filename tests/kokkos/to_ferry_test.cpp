// SPDX-License-Identifier: Apache-2.0
// Kokkos' memory as Ferry views.
#include "kokkos_test.hpp"

namespace {

/// Whether this device takes memory of the program's own.
bool imports() {
    const bool strict = device().backend() == ferry::Backend::host && !host_reaches();
    return !strict && device().capabilities(ferry::MemoryKind::imported, ferry::Probe::declared).available;
}

template <class Layout>
using Cube = Kokkos::View<Word***, Layout, Kokkos::HostSpace>;

template <class Layout>
void lends() {
    ferry::Queue queue{device()};
    const Cube<Layout> cube("cube", 3, 5, 7);
    const Word* const data = cube.data();
    {
        const auto lent = kk::lend(device(), cube);
        CHECK(lent.size() == 105);
        CHECK(lent.extent(0) == 3);
        CHECK(lent.extent(1) == 5);
        CHECK(lent.extent(2) == 7);
        for (std::size_t d = 0; d < 3; ++d) {
            const std::size_t at[3] = {d == 0, d == 1, d == 2};
            CHECK(lent.stride(d) == static_cast<std::size_t>(&cube(at[0], at[1], at[2]) - data));
        }
        queue.launch(program().kernel("iota"), covering(105), lent.view(), 105U, 5U);
        kk::acquire(queue);
        Word wrong = 0;
        for (std::size_t i = 0; i < 105; ++i) {
            wrong += data[i] != word(i + 5) ? 1U : 0U;
        }
        CHECK(wrong == 0);
        cube(2, 4, 6) = 1234;
        kk::release(Kokkos::DefaultHostExecutionSpace());
        CHECK(queue.read(lent.view())[104] == 1234);
    }
    CHECK(cube(2, 4, 6) == 1234);
}

} // namespace

TEST_CASE("kokkos: a Kokkos::View lent to a device, its extents and order kept") {
    if (!imports()) {
        const Kokkos::View<Word*, Kokkos::HostSpace> view("view", 10);
        CHECK(error_of([&] { (void)kk::lend(device(), view); }).code() == ferry::Code::unsupported);
        return;
    }
    lends<Kokkos::LayoutRight>();
    lends<Kokkos::LayoutLeft>();
}

TEST_CASE("kokkos: a lent view keeps the memory, const stays const, other ranks work") {
    if (!imports()) {
        return;
    }
    ferry::Queue queue{device()};
    const auto lent = [&] {
        const Kokkos::View<Word**, Kokkos::LayoutLeft, Kokkos::HostSpace> gone("gone", 4, 6);
        Kokkos::deep_copy(gone, 17U);
        return kk::lend(device(), gone);
    }();
    CHECK(queue.read(lent.view()) == std::vector<Word>(24, 17));

    const Kokkos::View<Word*, Kokkos::HostSpace> line("line", 33);
    Kokkos::deep_copy(line, 18U);
    const Kokkos::View<const Word*, Kokkos::HostSpace> constant = line;
    const auto read_only = kk::lend(device(), constant);
    static_assert(std::is_same_v<decltype(read_only.view()), ferry::View<const Word>>);
    CHECK(queue.read(read_only.view()) == std::vector<Word>(33, 18));
}

TEST_CASE("kokkos: views with gaps or without elements are refused, by their names") {
    const Kokkos::View<Word**, Kokkos::LayoutLeft, Kokkos::HostSpace> whole("whole", 8, 8);
    const auto rows = Kokkos::subview(whole, std::make_pair(0, 4), Kokkos::ALL());
    using Rows = Kokkos::View<Word**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
    if constexpr (std::is_convertible_v<decltype(rows), Rows>) {
        const Rows part = rows;
        const ferry::Error error = error_of([&] { (void)kk::lend(device(), part); });
        CHECK(error.code() == ferry::Code::invalid_argument);
        const std::string text = error.what();
        CHECK_MESSAGE(text.find("whole") != std::string::npos, text);
        CHECK_MESSAGE(text.find("4 x 8") != std::string::npos, text);
    } else {
        const ferry::Error error = error_of([&] { (void)kk::lend(device(), Rows(rows)); });
        CHECK(error.code() == ferry::Code::invalid_argument);
    }
    const Kokkos::View<Word*, Kokkos::HostSpace> nothing("nothing", 0);
    const ferry::Error error = error_of([&] { (void)kk::lend(device(), nothing); });
    CHECK(error.code() == ferry::Code::invalid_argument);
    CHECK(std::string(error.what()).find("nothing") != std::string::npos);
}
