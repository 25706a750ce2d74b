// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "children.hpp"
#include "devices.hpp"
#include "kernels.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace device_test {

using namespace conformance;
using ferry::Code;

FERRY_TEST("device: its preferred group size is that of large one-dimensional launches") {
    const ferry::DeviceInfo& info = device.info();
    const std::size_t size = info.preferred_group_size;
    CHECK(size == std::min({std::size_t{256}, info.max_group_size, info.max_local[0]}));
    const ferry::Kernel add = kernel(device, "add");
    const std::size_t most = add.info().max_group_size != 0 ? add.info().max_group_size : size;
    const std::size_t multiple = std::max<std::size_t>(add.info().preferred_multiple, 1);
    const std::size_t limit = std::min(size, most);
    CHECK(add.covering(1'000'003).local.x == (limit < multiple ? limit : limit - limit % multiple));
}

FERRY_TEST("device: it describes itself") {
    const ferry::DeviceInfo& info = device.info();
    CHECK_FALSE(info.name.empty());
    CHECK_FALSE(info.vendor.empty());
    CHECK_FALSE(info.driver_version.empty());
    CHECK_FALSE(info.api_version.empty());
    CHECK(info.total_memory > 1 << 20);
    CHECK(info.max_allocation > 1 << 20);
    CHECK(info.max_allocation <= info.total_memory);
    const bool may_be_unknown = info.backend == ferry::Backend::vulkan && info.kind == ferry::DeviceKind::gpu;
    CHECK((info.compute_units > 0 || may_be_unknown)); // few drivers report it
    CHECK(info.max_group_size >= 64);
    for (std::size_t d = 0; d < 3; ++d) {
        CHECK(info.max_local[d] >= 1);
        CHECK(info.max_local[d] <= info.max_group_size);
        CHECK(info.max_groups[d] >= 65535);
    }
    CHECK(info.local_memory >= 16384);
    CHECK(info.max_argument_bytes >= 256);
    CHECK_FALSE(info.compile_note.empty());
    CHECK(std::string(ferry::to_string(info.kind)).size() >= 3);
    for (const std::string* text : {&info.name, &info.vendor, &info.driver_version}) {
        CHECK_MESSAGE(
            std::none_of(text->begin(), text->end(), [](unsigned char c) { return std::iscntrl(c) != 0; }),
            *text);
        CHECK_FALSE(std::isspace(static_cast<unsigned char>(text->back())));
    }
    if (!info.uuid.empty()) {
        CHECK(info.uuid.size() == 36);
        CHECK(info.uuid[8] == '-');
    }
    if (!info.pci_address.empty()) {
        CHECK(info.pci_address.size() == 12);
        CHECK(info.pci_address[4] == ':');
    }
    CHECK(&device.info() == &info);
}

FERRY_TEST("device: it is found by its id and by its backend and index") {
    const std::string backend(ferry::to_string(device.backend()));
    CHECK(device.id() == backend + ":" + std::to_string(device.info().index));
    CHECK(ferry::find_device(device.id()) == device);
    if (device.info().index == 0) {
        CHECK(ferry::find_device(backend) == device);
    }
    std::string upper = device.id();
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    CHECK(ferry::find_device(upper) == device);
}

FERRY_TEST("device: it is found by its position, a part of its name, its UUID and PCI address") {
    const auto devices = ferry::devices();
    for (std::size_t i = 0; i < devices.size(); ++i) {
        CHECK(ferry::find_device(std::to_string(i)) == devices[i]);
    }
    const auto all = ferry::all_devices();
    const auto alone = [&](auto field) {
        return std::count_if(all.begin(), all.end(), [&](const ferry::Device& d) {
                   return d.info().*field == device.info().*field;
               }) == 1;
    };
    if (!device.info().uuid.empty() && alone(&ferry::DeviceInfo::uuid)) {
        CHECK(ferry::find_device(device.info().uuid) == device);
    }
    if (!device.info().pci_address.empty() && alone(&ferry::DeviceInfo::pci_address)) {
        CHECK(ferry::find_device(device.info().pci_address) == device);
        CHECK(ferry::find_device(device.info().pci_address.substr(5)) == device);
    }
    const bool unique = std::count_if(all.begin(), all.end(), [&](const ferry::Device& d) {
                            return d.info().name.find(device.info().name) != std::string::npos;
                        }) == 1;
    if (unique && device.alternates().empty()) {
        std::string part = device.info().name;
        std::transform(part.begin(), part.end(), part.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        CHECK(ferry::find_device(part) == device);
    }
}

FERRY_TEST("device: an index or name that is not there is refused, and those present are listed") {
    const std::string backend(ferry::to_string(device.backend()));
    expect_error(Code::unavailable, {backend + ":999", device.id()},
                 [&] { (void)ferry::find_device(backend + ":999"); });
    expect_error(Code::unavailable, {"999", device.id()}, [&] { (void)ferry::find_device("999"); });
    expect_error(Code::unavailable, {"no such thing", device.id()},
                 [&] { (void)ferry::find_device("no such thing"); });
    using namespace std::string_literals;
    expect_error(Code::unavailable, {R"("no\0such thing")", device.id()},
                 [&] { (void)ferry::find_device("no\0such thing"s); });
    expect_error(Code::unavailable, {R"(:0\0")", device.id()},
                 [&] { (void)ferry::find_device(backend + ":0\0"s); });
    expect_error(Code::invalid_argument, {"empty"}, [&] { (void)ferry::find_device(""); });
    expect_error(Code::invalid_argument, {"empty"}, [&] { (void)ferry::find_device("  "); });
}

FERRY_TEST("device: its memory at this moment adds up") {
    const ferry::MemoryInfo memory = device.memory();
    CHECK(memory.total == device.info().total_memory);
    CHECK(memory.max_allocation == device.info().max_allocation);
    if (memory.free) {
        CHECK(*memory.free <= memory.total);
    }
    CHECK(memory.used_here <= memory.total);
}

namespace {

// Fills a small device completely, and checks the reported free memory at each step.
int fill_up(const ferry::Device& device) {
    constexpr std::uint64_t step = 4 << 20;
    const auto sum = [&] { return device.memory().free.value_or(0) + device.pool().use().reserved; };
    const std::uint64_t all = sum();
    if (all == 0 || all > 256 << 20) {
        return 1;
    }
    std::vector<ferry::Buffer<std::uint8_t>> buffers;
    try {
        while (buffers.size() < 100) {
            buffers.emplace_back(device, step);
            if (sum() != all || device.memory().used_here != buffers.size() * step) {
                return 2;
            }
        }
        return 3;
    } catch (const ferry::Error& error) {
        if (error.code() != Code::out_of_memory || *device.memory().free >= step) {
            return 4;
        }
    }
    // share() knows that there is no room, and reports it.
    std::vector<std::uint8_t> data(all / 8); // large enough for share() to check the room
    bool told = false;
    try {
        const auto shared = ferry::share(device, data, ferry::Access::device_reads);
        const ferry::Explanation why = shared.explain();
        told = std::any_of(why.rejected.begin(), why.rejected.end(), [](const ferry::Rejected& r) {
            return r.placement == ferry::Placement::stage && r.why.find("has room for") != std::string::npos;
        });
    } catch (const ferry::Error& error) {
        // There is no other placement if the device cannot use the program's memory in place.
        told = std::string(error.what()).find("has room for") != std::string::npos;
    }
    if (!told) {
        return 5;
    }
    buffers.clear();
    device.pool().trim();
    return sum() == all && *device.memory().free > all - step ? 60 : 6;
}

// All memory reported as free can be allocated, to the last page and not one byte more. share() can use
// memory that the pool keeps.
int take_all(const ferry::Device& device) {
    constexpr std::uint64_t page = 4096;
    const auto left = [&] { return device.memory().free.value_or(0) / page * page; };
    const std::uint64_t all = left();
    std::vector<ferry::Buffer<std::uint8_t>> buffers;
    while (left() != 0 && buffers.size() < 100) {
        buffers.emplace_back(device, std::min(left(), device.memory().max_allocation));
    }
    if (all == 0 || device.memory().used_here != all) {
        return 1;
    }
    try {
        const ferry::Buffer<std::uint8_t> more(device, page + 1);
        return 2;
    } catch (const ferry::Error& error) {
        const std::string text = error.what();
        if (error.code() != Code::out_of_memory || text.find(std::to_string(page + 1)) == std::string::npos ||
            text.find(device.id()) == std::string::npos) {
            return 3;
        }
    }
    buffers.clear();
    if (left() + device.pool().use().reserved != all) {
        return 4;
    }
    std::vector<std::uint8_t> data(all / 4, 5U);
    const auto shared =
        ferry::share(device, data, ferry::Access::device_writes, {.allowed = ferry::Placement::stage});
    return shared.explain().taken == ferry::Placement::stage ? 60 : 5;
}

// Prints the free memory that another process sees.
int say_free(const ferry::Device& device) {
    std::printf("free %llu\n", static_cast<unsigned long long>(device.memory().free.value_or(0)));
    return 0;
}

std::uint64_t free_elsewhere(const ferry::Device& device) {
    const std::string said = child_output("device free", device);
    const std::size_t at = said.find("free ");
    REQUIRE_MESSAGE(at != std::string::npos, said);
    return std::stoull(said.substr(at + 5));
}

const ChildRegistration bodies[] = {
    {"device full", fill_up}, {"device all taken", take_all}, {"device free", say_free}};

/// Resident pages of the operating system; huge pages if available, because they are faster.
class TouchedPages {
public:
    explicit TouchedPages(std::size_t bytes)
        : data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
          bytes_(bytes) {
        REQUIRE(data_ != MAP_FAILED);
        madvise(data_, bytes, MADV_HUGEPAGE);
        for (std::size_t i = 0; i < bytes; i += 4096) {
            static_cast<volatile char*>(data_)[i] = 1;
        }
    }
    TouchedPages(const TouchedPages&) = delete;
    TouchedPages& operator=(const TouchedPages&) = delete;
    ~TouchedPages() { munmap(data_, bytes_); }

private:
    void* data_;
    std::size_t bytes_;
};

/// Whether the device starts with fresh memory in each process.
bool has_memory_of_its_own(const ferry::Device& device) {
    const std::string& name = device.info().name;
    return name.find(" double on the CPU") != std::string::npos || name.find(", strict") != std::string::npos;
}

void require_small(const ferry::Device& device) {
    if (!has_memory_of_its_own(device)) {
        throw ferry::Error(Code::unsupported, "Device " + device.id() + " is not filled up.");
    }
}

} // namespace

FERRY_TEST("device: what is free falls to nothing as memory is taken") {
    require_small(device);
    setenv("FERRY_DOUBLE_MEMORY", "64m", 1);
    check_child("device full", device, 60);
    unsetenv("FERRY_DOUBLE_MEMORY");
}

FERRY_TEST("device: what is free can be taken, and no more") {
    require_small(device);
    setenv("FERRY_DOUBLE_MEMORY", "64m", 1);
    check_child("device all taken", device, 60);
    unsetenv("FERRY_DOUBLE_MEMORY");
}

// Other programs may allocate and free memory during the test, so one undisturbed try is enough. If the
// memory is not accounted at all, every try fails.
FERRY_TEST("device: what is held here is free neither here nor in other processes") {
    const bool emulated = device.info().name.find("Emulated AMD GPU") != std::string::npos;
    if (!device.memory().free || has_memory_of_its_own(device) || emulated) {
        throw ferry::Error(Code::unsupported, "Device " + device.id() + " does not know of other processes.");
    }
    device.pool().trim();
    ferry::Queue queue(device);
    const ferry::MemoryInfo memory = device.memory();
    const bool machines = device.info().integrated == true || device.info().kind == ferry::DeviceKind::cpu;
    // If a device uses a part of the machine's memory, that part may be free regardless of other allocations.
    const bool part = machines && *memory.free == memory.total;
    const bool by_system = machines && !part;
    // Linux keeps some memory for each processor, up to an eighth of the total. It counts that memory as used
    // in either case.
    const std::uint64_t bytes = std::min(std::uint64_t{by_system ? 2048U : 256U} << 20,
                                         std::min(*memory.free, memory.max_allocation) / 4);
    const auto look = [&] { return std::array{*device.memory().free, part ? 0 : free_elsewhere(device)}; };
    const auto fell = [&](const std::array<std::uint64_t, 2>& more,
                          const std::array<std::uint64_t, 2>& less) {
        const std::uint64_t least = bytes / 4;
        return more[0] > less[0] + least && (part || more[1] > less[1] + least);
    };
    // Linux needs seconds to return the memory that it kept.
    const auto in_time = [&](const auto& holds) {
        for (int i = 0; i < 10; ++i) {
            if (holds()) {
                return true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
        return false;
    };
    bool seen = false;
    for (int attempt = 0; attempt < 20 && !seen; ++attempt) {
        const auto before = look();
        auto during = before;
        const auto takes = [&] { return in_time([&] { return fell(before, during = look()); }); };
        bool taken = false;
        if (by_system) {
            const TouchedPages held(bytes);
            taken = takes();
        } else {
            ferry::Buffer<std::uint8_t> held(device, bytes);
            queue.fill(held, std::uint8_t{0xA5});
            queue.finish();
            taken = takes();
        }
        device.pool().trim();
        seen = taken && in_time([&] { return fell(look(), during); });
    }
    CHECK(seen);
}

FERRY_TEST("device: handles are equal if and only if they are the same device") {
    const ferry::Device copy = device; // NOLINT(performance-unnecessary-copy-initialization)
    CHECK(copy == device);
    for (const ferry::Device& other : devices_other_than(device)) {
        CHECK_FALSE(other == device);
        CHECK(other.id() != device.id());
    }
    CHECK(ferry::find_device(device.id()) == device);
}

FERRY_TEST("device: alternates are the same hardware under other backends") {
    for (const ferry::Device& other : device.alternates()) {
        CHECK(other.backend() != device.backend());
        const bool same_uuid = !device.info().uuid.empty() && other.info().uuid == device.info().uuid;
        const bool same_pci =
            !device.info().pci_address.empty() && other.info().pci_address == device.info().pci_address;
        CHECK((same_uuid || same_pci));
    }
}

TEST_CASE("device: the default one is the first, and lists agree with each other") {
    const auto devices = ferry::devices();
    const auto all = ferry::all_devices();
    REQUIRE_FALSE(devices.empty());
    CHECK(all.size() >= devices.size());
    for (const ferry::Device& device : devices) {
        CHECK(std::find(all.begin(), all.end(), device) != all.end());
    }
    for (const ferry::Device& device : all) {
        const bool listed = std::find(devices.begin(), devices.end(), device) != devices.end();
        CHECK((listed || !device.alternates().empty()));
    }
    if (std::getenv("FERRY_DEVICE") == nullptr) {
        CHECK(ferry::default_device() == devices.front());
    }
    CHECK(ferry::devices().size() == devices.size());
}

TEST_CASE("device: backends are reported, and those with devices are available") {
    const auto reports = ferry::backends();
    REQUIRE(reports.size() == 5);
    const auto all = ferry::all_devices();
    for (const ferry::BackendReport& report : reports) {
        INFO("backend ", report.name);
        CHECK(report.name == ferry::to_string(report.backend));
        const bool has = std::any_of(all.begin(), all.end(),
                                     [&](const ferry::Device& d) { return d.backend() == report.backend; });
        CHECK(report.available == has);
        CHECK((report.available ||
               !report.reasons.empty())); // an available backend may still have platforms without devices
        for (const ferry::BackendReason& reason : report.reasons) {
            CHECK(reason.text.size() > 20);
        }
    }
}

} // namespace device_test
