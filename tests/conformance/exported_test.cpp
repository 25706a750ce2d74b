// SPDX-License-Identifier: Apache-2.0
// Memory of one device that other devices use in place.
#include "check.hpp"
#include "children.hpp"
#include "device/device_state.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace exported_test {

using namespace conformance;
using ferry::Code;
using Word = std::uint32_t;

namespace {

constexpr std::size_t size = 3001;

bool is_open(int descriptor) {
    return fcntl(descriptor, F_GETFD) != -1;
}

/// A file in memory, which the test doubles take as memory of another API.
class File {
public:
    explicit File(const std::vector<Word>& words) : words_(words.size()) {
        descriptor_ = memfd_create("ferry-test", MFD_CLOEXEC);
        REQUIRE(descriptor_ >= 0);
        REQUIRE(ftruncate(descriptor_, static_cast<off_t>(bytes())) == 0);
        data_ =
            static_cast<Word*>(mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0));
        std::memcpy(data_, words.data(), bytes());
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        munmap(data_, bytes());
        close(descriptor_);
    }
    std::size_t bytes() const { return words_ * sizeof(Word); }
    ferry::ExternalMemory memory() const { return {descriptor_, bytes(), false}; }
    std::vector<Word> words() const { return {data_, data_ + words_}; }

private:
    std::size_t words_;
    int descriptor_ = -1;
    Word* data_ = nullptr;
};

} // namespace

FERRY_TEST("exported: what one mapping writes, the other one reads") {
    const Unchanged unchanged{device};
    ferry::Exported<Word> exported{device, size};
    CHECK(exported.size() == size);
    CHECK(exported.device() == device);
    ferry::Buffer<Word> seen = exported.on(device);
    ferry::Queue queue{device};
    auto model = random_values<Word>(size);
    queue.copy(model, exported.view());
    check_same(queue.read(seen), model);
    queue.launch(kernel(device, "iota"), ferry::Grid::covering(size, 64), seen, static_cast<Word>(size), 7U);
    for (Word i = 0; i < size; ++i) {
        model[i] = 7 + i;
    }
    check_same(queue.read(exported.view()), model);
}

FERRY_TEST("exported: a buffer of the memory outlives it") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<Word> seen;
    {
        ferry::Exported<Word> exported{device, size};
        queue.fill(exported.view(), 5U);
        queue.finish();
        seen = exported.on(device);
    }
    check_same(queue.read(seen), std::vector<Word>(size, 5U));
}

FERRY_TEST("exported: a descriptor is the caller's, and opens the same memory") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const auto model = random_values<Word>(size);
    ferry::ExternalMemory external;
    {
        ferry::Exported<Word> exported{device, size};
        queue.copy(model, exported.view());
        queue.finish();
        external = exported.export_memory();
    }
    REQUIRE(is_open(external.descriptor));
    CHECK(external.bytes >= size * sizeof(Word));
    {
        const ferry::Buffer<Word> first = ferry::open_external<Word>(device, external, size);
        const ferry::Buffer<Word> again = ferry::open_external<Word>(device, external, size);
        CHECK(is_open(external.descriptor));
        check_same(queue.read(first), model);
        check_same(queue.read(again), model);
    }
    CHECK(close(external.descriptor) == 0);
}

FERRY_TEST("exported: a device that cannot use the memory is refused with the reason") {
    ferry::Exported<Word> exported{device, size};
    for (const ferry::Device& other : devices_other_than(device)) {
        if (other.backend() == ferry::Backend::host) {
            expect_error_anywhere(Code::unsupported,
                                  {other.id(), device.id(), "not known to be the same GPU"},
                                  [&] { (void)exported.on(other); });
        }
    }
    ferry::Exported<Word> empty;
    expect_error_anywhere(Code::invalid_state, {"empty"}, [&] { (void)empty.on(device); });
    expect_error_anywhere(Code::invalid_state, {"empty"}, [&] { (void)empty.export_memory(); });
    expect_error_anywhere(Code::invalid_argument, {"0 elements"},
                          [&] { const ferry::Exported<Word> none(device, 0); });
    check_still_works(device);
}

FERRY_TEST("exported by no device: the reason is given") {
    expect_error_anywhere(Code::unsupported, {device.id(), "exports no memory"},
                          [&] { const ferry::Exported<Word> exported(device, size); });
}

FERRY_TEST("external memory: a file of the test is read and written in place") {
    const Unchanged unchanged{device};
    auto model = random_values<Word>(size);
    const File file(model);
    {
        ferry::Queue queue{device};
        ferry::Buffer<Word> opened = ferry::open_external<Word>(device, file.memory(), size);
        CHECK(opened.device() == device);
        CHECK(opened.kind() == ferry::MemoryKind::device);
        check_same(queue.read(opened), model);
        queue.launch(kernel(device, "add"), ferry::Grid::covering(size, 64), opened, static_cast<Word>(size),
                     1000U);
    }
    for (Word& word : model) {
        word += 1000;
    }
    check_same(file.words(), model);
    CHECK(is_open(file.memory().descriptor));
}

FERRY_TEST("external memory: wrong descriptors and sizes are refused") {
    const Unchanged unchanged{device};
    const File file(std::vector<Word>(100));
    expect_error_anywhere(Code::invalid_argument, {"-1"}, [&] {
        (void)ferry::open_external<Word>(device, {-1, 400, false}, 100);
    });
    expect_error_anywhere(Code::invalid_argument, {"1000000", "Bad file descriptor"}, [&] {
        (void)ferry::open_external<Word>(device, {1000000, 400, false}, 100);
    });
    expect_error_anywhere(Code::out_of_range, {"400", "404"},
                          [&] { (void)ferry::open_external<Word>(device, file.memory(), 101); });
    expect_error_anywhere(Code::invalid_argument, {"0 elements"},
                          [&] { (void)ferry::open_external<Word>(device, file.memory(), 0); });
    check_still_works(device);
}

FERRY_TEST("external memory: what the driver refuses is an error, and the descriptor stays open") {
    const Unchanged unchanged{device};
    const File file(std::vector<Word>(4)); // Shorter than it says.
    ferry::ExternalMemory external = file.memory();
    external.bytes = 4096;
    expect_error_anywhere(Code::unsupported, {device.id()},
                          [&] { (void)ferry::open_external<Word>(device, external, 1024); });
    CHECK(is_open(external.descriptor));
    check_still_works(device);
}

namespace {

/// Vulkan's memory on a device of a stand-in that has the UUID of the Vulkan device.
int use_on_stand_in(const ferry::Device& vulkan) {
    std::string uuid = vulkan.state().native().external_identity();
    std::erase(uuid, '-');
    setenv("FERRY_DOUBLE_UUID", uuid.c_str(), 1);
    const std::string backend = std::getenv("FERRY_CUDA_LIBRARY") != nullptr ? "cuda" : "hip";
    ferry::configure({.backend = "vulkan," + backend});
    const ferry::Device device = ferry::find_device(backend + ":0");
    ferry::Exported<Word> exported{vulkan, size};
    ferry::Buffer<Word> seen = exported.on(device);
    ferry::Queue from{vulkan};
    ferry::Queue to{device};
    auto model = random_values<Word>(size);
    const ferry::Grid grid = ferry::Grid::covering(size, 64);
    from.copy(model, exported.view());
    from.launch(kernel(vulkan, "add"), grid, exported.view(), static_cast<Word>(size), 5U);
    to.wait(from.record());
    to.launch(kernel(device, "add"), grid, seen, static_cast<Word>(size), 7U);
    from.wait(to.record());
    for (Word& word : model) {
        word += 12;
    }
    return from.read(exported.view()) == model ? 0 : 1;
}
const ChildRegistration registered("exported memory on a stand-in", use_on_stand_in);

} // namespace

FERRY_TEST("exported: CUDA's or HIP's stand-in uses the memory of the device in place") {
    const bool named =
        std::getenv("FERRY_CUDA_LIBRARY") != nullptr || std::getenv("FERRY_HIP_LIBRARY") != nullptr;
    if (device.backend() != ferry::Backend::vulkan || !named) {
        throw ferry::Error(Code::unsupported, "no stand-in is named");
    }
    check_child("exported memory on a stand-in", device, 0);
}

} // namespace exported_test
