// SPDX-License-Identifier: Apache-2.0
// Tests of Kokkos' memory as Ferry views.
#include "kokkos_test.hpp"

#include <ferry/file.hpp>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

/// Whether this device can import the program's memory.
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

namespace {

ferry::Event behind_the_work;
int freed_early = 0;
int freed = 0;

template <class Handle>
void note_freed(Handle /*space*/, const char* name, const void* /*data*/, std::uint64_t /*bytes*/) {
    if (std::string(name) == "assigned over") {
        ++freed;
        freed_early += behind_the_work.ready() ? 0 : 1;
    }
}

} // namespace

TEST_CASE(
    "kokkos: a lent view that is assigned over, or ends, waits for the commands before Kokkos frees it") {
    if (!imports()) {
        return;
    }
    Kokkos::Tools::Experimental::set_deallocate_data_callback(note_freed);
    ferry::Queue queue{device()};
    using Line = Kokkos::View<Word*, Kokkos::HostSpace>;
    const Line kept("kept", 20);
    Kokkos::deep_copy(kept, 19U);
    freed = freed_early = 0;
    const auto work = [&](const ferry::View<Word>& view) {
        queue.launch(program().kernel("slow"), covering(1), view, 20'000'000U);
        behind_the_work = queue.record();
        queue.flush();
    };
    auto lent = kk::lend(device(), Line("assigned over", 33));
    work(lent.view());
    lent = kk::lend(device(), kept);
    CHECK(freed == 1);
    CHECK(queue.read(lent.view()) == std::vector<Word>(20, 19));
    {
        const auto ends = kk::lend(device(), Line("assigned over", 33));
        work(ends.view());
    }
    CHECK(freed == 2);
    CHECK(freed_early == 0);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
    behind_the_work = {};
}

TEST_CASE("kokkos: what a borrowed buffer's commands use can be waited for") {
    if (device().backend() != ferry::Backend::hip) {
        return; // only a Kokkos for CUDA or HIP borrows memory
    }
    ferry::Queue queue{device()};
    ferry::Buffer<Word> owner{device(), 100};
    queue.fill(owner, 0U);
    queue.finish();
    ferry::Buffer<Word> borrowed =
        ferry::interop::hip::borrow_pointer<Word>(device(), ferry::interop::hip::pointer(owner), 100);
    queue.launch(program().kernel("slow"), covering(1), borrowed, 20'000'000U);
    const ferry::Event done = queue.record();
    queue.flush();
    ferry::interop::detail::wait_for_uses(borrowed.region());
    CHECK(done.ready());
    CHECK(queue.read(owner)[0] == 20'000'000U);
    ferry::interop::detail::wait_for_uses({});

    // Includes commands after host work that have not reached the driver.
    std::atomic<bool> open{false};
    ferry::Buffer<std::uint8_t> bytes{device(), 64};
    ferry::read_file(queue, "/proc/self/exe", bytes, {.progress = [&](const ferry::FileProgress&) {
                         while (!open) {
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                         }
                     }});
    queue.fill(borrowed, 5U);
    std::thread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        open = true;
    });
    ferry::interop::detail::wait_for_uses(borrowed.region());
    CHECK(open);
    CHECK(queue.read(owner)[99] == 5U);
    opener.join();
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
