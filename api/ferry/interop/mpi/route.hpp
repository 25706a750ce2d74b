// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/buffer.hpp>
#include <ferry/interop/cuda.hpp>
#include <ferry/interop/hip.hpp>
#include <ferry/interop/host.hpp>
#include <ferry/interop/mpi/basics.hpp>
#include <ferry/queue.hpp>

#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#endif

#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::interop::mpi {

/// How a message gets between MPI and Ferry's memory.
enum class Route : std::uint8_t {
    host,   ///< MPI reads and writes the memory itself, because the processor can access it.
    device, ///< MPI gets the device address.
    staged, ///< Overlapping copies through page-locked memory.
};

/// "host", "device" or "staged".
inline const char* to_string(Route route) noexcept {
    return route == Route::host ? "host" : route == Route::device ? "device" : "staged";
}

/// Whether MPI may be given device addresses.
enum class DeviceAddresses : std::uint8_t {
    automatic, ///< If this MPI reports support for them, and a small exchange gave correct results.
    never,
    required, ///< Like automatic, but the Communicator throws Error (unsupported) if they do not work.
};

namespace detail {

/// Returns the value of FERRY_MPI_DEVICE_ADDRESSES if the program made no choice. Throws Error
/// (invalid_argument).
inline DeviceAddresses device_addresses(DeviceAddresses wanted, SourceLocation where) {
    const char* const value = secure_getenv("FERRY_MPI_DEVICE_ADDRESSES");
    const std::string_view said = value != nullptr ? value : "";
    if (!said.empty() && said != "automatic" && said != "never" && said != "required") {
        throw Error(Code::invalid_argument,
                    "FERRY_MPI_DEVICE_ADDRESSES is '" + std::string(said) +
                        "'; it must be automatic, never or required",
                    where);
    }
    return wanted != DeviceAddresses::automatic ? wanted
           : said == "never"                    ? DeviceAddresses::never
           : said == "required"                 ? DeviceAddresses::required
                                                : DeviceAddresses::automatic;
}

/// Reports a fault of this process at an address of the given memory before the fault ends the process. This
/// helps if an MPI claims support for device memory but then reads it as ordinary memory; the user would
/// otherwise see only a signal. MPI cannot be used after such a fault.
class FaultTold {
public:
    /// `what` is a literal that ends with a new line.
    FaultTold(const void* memory, std::size_t bytes, const char* what) : turn_(mutex()) {
        watched() = {static_cast<const std::byte*>(memory), bytes, what, {}, {}};
        struct sigaction told {};
        told.sa_sigaction = &tell;
        told.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&told.sa_mask);
        sigaction(SIGSEGV, &told, &watched().segv);
        sigaction(SIGBUS, &told, &watched().bus);
    }
    FaultTold(const FaultTold&) = delete;
    FaultTold& operator=(const FaultTold&) = delete;
    ~FaultTold() { restore(); }

private:
    struct Watched {
        const std::byte* memory;
        std::size_t bytes;
        const char* what;
        struct sigaction segv, bus;
    };
    static Watched& watched() {
        static Watched one{};
        return one;
    }
    static std::mutex& mutex() {
        static std::mutex one;
        return one;
    }
    static void restore() {
        sigaction(SIGSEGV, &watched().segv, nullptr);
        sigaction(SIGBUS, &watched().bus, nullptr);
    }
    /// Returns to the faulting instruction, which then invokes the earlier handlers.
    static void tell(int signal, siginfo_t* info, void*) {
        const Watched& mine = watched();
        const auto* const at = static_cast<const std::byte*>(info->si_addr);
        if (at >= mine.memory && at < mine.memory + mine.bytes) {
            [[maybe_unused]] const auto written = ::write(STDERR_FILENO, mine.what, std::strlen(mine.what));
        }
        restore();
        if (info->si_code <= 0) { // The signal was sent by a process, so returning would not repeat it.
            std::raise(signal);
        }
    }

    const std::lock_guard<std::mutex> turn_; ///< One at a time.
};

/// Whether MPI reports support for addresses of this backend. `why` is a clause.
inline bool takes_addresses(Backend backend, std::string& why) {
    if (backend == Backend::cuda) {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
        why = "this MPI says that it has no CUDA support (MPIX_Query_cuda_support)";
        return MPIX_Query_cuda_support() != 0;
#else
        why = "this MPI cannot be asked whether it has CUDA support";
        return false;
#endif
    }
    if (backend == Backend::hip) {
#if defined(MPIX_ROCM_AWARE_SUPPORT)
        why = "this MPI says that it has no ROCm support (MPIX_Query_rocm_support)";
        return MPIX_Query_rocm_support() != 0;
#else
        why = "this MPI cannot be asked whether it has ROCm support";
        return false;
#endif
    }
    why = backend == Backend::opencl ? "memory of OpenCL has no address for MPI"
                                     : "the host's strict device keeps its memory to itself";
    return false;
}

/// Makes the context of the device current on the calling thread, because MPI looks for it there.
class Entrance {
public:
    explicit Entrance(const Device& device) {
        if (device.backend() == Backend::cuda) {
            context_ = cuda::context(device);
            set_context_ = find<int (*)(void*)>("libcuda.so.1", "cuCtxSetCurrent");
        } else if (device.backend() == Backend::hip) {
            ordinal_ = hip::device(device);
            for (const char* const library : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}) {
                set_device_ =
                    set_device_ == nullptr ? find<int (*)(int)>(library, "hipSetDevice") : set_device_;
            }
        }
    }
    void operator()() const noexcept {
        if (set_context_ != nullptr) {
            set_context_(context_);
        } else if (set_device_ != nullptr) {
            set_device_(ordinal_);
        }
    }

private:
    /// Looks in a library that is already loaded and stays loaded.
    template <class Function>
    static Function find(const char* library, const char* name) {
        void* const handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
        return handle != nullptr ? reinterpret_cast<Function>(dlsym(handle, name)) : nullptr;
    }

    void* context_ = nullptr;
    int (*set_context_)(void*) = nullptr;
    int ordinal_ = 0;
    int (*set_device_)(int) = nullptr;
};

/// The device address of a region, for a backend that has such addresses.
inline void* device_address(const ferry::detail::Region& region, Backend backend, SourceLocation where) {
    return reinterpret_cast<void*>(interop::detail::native_range(region, backend, where).address);
}

/// The host address of a region that the host may access while no command uses it, or null. `reaches`: the
/// memory of the device is the processor's own memory.
inline void* host_address(const ferry::detail::Region& region, bool reaches, SourceLocation where) {
    if (reaches) {
        return host::pointer(View<std::byte>(region), where);
    }
    const MemoryKind kind = ferry::detail::kind_of(region, where);
    return kind == MemoryKind::host || kind == MemoryKind::imported
               ? ferry::detail::host_address(region, where)
               : nullptr;
}

/// Sends a few bytes of device memory around the ring of ranks and checks the result. Collective: a rank that
/// is not `able`, or that has no device memory left, takes part with ordinary memory. Returns true if every
/// rank got the correct bytes; otherwise `why` is a clause.
inline bool exchange_works(MPI_Comm comm, const Device& device, bool able, std::string& why,
                           SourceLocation where) {
    constexpr int count = 251;
    constexpr std::size_t both = std::size_t{2} * count;
    int rank = 0;
    int size = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", where);
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size", where);
    const auto pattern = [](int of) {
        std::vector<unsigned char> bytes(count);
        for (int i = 0; i < count; ++i) {
            bytes[static_cast<std::size_t>(i)] = static_cast<unsigned char>(i * 7 + of * 13 + 1);
        }
        return bytes;
    };
    why = "an exchange of 251 bytes around all ranks was wrong";
    bool failed = false; // The other ranks wait for this one even if it fails.
    const auto attempt = [&](auto&& step) {
        try {
            step();
        } catch (const Error& error) {
            failed = true;
            why = std::string("the device failed at a first exchange: ") + error.what();
        }
    };
    std::vector<unsigned char> sent = pattern(rank);
    std::vector<unsigned char> received(count);
    Buffer<unsigned char> buffer;
    void* from = sent.data();
    void* to = received.data();
    std::optional<Queue> queue;
    if (able) {
        attempt([&] {
            queue.emplace(device, QueueOptions{}, where);
            buffer = Buffer<unsigned char>(device, both, MemoryKind::device, where);
            queue->copy_and_wait(sent, buffer.first(count), where);
            void* const address = device_address(buffer.region(), device.backend(), where);
            Entrance{device}();
            from = address;
            to = static_cast<unsigned char*>(address) + count;
        });
    }
    int right = 0;
    {
        const FaultTold told(
            from, both,
            "ferry: this MPI says that it takes addresses of device memory, and has just read or written "
            "such memory like\nany other, which ends this process. Set FERRY_MPI_DEVICE_ADDRESSES=never, or "
            "let MPI choose its transports itself.\n");
        right =
            MPI_Sendrecv(from, count, MPI_UNSIGNED_CHAR, (rank + 1) % size, 0, to, count, MPI_UNSIGNED_CHAR,
                         (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS
                ? 1
                : 0;
    }
    if (right != 0 && to != received.data()) {
        attempt([&] { queue->copy_and_wait(buffer.last(count), received, where); });
    }
    right = right != 0 && !failed && received == pattern((rank + size - 1) % size) ? 1 : 0;
    int everywhere = 0;
    check(MPI_Allreduce(&right, &everywhere, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", where);
    return everywhere != 0;
}

} // namespace detail

} // namespace ferry::interop::mpi
