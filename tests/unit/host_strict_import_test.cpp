// SPDX-License-Identifier: Apache-2.0
// The strict host device's treatment of the caller's memory, tested without the front.
#include "host_backend_fixture.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace host_strict_import_test {

using namespace ferry;

namespace {

const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

backend::Device& strict() {
    static const std::unique_ptr<backend::Driver> driver = [] {
        std::vector<ferry::BackendReason> reasons;
        backend::Libraries settings;
        settings.host_mode.value = "strict";
        return host::open(settings, reasons, &ferry::host::make_strict_device);
    }();
    static const std::vector<std::unique_ptr<backend::Device>> devices = driver->devices();
    return *devices.front();
}

class Pages {
public:
    explicit Pages(std::size_t bytes = page)
        : bytes_(bytes),
          data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                     0)) {
        REQUIRE(data_ != MAP_FAILED);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { munmap(data_, bytes_); }
    void make_read_only() { mprotect(data_, bytes_, PROT_READ); }
    std::byte* data() const { return static_cast<std::byte*>(data_); }
    std::uint32_t* words() const { return static_cast<std::uint32_t*>(data_); }

private:
    std::size_t bytes_;
    void* data_;
};

std::unique_ptr<backend::Memory> import(const Pages& pages, bool read_only = false) {
    std::string why;
    auto memory = strict().import_memory(pages.data(), page, read_only, why);
    REQUIRE(memory != nullptr);
    CHECK(memory->host == pages.data());
    return memory;
}

backend::Argument part(backend::Memory& memory, std::size_t offset, std::size_t bytes) {
    return {ferry::detail::ArgumentKind::buffer, bytes, nullptr, {&memory, offset}};
}

void copy_word(const HostGroup&, std::uint32_t* from, std::uint32_t* to) {
    to[0] = from[0];
}

// A kernel that writes, and ends after the host has read.
struct Meeting {
    std::atomic<std::uint32_t> written{0}, seen{0};
};
void write_and_wait(const HostGroup&, std::uintptr_t meeting, std::uint32_t* data, std::uint32_t* more) {
    auto& m = *reinterpret_cast<Meeting*>(meeting);
    data[0] = 5;
    more[1] = 6;
    m.written = 1;
    m.written.notify_all();
    m.seen.wait(0);
}

/// A launch of that kernel with two arguments.
class Waiting {
public:
    Waiting(const backend::Argument& data, const backend::Argument& more) {
        const auto at = reinterpret_cast<std::uintptr_t>(&meeting_);
        queue_->launch(*kernel_, {1, 1}, std::vector{host_test::value(at), data, more});
    }
    void wait_until_written() { meeting_.written.wait(0); }
    void end() {
        meeting_.seen = 1;
        meeting_.seen.notify_all();
        queue_->finish();
    }

private:
    Meeting meeting_;
    const std::unique_ptr<backend::Queue> queue_ = strict().create_queue({});
    const host_test::OneKernel kernel_{host_kernel<write_and_wait>("write_and_wait")};
};

} // namespace

TEST_CASE("strict imports: the record says whole pages, and copies") {
    const MemoryCapabilities facts = strict().memory_facts(MemoryKind::imported);
    CHECK(facts.available);
    CHECK(facts.reach.value == Reach::copy);
    CHECK(strict().import_reach() == backend::ImportReach::copy);
    CHECK(facts.coherence.value == Coherence::kernel_boundary);
    CHECK(facts.atomics.value == Atomics::device);
    CHECK_FALSE(facts.same_address.value);
    CHECK_FALSE(facts.migrates.value);
    CHECK(facts.host_cached.value);
    CHECK(facts.pointer_alignment.value == page);
    CHECK(facts.size_granularity.value == page);
    CHECK(facts.max_size.value == strict().info().max_allocation);
}

TEST_CASE("strict imports: accepted memory, and memory refused with the rule") {
    struct Row {
        std::size_t offset, bytes;
        const char* why; ///< null: the import succeeds
    };
    const std::size_t most = strict().info().max_allocation;
    const Pages pages(most + 2 * page);
    for (const Row& row : std::initializer_list<Row>{{0, page, nullptr},
                                                     {page, 3 * page, nullptr},
                                                     {0, most, nullptr},
                                                     {64, page, "multiples of"},
                                                     {page - 1, page, "multiples of"},
                                                     {0, page - 1, "multiples of"},
                                                     {0, page + 64, "multiples of"},
                                                     {0, 4, "multiples of"},
                                                     {0, most + page, "in one piece"}}) {
        INFO("offset ", row.offset, ", ", row.bytes, " bytes");
        std::string why;
        const auto memory = strict().import_memory(pages.data() + row.offset, row.bytes, false, why);
        CHECK((memory != nullptr) == (row.why == nullptr));
        CHECK(why.find(row.why != nullptr ? row.why : "") != std::string::npos);
    }
}

TEST_CASE("strict imports: the device has its own memory for each") {
    const std::size_t most = strict().info().max_allocation;
    const Pages pages(most);
    const auto before = strict().free_memory();
    std::string why;
    std::vector<std::unique_ptr<backend::Memory>> imports;
    for (int i = 0; i < 4; ++i) {
        imports.push_back(strict().import_memory(pages.data(), most, false, why));
    }
    CHECK(strict().free_memory() == *before - 4 * most);
    try {
        imports.push_back(strict().import_memory(pages.data(), page, false, why));
        FAIL("there was room for more");
    } catch (const Error& error) {
        CHECK(error.code() == Code::out_of_memory);
        CHECK(std::string(error.what()).find("An import of " + std::to_string(page) + " bytes") !=
              std::string::npos);
    }
    imports.clear();
    CHECK(strict().free_memory() == before);
}

TEST_CASE("strict imports: the host sees a kernel's writes after its end, and not before") {
    const Pages pages;
    const auto memory = import(pages);
    Waiting kernel(part(*memory, 0, page), part(*memory, 0, page));
    kernel.wait_until_written();
    CHECK(pages.words()[0] == 0);
    kernel.end();
    CHECK(pages.words()[0] == 5);
}

TEST_CASE("strict imports: the host may use the bytes that no command was given") {
    const Pages pages;
    const auto memory = import(pages);
    Waiting kernel(part(*memory, 0, 64), part(*memory, page / 2, 64));
    std::byte* const between = pages.data() + 64;
    std::fill_n(between, page / 2 - 64, std::byte{7}); // possibly before the kernel begins
    kernel.wait_until_written();
    std::fill_n(between, page / 2 - 64, std::byte{8});
    kernel.end();
    CHECK(std::count(between, between + page / 2 - 64, std::byte{8}) ==
          static_cast<std::ptrdiff_t>(page / 2 - 64));
    CHECK(pages.words()[0] == 5);
    CHECK(pages.words()[page / 8 + 1] == 6);
}

// tests/wrong has the kernel that writes to such pages.
TEST_CASE("strict imports: read-only pages serve a kernel that does not promise to leave them alone") {
    Pages pages;
    pages.words()[0] = 8;
    pages.make_read_only();
    const auto memory = import(pages, true);
    const auto out = strict().allocate(MemoryKind::device, 4);
    const auto queue = strict().create_queue({});
    const host_test::OneKernel kernel{host_kernel<copy_word>("copy_word")};
    queue->launch(*kernel, {1, 1}, std::vector{part(*memory, 0, page), part(*out, 0, 4)});
    std::uint32_t word = 0;
    queue->read({out.get(), 0}, &word, 4);
    queue->finish();
    CHECK(word == 8);
}

} // namespace host_strict_import_test
