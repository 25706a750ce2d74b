// SPDX-License-Identifier: Apache-2.0
#include "vendor.hpp"

#include <ferry/interop/cuda.hpp>
#include <ferry/interop/hip.hpp>

#include <stdexcept>

namespace conformance {
namespace {

/// The calls of CUDA and HIP have the same form. `Names` has the differences. CUdeviceptr is an integer of a
/// pointer's size, so both are passed as std::uint64_t.
template <class Names>
class DriverVendor final : public Vendor {
public:
    explicit DriverVendor(const ferry::Device& device)
        : library_(open_vendor_library(Names::variable, Names::libraries)), device_(device) {
        Names::enter(*this, device);
    }

    template <class... Arguments>
    void call(const char* name, Arguments... arguments) const {
        if (const int code = result_of(name, arguments...); code != 0) {
            throw std::runtime_error(std::string(name) + " returned " + std::to_string(code));
        }
    }
    template <class... Arguments>
    int result_of(const char* name, Arguments... arguments) const {
        auto* const function = reinterpret_cast<int (*)(Arguments...)>(vendor_symbol(library_, name));
        if (function == nullptr) {
            throw std::runtime_error(std::string("the vendor's library has no ") + name);
        }
        return function(arguments...);
    }

    std::string device_name() const override {
        char text[512] = {};
        call(Names::device_name, static_cast<char*>(text), int{sizeof text}, Names::device(device_));
        return text;
    }
    std::string kernel_name(const ferry::Kernel& kernel) const override {
        int registers = -1;
        // the number of registers of a work-item
        call(Names::attribute, &registers, 4, Names::function(kernel));
        if (registers < 0) {
            throw std::runtime_error("the native function has no attributes");
        }
        return {};
    }

    std::uint64_t allocate(std::size_t words) const override {
        std::uint64_t memory = 0;
        call(Names::allocate, &memory, words * sizeof(Word));
        return memory;
    }
    void release(std::uint64_t memory) const override { call(Names::free, memory); }
    bool lives(std::uint64_t memory) const override { return Names::lives(*this, device_, memory); }

    void copy(const ferry::Queue& queue, std::uint64_t from, std::uint64_t to,
              std::size_t words) const override {
        call(Names::copy, to, from, words * sizeof(Word), Names::stream(queue));
    }
    std::vector<Word> read(const ferry::Queue& queue, std::uint64_t memory,
                           std::size_t words) const override {
        std::vector<Word> result(words);
        call(Names::download, static_cast<void*>(result.data()), memory, words * sizeof(Word),
             Names::stream(queue));
        call(Names::synchronize, Names::stream(queue));
        return result;
    }

    void* make_queue() const override {
        void* stream = nullptr;
        constexpr unsigned non_blocking = 1;
        call(Names::stream_create, &stream, non_blocking);
        return stream;
    }
    void release_queue(void* queue) const override { call(Names::stream_destroy, queue); }
    void copy_on(void* queue, std::uint64_t from, std::uint64_t to, std::size_t words) const override {
        call(Names::copy, to, from, words * sizeof(Word), queue);
    }
    void finish(void* queue) const override { call(Names::synchronize, queue); }
    void* record(void* queue) const override {
        void* event = nullptr;
        call(Names::event_create, &event, 0U);
        call(Names::event_record, event, queue);
        return event;
    }
    void release_event(void* event) const override { call(Names::event_destroy, event); }
    void wait_for(void* queue, void* event) const override { call(Names::stream_wait, queue, event, 0U); }
    ferry::Queue borrow_queue(void* queue) const override { return Names::borrow_queue(device_, queue); }
    void wait_event(ferry::Queue& queue, void* event) const override { Names::wait_event(queue, event); }
    void* event_of(const ferry::Event& event) const override { return Names::event(event); }
    ferry::Device find_device() const override { return Names::find_device(Names::device(device_)); }

    ferry::Buffer<Word> borrow(std::uint64_t memory, std::size_t words) const override {
        return Names::borrow(device_, memory, words);
    }
    ferry::Buffer<Word> adopt(std::uint64_t memory, std::size_t words) const override {
        return Names::adopt(device_, memory, words);
    }
    std::size_t distance(const ferry::View<Word>& whole, const ferry::View<Word>& part) const override {
        return static_cast<std::size_t>(Names::address(part) - Names::address(whole));
    }
    bool has(const char* name) const { return vendor_symbol(library_, name) != nullptr; }

private:
    void* library_;
    ferry::Device device_;
};

struct Cuda {
    static constexpr const char* variable = "FERRY_CUDA_LIBRARY";
    static constexpr auto libraries = {"libcuda.so.1"};
    static constexpr const char* device_name = "cuDeviceGetName";
    static constexpr const char* attribute = "cuFuncGetAttribute";
    static constexpr const char* allocate = "cuMemAlloc_v2";
    static constexpr const char* free = "cuMemFree_v2";
    static constexpr const char* copy = "cuMemcpyDtoDAsync_v2";
    static constexpr const char* download = "cuMemcpyDtoHAsync_v2";
    static constexpr const char* synchronize = "cuStreamSynchronize";
    static constexpr const char* stream_create = "cuStreamCreate";
    static constexpr const char* stream_destroy = "cuStreamDestroy_v2";
    static constexpr const char* stream_wait = "cuStreamWaitEvent";
    static constexpr const char* event_create = "cuEventCreate";
    static constexpr const char* event_record = "cuEventRecord";
    static constexpr const char* event_destroy = "cuEventDestroy_v2";

    static ferry::Queue borrow_queue(const ferry::Device& device, void* queue) {
        return ferry::interop::cuda::borrow_stream(device, queue);
    }
    static void wait_event(ferry::Queue& queue, void* event) {
        ferry::interop::cuda::wait_event(queue, event);
    }
    static void* event(const ferry::Event& event) { return ferry::interop::cuda::event(event); }
    static ferry::Device find_device(int ordinal) { return ferry::interop::cuda::find_device(ordinal); }

    static void enter(const DriverVendor<Cuda>& vendor, const ferry::Device& device) {
        vendor.call("cuCtxSetCurrent", ferry::interop::cuda::context(device));
    }
    static bool lives(const DriverVendor<Cuda>& vendor, const ferry::Device&, std::uint64_t memory) {
        if (vendor.has("ferry_double_lives")) {
            return vendor.result_of("ferry_double_lives", reinterpret_cast<const void*>(memory)) != 0;
        }
        std::uint64_t base = 0;
        std::size_t bytes = 0;
        return vendor.result_of("cuMemGetAddressRange_v2", &base, &bytes, memory) == 0;
    }
    static int device(const ferry::Device& device) { return ferry::interop::cuda::device(device); }
    static void* function(const ferry::Kernel& kernel) { return ferry::interop::cuda::function(kernel); }
    static void* stream(const ferry::Queue& queue) { return ferry::interop::cuda::stream(queue); }
    static std::uint64_t address(const ferry::View<Vendor::Word>& view) {
        return ferry::interop::cuda::pointer(view);
    }
    static ferry::Buffer<Vendor::Word> borrow(const ferry::Device& device, std::uint64_t memory,
                                              std::size_t words) {
        return ferry::interop::cuda::borrow_pointer<Vendor::Word>(device, memory, words);
    }
    static ferry::Buffer<Vendor::Word> adopt(const ferry::Device& device, std::uint64_t memory,
                                             std::size_t words) {
        return ferry::interop::cuda::adopt_pointer<Vendor::Word>(device, memory, words);
    }
};

struct Hip {
    static constexpr const char* variable = "FERRY_HIP_LIBRARY";
    static constexpr auto libraries = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
    static constexpr const char* device_name = "hipDeviceGetName";
    static constexpr const char* attribute = "hipFuncGetAttribute";
    static constexpr const char* allocate = "hipMalloc";
    static constexpr const char* free = "hipFree";
    static constexpr const char* copy = "hipMemcpyDtoDAsync";
    static constexpr const char* download = "hipMemcpyDtoHAsync";
    static constexpr const char* synchronize = "hipStreamSynchronize";
    static constexpr const char* stream_create = "hipStreamCreateWithFlags";
    static constexpr const char* stream_destroy = "hipStreamDestroy";
    static constexpr const char* stream_wait = "hipStreamWaitEvent";
    static constexpr const char* event_create = "hipEventCreateWithFlags";
    static constexpr const char* event_record = "hipEventRecord";
    static constexpr const char* event_destroy = "hipEventDestroy";

    static ferry::Queue borrow_queue(const ferry::Device& device, void* queue) {
        return ferry::interop::hip::borrow_stream(device, queue);
    }
    static void wait_event(ferry::Queue& queue, void* event) {
        ferry::interop::hip::wait_event(queue, event);
    }
    static void* event(const ferry::Event& event) { return ferry::interop::hip::event(event); }
    static ferry::Device find_device(int ordinal) { return ferry::interop::hip::find_device(ordinal); }

    static void enter(const DriverVendor<Hip>& vendor, const ferry::Device& device) {
        vendor.call("hipSetDevice", ferry::interop::hip::device(device));
    }
    /// The stand-ins lack the query: the one on the CPU has its own function, and the one on CUDA returns
    /// CUDA's memory.
    static bool lives(const DriverVendor<Hip>& vendor, const ferry::Device&, std::uint64_t memory) {
        std::uint64_t base = 0;
        std::size_t bytes = 0;
        if (vendor.has("hipMemGetAddressRange")) {
            return vendor.result_of("hipMemGetAddressRange", &base, &bytes, memory) == 0;
        }
        if (vendor.has("ferry_double_lives")) {
            return vendor.result_of("ferry_double_lives", reinterpret_cast<const void*>(memory)) != 0;
        }
        void* cuda = open_vendor_library("", {"libcuda.so.1"});
        using Range = int (*)(std::uint64_t*, std::size_t*, std::uint64_t);
        return reinterpret_cast<Range>(vendor_symbol(cuda, "cuMemGetAddressRange_v2"))(&base, &bytes,
                                                                                       memory) == 0;
    }
    static int device(const ferry::Device& device) { return ferry::interop::hip::device(device); }
    static void* function(const ferry::Kernel& kernel) { return ferry::interop::hip::function(kernel); }
    static void* stream(const ferry::Queue& queue) { return ferry::interop::hip::stream(queue); }
    static std::uint64_t address(const ferry::View<Vendor::Word>& view) {
        return reinterpret_cast<std::uint64_t>(ferry::interop::hip::pointer(view));
    }
    static ferry::Buffer<Vendor::Word> borrow(const ferry::Device& device, std::uint64_t memory,
                                              std::size_t words) {
        return ferry::interop::hip::borrow_pointer<Vendor::Word>(device, reinterpret_cast<void*>(memory),
                                                                 words);
    }
    static ferry::Buffer<Vendor::Word> adopt(const ferry::Device& device, std::uint64_t memory,
                                             std::size_t words) {
        return ferry::interop::hip::adopt_pointer<Vendor::Word>(device, reinterpret_cast<void*>(memory),
                                                                words);
    }
};

} // namespace

std::unique_ptr<Vendor> cuda_vendor(const ferry::Device& device) {
    return std::make_unique<DriverVendor<Cuda>>(device);
}
std::unique_ptr<Vendor> hip_vendor(const ferry::Device& device) {
    return std::make_unique<DriverVendor<Hip>>(device);
}

} // namespace conformance
