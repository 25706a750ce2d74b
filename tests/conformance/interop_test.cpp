// SPDX-License-Identifier: Apache-2.0
#include "../support/eventually.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "foreign.hpp"
#include "random.hpp"

#include <ferry/interop/cuda.hpp>
#include <ferry/interop/hip.hpp>
#include <ferry/interop/opencl.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

namespace interop_test {

using namespace conformance;
using ferry::Code;
namespace interop = ferry::interop;
using Word = Vendor::Word;

namespace {

constexpr std::size_t size = Foreign::size;

} // namespace

FERRY_TEST("interop native: device, context and kernel are the vendor's own") {
    const auto vendor = vendor_of(device);
    const std::string name = vendor->device_name();
    CHECK_MESSAGE(name.find(device.info().name) != std::string::npos, name, " is not ", device.info().name);
    const std::string kernel_name = vendor->kernel_name(kernel(device, "stir"));
    CHECK((kernel_name.empty() || kernel_name == "stir"));
}

FERRY_TEST("interop native: the vendor's commands are in order with the queue's") {
    const Unchanged unchanged{device};
    const Foreign foreign{device};
    ferry::Queue queue{device};
    ferry::Queue other{device};
    const auto copy = [&] { foreign.vendor->copy(queue, foreign.first.place, foreign.second.place, size); };
    for (Word round = 1; round <= 10; ++round) {
        foreign.iota(queue, round);
        copy();
        foreign.add(queue, 1000);
        other.wait(queue.record());
        check_same(other.read(foreign.target), Foreign::counted(round + 1000));
    }
    queue.fill(foreign.source, 5U);
    copy();
    queue.finish(); // also waits for the vendor's copy
    check_same(other.read(foreign.target), std::vector<Word>(size, 5U));
    queue.fill(foreign.target, 6U);
    check_same(foreign.vendor->read(queue, foreign.second.place, size), std::vector<Word>(size, 6U));
}

FERRY_TEST("interop native: borrowed memory stays its owner's, adopted memory is freed") {
    const Unchanged unchanged{device};
    const auto vendor = vendor_of(device);
    const std::uint64_t memory = vendor->allocate(size);
    vendor->keep(memory);
    {
        ferry::Queue queue{device};
        ferry::Buffer<Word> borrowed = vendor->borrow(memory, size);
        CHECK(borrowed.size() == size);
        CHECK(borrowed.device() == device);
        queue.launch(kernel(device, "iota"), ferry::Grid::covering(size, 64), borrowed,
                     static_cast<Word>(size), 7U);
    }
    CHECK(vendor->lives(memory));
    {
        ferry::Queue queue{device};
        check_same(vendor->read(queue, memory, size), Foreign::counted(7));
        const ferry::Buffer<Word> adopted = vendor->adopt(memory, size);
        check_same(queue.read(adopted), Foreign::counted(7));
        CHECK(vendor->lives(memory));
    }
    // PoCL's own thread may still hold the memory of a finished command.
    CHECK(support::eventually([&] { return !vendor->lives(memory); }));
    vendor->forget(memory);
}

FERRY_TEST("interop native: a borrowed buffer works like any other") {
    const auto vendor = vendor_of(device);
    ferry::Queue queue{device};
    const std::uint64_t memory = vendor->allocate(size);
    {
        ferry::Buffer<Word> borrowed = vendor->borrow(memory, size);
        ferry::Buffer<Word> own{device, size};
        auto model = random_values<Word>(size);
        queue.copy(model, borrowed);
        queue.fill(borrowed.subview(100, 50), 9U);
        std::fill_n(model.begin() + 100, 50, 9U);
        queue.copy(borrowed, own);
        check_same(queue.read(own), model);
        {
            auto mapping = borrowed.subview(10, 5).map(queue, ferry::Map::read_write);
            CHECK(mapping[2] == model[12]);
            mapping[2] = model[12] = 77;
        }
        check_same(queue.read(borrowed), model);
    }
    queue.finish();
    vendor->release(memory);
}

FERRY_TEST("interop native: the place of a view is that of its first element") {
    const auto vendor = vendor_of(device);
    ferry::Buffer<Word> own{device, 100};
    CHECK(vendor->distance(own.view(), own.subview(25, 4)) == 25 * sizeof(Word));
    CHECK(vendor->distance(own.view(), own.subview(64).subview(3)) == 67 * sizeof(Word));
}

FERRY_TEST("interop native: memory that cannot be a buffer is refused") {
    const Unchanged unchanged{device};
    const auto vendor = vendor_of(device);
    expect_error_anywhere(Code::invalid_argument, {"null"}, [&] { (void)vendor->borrow(0, 10); });
    const std::uint64_t memory = vendor->allocate(10);
    vendor->keep(memory);
    expect_error_anywhere(Code::invalid_argument, {"0 elements"}, [&] { (void)vendor->adopt(memory, 0); });
    const std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
    expect_error_anywhere(Code::invalid_argument, {std::to_string(huge)},
                          [&] { (void)vendor->adopt(memory, huge); });
    CHECK(vendor->lives(memory)); // the refused memory was not adopted
    if (device.backend() == ferry::Backend::opencl) {
        expect_error_anywhere(Code::out_of_range, {"40", "44"}, [&] { (void)vendor->adopt(memory, 11); });
        CHECK(vendor->lives(memory));
    }
    vendor->forget(memory);
    vendor->release(memory);
    if (const std::uint64_t foreign = vendor->allocate_elsewhere(10); foreign != 0) {
        expect_error_anywhere(Code::invalid_argument, {"another cl_context", device.info().name},
                              [&] { (void)vendor->borrow(foreign, 10); });
        vendor->release(foreign);
    }
}

FERRY_TEST("interop native: a device is found by its handle") {
    const ferry::Device found = vendor_of(device)->find_device();
    CHECK(found == device);
}

FERRY_TEST("interop native: a queue over the vendor's own queue, which outlives it") {
    const Unchanged unchanged{device};
    const Foreign foreign{device};
    ferry::Queue other{device};
    {
        ferry::Queue queue = foreign.vendor->borrow_queue(foreign.native.handle);
        CHECK(queue.device() == device);
        for (Word round = 1; round <= 10; ++round) {
            foreign.iota(queue, round);
            foreign.copy();
            foreign.add(queue, 1000);
            check_same(queue.read(foreign.target), Foreign::counted(round + 1000));
        }
        queue.fill(foreign.source, 3U);
        foreign.copy();
        queue.finish();
        check_same(other.read(foreign.target), std::vector<Word>(size, 3U));
        foreign.iota(queue, 50);
    }
    foreign.copy(); // the memory still exists
    foreign.vendor->finish(foreign.native.handle);
    check_same(foreign.vendor->read(other, foreign.second.place, size), Foreign::counted(50));
}

FERRY_TEST("interop native: the vendor waits for events of Ferry's, and Ferry for the vendor's") {
    const Unchanged unchanged{device};
    const Foreign foreign{device};
    const Vendor& vendor = *foreign.vendor;
    void* const native = foreign.native.handle;
    ferry::Queue queue{device};
    std::vector<void*> events;
    for (Word round = 1; round <= 10; ++round) {
        for (int i = 0; i < 10; ++i) {
            foreign.iota(queue, 7000);
        }
        foreign.iota(queue, round);
        vendor.wait_for(native, vendor.event_of(queue.record()));
        foreign.copy();
        events.push_back(vendor.record(native));
        vendor.wait_event(queue, events.back());
        foreign.add(queue, 1000);
        check_same(queue.read(foreign.target), Foreign::counted(round + 1000));
    }
    queue.finish();
    for (void* const event : events) {
        vendor.release_event(event);
    }
}

FERRY_TEST("interop native: queues and events that cannot be taken are refused") {
    const auto vendor = vendor_of(device);
    ferry::Queue queue{device};
    expect_error_anywhere(Code::invalid_argument, {"null"}, [&] { (void)vendor->borrow_queue(nullptr); });
    expect_error_anywhere(Code::invalid_argument, {"null"}, [&] { vendor->wait_event(queue, nullptr); });
    expect_error_anywhere(Code::invalid_state, {"never recorded"},
                          [&] { (void)vendor->event_of(ferry::Event{}); });
    for (const auto& queue_and_why : vendor->unfit_queues()) {
        void* const unfit = queue_and_why.second;
        expect_error_anywhere(Code::invalid_argument, {queue_and_why.first},
                              [&] { (void)vendor->borrow_queue(unfit); });
        vendor->release_queue(unfit);
    }
    check_still_works(device);
}

FERRY_TEST("interop native: an event of another context is refused, and the queue is as it was") {
    const Unchanged unchanged{device};
    const auto vendor = vendor_of(device);
    ferry::Queue queue{device};
    ferry::Buffer<Word> data{device, 100};
    queue.fill(data, 5U);
    for (const auto& [why, event] : vendor->unfit_events()) {
        const std::uint32_t holders = vendor->holders(event);
        void* const unfit = event;
        expect_error_anywhere(Code::invalid_argument, {why, device.info().name},
                              [&] { vendor->wait_event(queue, unfit); });
        CHECK(vendor->holders(event) == holders);
        vendor->release_event(event);
    }
    queue.finish(); // must not wait for the event that is never completed
    CHECK(queue.idle());
    check_same(queue.read(data), std::vector<Word>(100, 5U));
}

FERRY_TEST("interop: handles of another backend are refused, naming both") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<Word> data{device, 10};
    const ferry::Kernel noop = kernel(device, "noop");
    const auto refuses = [&](ferry::Backend backend, const std::vector<std::function<void()>>& calls,
                             ferry::SourceLocation here = ferry::SourceLocation::current()) {
        if (device.backend() == backend) {
            return;
        }
        for (const std::function<void()>& call : calls) {
            expect_error(Code::invalid_argument, {device.id(), std::string(ferry::to_string(backend))}, call,
                         here);
        }
    };
    refuses(ferry::Backend::cuda,
            {[&] { (void)interop::cuda::device(device); }, [&] { (void)interop::cuda::context(device); },
             [&] { (void)interop::cuda::stream(queue); }, [&] { (void)interop::cuda::function(noop); },
             [&] { (void)interop::cuda::pointer(data); },
             [&] { (void)interop::cuda::borrow_pointer<Word>(device, 4096, 1); }});
    int something = 0;
    refuses(ferry::Backend::cuda, {[&] { (void)interop::cuda::event(queue.record()); },
                                   [&] { (void)interop::cuda::borrow_stream(device, &queue); },
                                   [&] { interop::cuda::wait_event(queue, &queue); }});
    refuses(ferry::Backend::opencl, {[&] { (void)interop::opencl::event(queue.record()); },
                                     [&] { (void)interop::opencl::borrow_queue(device, &queue); },
                                     [&] { interop::opencl::wait_event(queue, &queue); }});
    refuses(ferry::Backend::hip,
            {[&] { (void)interop::hip::device(device); }, [&] { (void)interop::hip::context(device); },
             [&] { (void)interop::hip::stream(queue); }, [&] { (void)interop::hip::function(noop); },
             [&] { (void)interop::hip::pointer(data.first(5)); },
             [&] { (void)interop::hip::adopt_pointer<int>(device, &something, 1); }});
    refuses(ferry::Backend::opencl,
            {[&] { (void)interop::opencl::device(device); }, [&] { (void)interop::opencl::context(device); },
             [&] { (void)interop::opencl::queue(queue); }, [&] { (void)interop::opencl::kernel(noop); },
             [&] { (void)interop::opencl::memory(data); },
             [&] { (void)interop::opencl::pointer(data.view()); },
             [&] { (void)interop::opencl::borrow_memory<int>(device, &something, 1); }});
}

FERRY_TEST("interop: moved-from queues and kernels are refused") {
    ferry::Queue queue{device};
    const ferry::Queue taken = std::move(queue);
    // NOLINTNEXTLINE(bugprone-use-after-move): that is the behaviour under test
    expect_error(Code::invalid_state, {"moved"}, [&] { (void)interop::opencl::queue(queue); });
    expect_error(Code::invalid_state, {"kernel"}, [&] { (void)interop::opencl::kernel(ferry::Kernel{}); });
}

} // namespace interop_test
