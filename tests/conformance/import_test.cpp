// SPDX-License-Identifier: Apache-2.0
#include "beside.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "imports.hpp"
#include "kernels.hpp"
#include "pages.hpp"
#include "random.hpp"
#include "system/pages.hpp"
#include "vendor.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Code;
using ferry::Imported;

namespace {

using Imports = std::vector<std::unique_ptr<Import<std::uint32_t>>>;

/// Makes an import while others exist. Returns null if it extends past the pages of an overlapping import and
/// registered memory has another address on the device, because such pages have no common address. The memory
/// can still be shared.
std::unique_ptr<Import<std::uint32_t>> import_beside(const Imports& live, const ferry::Device& device,
                                                     std::span<std::uint32_t> elements) {
    try {
        return std::make_unique<Import<std::uint32_t>>(device, elements);
    } catch (const ferry::Error& error) {
        if (std::string(error.what())
                .find("overlaps other imports, and registered memory has another address") ==
            std::string::npos) {
            throw;
        }
        CHECK(error.code() == Code::unsupported);
    }
    CHECK(!device.capabilities(ferry::MemoryKind::imported, ferry::Probe::declared).same_address.value);
    const auto pages = [](std::span<std::uint32_t> span) {
        const auto begin = reinterpret_cast<std::uintptr_t>(span.data());
        return std::pair(begin / ferry::detail::page_size(),
                         (begin + span.size_bytes() - 1) / ferry::detail::page_size());
    };
    const auto [first, last] = pages(elements);
    CHECK(std::any_of(live.begin(), live.end(), [&, from = first, to = last](const auto& other) {
        const auto [other_first, other_last] = pages((*other)->span());
        return from <= other_last && other_first <= to;
    }));
    const std::vector<std::uint32_t> before(elements.begin(), elements.end());
    ferry::Queue queue{device};
    {
        auto shared = ferry::share(device, elements, ferry::Access::device_updates);
        queue.launch(kernel(device, "add"), ferry::Grid::covering(elements.size(), 32), shared,
                     static_cast<std::uint32_t>(elements.size()), 21U);
    }
    CHECK(std::equal(before.begin(), before.end(), elements.begin(),
                     [](std::uint32_t was, std::uint32_t is) { return is == was + 21; }));
    return nullptr;
}

} // namespace

FERRY_TEST("import: a kernel works on the caller's memory in place") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    for (const std::size_t size : odd_sizes) {
        std::vector<std::uint32_t> data = random_values<std::uint32_t>(size);
        const Import imported{device, data};
        CHECK(imported->size() == size);
        CHECK(imported->span().data() == data.data());
        CHECK(imported->device() == device);
        check_adds(queue, *imported, 5);
        std::fill(data.begin(), data.end(), 1U); // the host may write now
        check_adds(queue, *imported, 7);
    }
}

FERRY_TEST("import: mmap, huge alignment and odd beginnings") {
    ferry::Queue queue{device};
    const Pages pages{std::size_t{1} << 20};
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{4097}}) {
        const Import<std::uint32_t> imported{device, pages.span().subspan(first, 5000)};
        check_adds(queue, *imported, 3);
    }
    void* const aligned = std::aligned_alloc(std::size_t{2} << 20, std::size_t{2} << 20);
    REQUIRE(aligned != nullptr);
    madvise(aligned, std::size_t{2} << 20, MADV_HUGEPAGE);
    const std::span<std::uint32_t> whole(static_cast<std::uint32_t*>(aligned), std::size_t{1} << 19);
    std::fill(whole.begin(), whole.end(), 2U);
    {
        const Imported<std::uint32_t> imported{device, whole};
        check_adds(queue, imported, 11);
    }
    std::free(aligned);
}

FERRY_TEST("import: copies, fills and views") {
    ferry::Queue queue{device};
    std::vector<std::uint32_t> data = random_values<std::uint32_t>(3000);
    const Import imported{device, data};
    ferry::Buffer<std::uint32_t> buffer{device, 3000};
    queue.copy(*imported, buffer);
    check_same(queue.read(buffer), data);
    queue.fill(buffer, 77U);
    queue.copy_and_wait(buffer, *imported);
    check_same(data, std::vector<std::uint32_t>(3000, 77U));
    queue.copy_and_wait(std::vector<std::uint32_t>(10, 5U), imported->subview(100, 10));
    CHECK(data[99] == 77U);
    CHECK(data[100] == 5U);
    CHECK(data[109] == 5U);
    CHECK(data[110] == 77U);
    ferry::View<std::uint32_t> all = *imported;
    queue.fill(all, 9U);
    queue.finish();
    CHECK(std::count(data.begin(), data.end(), 9U) == 3000);
}

FERRY_TEST("import: copies to and from every kind of memory") {
    ferry::Queue queue{device};
    std::vector<std::uint32_t> data = random_values<std::uint32_t>(600);
    const Import imported{device, data};
    using ferry::MemoryKind;
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        if (!device.has(kind)) {
            continue;
        }
        INFO(std::string(ferry::to_string(kind)));
        ferry::Buffer<std::uint32_t> buffer{device, 600, kind};
        queue.fill(buffer, 1U);
        queue.copy(imported->first(500), buffer.first(500));
        std::vector<std::uint32_t> wanted = data;
        std::fill(wanted.begin() + 500, wanted.end(), 1U);
        check_same(queue.read(buffer), wanted);
        queue.copy_and_wait(buffer.last(200), imported->first(200));
        std::copy_n(wanted.begin() + 400, 200, wanted.begin());
        std::copy_n(data.begin() + 500, 100, wanted.begin() + 500);
        check_same(data, wanted);
        queue.fill(buffer, 2U);
        queue.copy(ferry::Box{buffer, {10, 60}}.sub({.x = 3}, {4, 60}),
                   ferry::Box{imported->view(), {10, 60}}.sub({.x = 3}, {4, 60}));
        queue.finish();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            wanted[i] = i % 10 >= 3 && i % 10 < 7 ? 2U : wanted[i];
        }
        check_same(data, wanted);
    }
}

FERRY_TEST("import: neighbours in one page, twice the same, and overlapping, ended in any order") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const Pages pages{std::size_t{64} << 10};
    const std::span<std::uint32_t> all = pages.span();
    for (int round = 0; round < 12; ++round) {
        Imports live;
        for (int i = 0; i < 8; ++i) {
            const std::size_t first = random_below(all.size());
            const std::size_t count = 1 + random_below(std::min<std::size_t>(all.size() - first, 6000));
            if (auto made = import_beside(live, device, all.subspan(first, count))) {
                live.push_back(std::move(made));
                check_adds(queue, **live.back(), static_cast<std::uint32_t>(i));
            }
        }
        live.push_back(std::make_unique<Import<std::uint32_t>>(device, (*live.front())->span()));
        while (!live.empty()) {
            const std::size_t at = random_below(live.size());
            const Imported<std::uint32_t>& import = **live[at];
            check_adds(queue, import, 100);
            ferry::Buffer<std::uint32_t> copy{device, import.size()};
            queue.copy(import, copy); // crosses the boundary between two imports
            const std::span<std::uint32_t> span = import.span();
            check_same(queue.read(copy), std::vector<std::uint32_t>(span.begin(), span.end()));
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }
}

FERRY_TEST("import: fills and boxes cross the boundary of two imports") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const Pages pages{std::size_t{64} << 10};
    const std::span<std::uint32_t> all = pages.span();
    for (int round = 0; round < 4; ++round) {
        Imports live;
        for (int i = 0; i < 5; ++i) {
            const std::size_t first = i == 4 ? 1 + random_below(9) : random_below(all.size() - 4000);
            const std::size_t count =
                i == 4 ? all.size() - first : 3500 + random_below(all.size() - first - 3500);
            if (auto made = import_beside(live, device, all.subspan(first, count))) {
                live.push_back(std::move(made));
            }
        }
        const Imported<std::uint32_t>& last = **live.back();
        const std::size_t first = random_below(9);
        const std::size_t columns = 60 + random_below(50);
        const std::size_t rows = (last.size() - first) / columns;
        const auto view = last.subview(first, rows * columns);
        const std::span<std::uint32_t> host = last.span().subspan(first, rows * columns);
        const auto check = [&](const std::vector<std::uint32_t>& wanted) {
            queue.finish();
            check_same(std::vector<std::uint32_t>(host.begin(), host.end()), wanted);
        };
        for (const std::size_t size : {1U, 3U, 4U, 12U, 20U}) { // bytes
            const auto pattern = random_values<std::uint8_t>(size);
            // a multiple of the sizes of patterns and elements
            const std::size_t whole = host.size_bytes() / 60 * 60;
            std::vector<std::uint32_t> wanted(host.begin(), host.end());
            auto* const out = reinterpret_cast<std::uint8_t*>(wanted.data());
            for (std::size_t i = 0; i < whole; ++i) {
                out[i] = pattern[i % size];
            }
            queue.fill_bytes(view.first(whole / 4), std::as_bytes(std::span(pattern)));
            check(wanted);
        }
        const auto values = random_values<std::uint32_t>(rows * columns);
        const ferry::Extent all_of_it{columns, rows};
        const ferry::Extent extent{columns - 7, rows};
        ferry::Buffer<std::uint32_t> apart{device, rows * columns};
        queue.fill(apart, 5U);
        const auto part = [&](const ferry::View<std::uint32_t>& memory) {
            return ferry::Box<std::uint32_t>{memory, all_of_it}.sub({3}, extent);
        };
        queue.copy(ferry::HostBox{values, all_of_it}.sub({3}, extent), part(view));
        queue.copy(part(view), part(apart.view()));
        std::vector<std::uint32_t> wanted(host.begin(), host.end());
        std::vector<std::uint32_t> copied(values.size(), 5U);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i % columns >= 3 && i % columns < columns - 4) {
                wanted[i] = values[i];
                copied[i] = values[i];
            }
        }
        check(wanted);
        check_same(queue.read(apart), copied);
        queue.fill(view, 9U);
        queue.copy(part(apart.view()), part(view));
        std::vector<std::uint32_t> back(values.size(), 1U);
        queue.copy(ferry::Box<std::uint32_t>{view, all_of_it}, ferry::HostBox{back, all_of_it});
        queue.finish();
        std::replace(copied.begin(), copied.end(), 5U, 9U);
        check_same(back, copied);
    }
}

FERRY_TEST("import: ordinary memory in the same pages is copied as ever") {
    ferry::Queue queue{device};
    const Pages pages{std::size_t{32} << 10};
    const std::span<std::uint32_t> all = pages.span();
    const Import<std::uint32_t> first{device, all.subspan(100, 1000)};
    const Import<std::uint32_t> second{device, all.subspan(5000, 100)};
    const std::vector<std::uint32_t> values = random_values<std::uint32_t>(all.size());
    std::copy(values.begin(), values.end(), all.begin());
    ferry::Buffer<std::uint32_t> buffer{device, all.size()};
    queue.copy(all, buffer);
    check_same(queue.read(buffer), values);
    queue.fill(buffer, 3U);
    queue.copy_and_wait(buffer.first(6000), all.first(6000));
    CHECK(std::count(all.begin(), all.begin() + 6000, 3U) == 6000);
    CHECK(std::equal(all.begin() + 6000, all.end(), values.begin() + 6000));
}

FERRY_TEST("import: a part of a page is taken, or refused with the rule, and shared all the same") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const auto facts = device.capabilities(ferry::MemoryKind::imported, ferry::Probe::declared);
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t words = page / sizeof(std::uint32_t);
    const Pages pages{4 * page};
    for (const auto& [first, count] : {std::pair{std::size_t{1}, words}, std::pair{words, words + 1}}) {
        const std::span<std::uint32_t> part = pages.span().subspan(first, count);
        try {
            const Imported<std::uint32_t> imported{device, part};
            check_adds(queue, imported, 6);
        } catch (const ferry::Error& error) {
            INFO(error.what());
            if (!says_whole_pages(error)) {
                throw;
            }
            const std::string text = error.what();
            for (const std::string& wanted :
                 {std::to_string(part.size_bytes()) + " bytes", "multiples of " + std::to_string(page)}) {
                CHECK_MESSAGE(text.find(wanted) != std::string::npos, "it does not say: ", wanted);
            }
            CHECK(facts.pointer_alignment.value == page);
            CHECK(facts.size_granularity.value == page);
        }
        std::fill(part.begin(), part.end(), 1U);
        const auto shared = ferry::share(device, part, ferry::Access::device_updates);
        queue.launch(kernel(device, "add"), ferry::Grid::covering(count, 32), shared,
                     static_cast<std::uint32_t>(count), 4U);
        const auto seen = shared.host(queue);
        CHECK(std::count(seen.begin(), seen.end(), 5U) == static_cast<std::ptrdiff_t>(count));
    }
}

FERRY_TEST("import: mapped, and used by two queues in turn and side by side") {
    const Pages pages{std::size_t{64} << 10};
    const std::span<std::uint32_t> all = pages.span();
    std::fill(all.begin(), all.end(), 1U);
    const Imported<std::uint32_t> imported{device, all};
    const auto half = static_cast<std::uint32_t>(all.size() / 2);
    ferry::Queue first{device};
    ferry::Queue second{device};
    const auto add = [&](ferry::Queue& queue, const ferry::View<std::uint32_t>& view, std::uint32_t value) {
        queue.launch(kernel(device, "add"), ferry::Grid::covering(view.size(), 32), view,
                     static_cast<std::uint32_t>(view.size()), value);
    };
    add(first, imported.first(half), 1);
    add(second, imported.subview(half), 2);
    const ferry::Event done = second.record();
    first.wait(done);
    add(first, imported, 4);
    {
        const auto mapping = imported.view().map(first, ferry::Map::read_write);
        CHECK(mapping[0] == 6);
        CHECK(mapping[all.size() - 1] == 7);
        mapping[0] = 50;
    }
    add(first, imported, 10);
    first.finish();
    CHECK(all[0] == 60);
    CHECK(std::count(all.begin() + 1, all.begin() + half, 16U) == half - 1);
    CHECK(std::count(all.begin() + half, all.end(), 17U) == half);
}

// NVIDIA's OpenCL may read the source of a small write at the time of the call, before the command that
// produces it.
FERRY_TEST("import: a command reads the writes of the one before it, without a wait between") {
    constexpr std::uint32_t rounds = 2000;
    ferry::Queue first{device};
    ferry::Queue second{device};
    const ferry::Kernel spin = kernel(device, "spin");
    for (const std::size_t kibibytes : {4U, 64U, 256U, 1024U}) {
        const Pages pages{kibibytes << 10};
        const Pages more{kibibytes << 10};
        const std::size_t size = pages.span().size();
        const Imported<std::uint32_t> between{device, pages.span()};
        const Imported<std::uint32_t> again{device, more.span()};
        ferry::Buffer<std::uint32_t> from{device, size};
        ferry::Buffer<std::uint32_t> to{device, size};
        std::vector<std::uint32_t> wanted(size, 9);
        for (std::uint32_t i = 0; i < 64; ++i) {
            wanted[i] = spin_result(i, rounds);
        }
        first.fill(from, 9U);
        first.launch(spin, ferry::Grid{1, 64}, from, rounds);
        first.copy(from, between);
        first.launch(kernel(device, "add"), ferry::Grid::covering(size, 64), between,
                     static_cast<std::uint32_t>(size), 5U);
        first.copy(between, to);
        first.copy(to, again);
        second.wait(first.record());
        second.copy(again, from);
        for (std::uint32_t& value : wanted) {
            value += 5;
        }
        check_same(second.read(from), wanted);
        first.finish();
        check_same(std::vector<std::uint32_t>(more.span().begin(), more.span().end()), wanted);
    }
}

FERRY_TEST("import: the host writes to bytes that no command uses while a kernel uses the others") {
    ferry::Queue queue{device};
    const Pages pages{std::size_t{64} << 10};
    const Imported<std::uint32_t> imported{device, pages.span()};
    const std::size_t half = imported.size() / 2;
    check_beside(
        queue, pages.span(), [&](std::size_t first) { return imported.subview(first, half); },
        [&](std::size_t first, std::uint32_t number) {
            std::fill_n(pages.span().begin() + static_cast<std::ptrdiff_t>(first), half, number);
        });
}

FERRY_TEST("import: a read-only file mapping is used or refused, and never written") {
    const std::string name = file_of(10000);
    std::FILE* const file = std::fopen(name.c_str(), "r");
    REQUIRE(file != nullptr);
    void* const data = mmap(nullptr, 10000, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    REQUIRE(data != MAP_FAILED);
    const std::span<const std::uint32_t> span(static_cast<const std::uint32_t*>(data), 2500);
    ferry::Queue queue{device};
    try {
        const Import<const std::uint32_t> imported{device, span};
        ferry::Buffer<std::uint32_t> out{device, span.size()};
        queue.launch(kernel(device, "combine"), ferry::Grid::covering(span.size(), 32), *imported, *imported,
                     out, 2500U);
        const std::vector<std::uint32_t> result = queue.read(out);
        for (std::size_t i = 0; i < span.size(); ++i) {
            REQUIRE(result[i] == span[i] * 4);
        }
    } catch (const ferry::Error& error) {
        if (std::string(error.what()).find("read-only") == std::string::npos) {
            throw; // this device cannot import at all
        }
        CHECK(error.code() == Code::unsupported);
    }
    expect_error(Code::invalid_argument, {"not writable", "(10000 bytes)"}, [&] {
        const std::span<std::uint32_t> wrong(const_cast<std::uint32_t*>(span.data()), span.size());
        const Imported<std::uint32_t> imported(device, wrong);
    });
    munmap(data, 10000);
    std::fclose(file);
    unlink(name.c_str());
}

FERRY_TEST("import: bad memory is refused with its addresses") {
    const Unchanged unchanged{device};
    using Words = std::span<std::uint32_t>;
    expect_error(Code::invalid_argument, {"null pointer"}, [&] {
        const Imported<std::uint32_t> imported(device, Words(static_cast<std::uint32_t*>(nullptr), 4));
    });
    std::vector<std::uint32_t> data(4);
    expect_error(Code::invalid_argument, {"no elements"},
                 [&] { const Imported<std::uint32_t> imported(device, Words(data.data(), 0)); });
    expect_error(Code::invalid_argument, {"address space"}, [&] {
        const Imported<std::uint32_t> imported(device, Words(data.data(), std::size_t{1} << 62));
    });
    // Not an array, because AddressSanitizer moves arrays away from the stack.
    const Words local(static_cast<std::uint32_t*>(__builtin_alloca(64)), 16);
    expect_error(Code::invalid_argument, {"stack"},
                 [&] { const Imported<std::uint32_t> imported(device, local); });

    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const Pages pages{page * 3};
    std::byte* const guard = static_cast<std::byte*>(pages.data()) + page;
    REQUIRE(mprotect(guard, page, PROT_NONE) == 0);
    expect_error(Code::invalid_argument, {"not readable", std::to_string(page)},
                 [&] { const Imported<std::uint32_t> imported(device, pages.span()); });
    REQUIRE(munmap(guard, page) == 0);
    expect_error(Code::invalid_argument, {"not mapped"},
                 [&] { const Imported<std::uint32_t> imported(device, pages.span()); });
    const Imported<std::uint32_t> rest(device, pages.span().first(page / sizeof(std::uint32_t)));
    CHECK(rest.size_bytes() == page);
}

FERRY_TEST("import: the double refuses memory with a page that was registered elsewhere") {
    inject(device, "");
    using Register = int(void*, std::size_t, unsigned int);
    using Unregister = int(void*);
    const bool cuda = device.backend() == ferry::Backend::cuda;
    void* const library = open_vendor_library(cuda ? "FERRY_CUDA_LIBRARY" : "FERRY_HIP_LIBRARY", {});
    const auto function = [&](const char* name) {
        return vendor_symbol(library, vendor_name(device, name).c_str());
    };
    auto* const lock = reinterpret_cast<Register*>(function("hipHostRegister"));
    auto* const unlock = reinterpret_cast<Unregister*>(function("hipHostUnregister"));
    if (lock == nullptr || unlock == nullptr) {
        throw ferry::Error(Code::unsupported, "This version of the library registers no memory.");
    }
    constexpr unsigned int portable_mapped = 3;
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    ferry::Queue queue{device};
    const Pages pages{page * 4};
    // A device that accesses ordinary memory directly has nothing to register.
    const auto facts = device.capabilities(ferry::MemoryKind::imported, ferry::Probe::declared);
    const bool by_itself = facts.same_address.source.find("PageableMemoryAccess=1") != std::string::npos;
    for (const std::size_t at : {std::size_t{0}, std::size_t{3}}) {
        void* const theirs = static_cast<std::byte*>(pages.data()) + at * page;
        REQUIRE(lock(theirs, page, portable_mapped) == 0);
        if (by_itself) {
            check_adds(queue, Imported<std::uint32_t>(device, pages.span()), 6);
            REQUIRE(unlock(theirs) == 0);
            continue;
        }
        expect_error_anywhere(Code::unsupported,
                              {std::to_string(4 * page), at == 0 ? "last one" : "first one"},
                              [&] { const Imported<std::uint32_t> imported(device, pages.span()); });
        REQUIRE(unlock(theirs) == 0);
    }
    // fully locked memory is equal to Ferry's own
    REQUIRE(lock(pages.data(), 4 * page, portable_mapped) == 0);
    {
        const Imported<std::uint32_t> imported(device, pages.span());
        check_adds(queue, imported, 4);
    }
    REQUIRE(unlock(pages.data()) == 0);
    const Imported<std::uint32_t> imported(device, pages.span());
    check_adds(queue, imported, 5);
}
