// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "vendor.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Code;
using ferry::Imported;

namespace {

/// Memory of the operating system's, gone at the end of the scope.
class Pages {
public:
    explicit Pages(std::size_t bytes, int rights = PROT_READ | PROT_WRITE)
        : bytes_(bytes), data_(mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        REQUIRE(data_ != MAP_FAILED);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { munmap(data_, bytes_); }
    template <class T = std::uint32_t>
    std::span<T> span() const {
        return {static_cast<T*>(data_), bytes_ / sizeof(T)};
    }
    void* data() const { return data_; }

private:
    std::size_t bytes_;
    void* data_;
};

/// data[i] += value by the device, checked on the host.
void check_adds(ferry::Queue& queue, const Imported<std::uint32_t>& imported, std::uint32_t value) {
    const std::span<std::uint32_t> span = imported.span();
    std::vector<std::uint32_t> wanted(span.begin(), span.end());
    for (std::uint32_t& v : wanted) {
        v += value;
    }
    queue.launch(kernel(queue.device(), "add"), ferry::Grid::covering(span.size(), 32), imported,
                 static_cast<std::uint32_t>(span.size()), value);
    queue.finish();
    check_same(std::vector<std::uint32_t>(span.begin(), span.end()), wanted);
}

std::string file_of(std::size_t bytes) {
    std::string name = "/tmp/ferry-import-XXXXXX";
    const int file = mkstemp(name.data());
    REQUIRE(file >= 0);
    const auto data = random_values<std::uint8_t>(bytes);
    REQUIRE(write(file, data.data(), bytes) == static_cast<ssize_t>(bytes));
    close(file);
    return name;
}

} // namespace

FERRY_TEST("import: a kernel works on the caller's memory in place") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    for (const std::size_t size : odd_sizes) {
        std::vector<std::uint32_t> data = random_values<std::uint32_t>(size);
        const Imported<std::uint32_t> imported{device, data};
        CHECK(imported.size() == size);
        CHECK(imported.span().data() == data.data());
        CHECK(imported.device() == device);
        check_adds(queue, imported, 5);
        std::fill(data.begin(), data.end(), 1U); // the host's turn
        check_adds(queue, imported, 7);
    }
}

FERRY_TEST("import: mmap, huge alignment and odd beginnings") {
    ferry::Queue queue{device};
    const Pages pages{std::size_t{1} << 20};
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{4097}}) {
        const Imported<std::uint32_t> imported{device, pages.span().subspan(first, 5000)};
        check_adds(queue, imported, 3);
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
    const Imported<std::uint32_t> imported{device, data};
    ferry::Buffer<std::uint32_t> buffer{device, 3000};
    queue.copy(imported, buffer);
    check_same(queue.read(buffer), data);
    queue.fill(buffer, 77U);
    queue.copy_and_wait(buffer, imported);
    check_same(data, std::vector<std::uint32_t>(3000, 77U));
    queue.copy_and_wait(std::vector<std::uint32_t>(10, 5U), imported.subview(100, 10));
    CHECK(data[99] == 77U);
    CHECK(data[100] == 5U);
    CHECK(data[109] == 5U);
    CHECK(data[110] == 77U);
    ferry::View<std::uint32_t> all = imported;
    queue.fill(all, 9U);
    queue.finish();
    CHECK(std::count(data.begin(), data.end(), 9U) == 3000);
}

FERRY_TEST("import: neighbours in one page, twice the same, and overlapping, ended in any order") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const Pages pages{std::size_t{64} << 10};
    const std::span<std::uint32_t> all = pages.span();
    for (int round = 0; round < 12; ++round) {
        std::vector<std::unique_ptr<Imported<std::uint32_t>>> live;
        for (int i = 0; i < 8; ++i) {
            const std::size_t first = random_below(all.size());
            const std::size_t count = 1 + random_below(std::min<std::size_t>(all.size() - first, 6000));
            live.push_back(std::make_unique<Imported<std::uint32_t>>(device, all.subspan(first, count)));
            check_adds(queue, *live.back(), static_cast<std::uint32_t>(i));
        }
        live.push_back(std::make_unique<Imported<std::uint32_t>>(device, live.front()->span()));
        while (!live.empty()) {
            const std::size_t at = random_below(live.size());
            check_adds(queue, *live[at], 100);
            ferry::Buffer<std::uint32_t> copy{device, live[at]->size()};
            queue.copy(*live[at], copy); // crosses where imports meet
            const std::span<std::uint32_t> span = live[at]->span();
            check_same(queue.read(copy), std::vector<std::uint32_t>(span.begin(), span.end()));
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }
}

FERRY_TEST("import: ordinary memory in the same pages is copied as ever") {
    ferry::Queue queue{device};
    const Pages pages{std::size_t{32} << 10};
    const std::span<std::uint32_t> all = pages.span();
    const Imported<std::uint32_t> first{device, all.subspan(100, 1000)};
    const Imported<std::uint32_t> second{device, all.subspan(5000, 100)};
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

FERRY_TEST("import: ended while a command uses it") {
    ferry::Queue queue{device};
    std::vector<std::uint32_t> data(4096, 1U);
    {
        Imported<std::uint32_t> imported{device, data};
        queue.launch(kernel(device, "add"), ferry::Grid::covering(data.size(), 32), imported, 4096U, 4U);
        Imported<std::uint32_t> moved = std::move(imported);
        CHECK(imported.empty()); // NOLINT(bugprone-use-after-move): that is the behaviour under test
    }
    queue.finish();
    check_same(data, std::vector<std::uint32_t>(4096, 5U));
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
        const Imported<const std::uint32_t> imported{device, span};
        ferry::Buffer<std::uint32_t> out{device, span.size()};
        queue.launch(kernel(device, "combine"), ferry::Grid::covering(span.size(), 32), imported, imported,
                     out, 2500U);
        const std::vector<std::uint32_t> result = queue.read(out);
        for (std::size_t i = 0; i < span.size(); ++i) {
            REQUIRE(result[i] == span[i] * 4);
        }
    } catch (const ferry::Error& error) {
        if (std::string(error.what()).find("read-only") == std::string::npos) {
            throw; // no import at all on this device
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
    // Not an array: AddressSanitizer keeps those elsewhere.
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

FERRY_TEST("import: the double's memory of which somebody else has registered a page is refused") {
    inject(device, "");
    using Register = int(void*, std::size_t, unsigned int);
    using Unregister = int(void*);
    void* const library = open_vendor_library("FERRY_HIP_LIBRARY", {});
    auto* const lock = reinterpret_cast<Register*>(vendor_symbol(library, "hipHostRegister"));
    auto* const unlock = reinterpret_cast<Unregister*>(vendor_symbol(library, "hipHostUnregister"));
    REQUIRE((lock != nullptr && unlock != nullptr));
    constexpr unsigned int portable_mapped = 3;
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    ferry::Queue queue{device};
    const Pages pages{page * 4};
    for (const std::size_t at : {std::size_t{0}, std::size_t{3}}) {
        void* const theirs = static_cast<std::byte*>(pages.data()) + at * page;
        REQUIRE(lock(theirs, page, portable_mapped) == 0);
        expect_error_anywhere(Code::unsupported,
                              {std::to_string(4 * page), at == 0 ? "last one" : "first one"},
                              [&] { const Imported<std::uint32_t> imported(device, pages.span()); });
        REQUIRE(unlock(theirs) == 0);
    }
    REQUIRE(lock(pages.data(), 4 * page, portable_mapped) == 0); // all of it: that is as good as Ferry's own
    {
        const Imported<std::uint32_t> imported(device, pages.span());
        check_adds(queue, imported, 4);
    }
    REQUIRE(unlock(pages.data()) == 0);
    const Imported<std::uint32_t> imported(device, pages.span());
    check_adds(queue, imported, 5);
}
