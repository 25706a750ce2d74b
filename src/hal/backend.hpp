// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contract between the front (src/) and a backend: a backend implements the classes in this file.
// backends/null/ is the skeleton of a new backend; docs/adding-a-backend.md lists the steps.
//
// Rules for all of it:
// - The front has checked every argument. Sizes are never zero, ranges are inside their objects, the device
//   supports the memory kinds, and kernels and memory belong to the device. A backend does not check these
//   again.
// - A backend reports an error by throwing ferry::Error, made with its own vendor_error(), so that the
//   vendor's call, number and name are kept. The front adds the caller's line and the command's name.
// - Destructors do not throw. After process_is_exiting() is true they make no vendor call, because the vendor
//   library may be unloaded. The front calls nothing else then.
// - The front calls the methods of one queue one at a time, except finish(), which may run concurrently with
//   any of them. All other methods may be called from any thread at any time.
// - An object outlives the objects made from it: driver > device > queue, memory, program > kernel, event.
// - In steady state, write, read, copy and their forms for boxes and batches, fill, launch, record and wait
//   allocate nothing on the heap.

#include "base/exiting.hpp"
#include "base/setting.hpp"
#include "system/file_descriptor.hpp"

#include <ferry/argument_type.hpp>
#include <ferry/backend.hpp>
#include <ferry/build_options.hpp>
#include <ferry/capabilities.hpp>
#include <ferry/device_info.hpp>
#include <ferry/error.hpp>
#include <ferry/grid.hpp>
#include <ferry/hints.hpp>
#include <ferry/kernel_info.hpp>
#include <ferry/memory.hpp>
#include <ferry/queue_options.hpp>
#include <ferry/source.hpp>
#include <ferry/wait_policy.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ferry::translate {
enum class Dialect : std::uint8_t;
struct Translation;
} // namespace ferry::translate

namespace ferry::backend {

class MistakeHooks;

/// One allocation. The destructor frees the memory. Before that, the front has waited for commands of other
/// devices that use it, and for commands of its own device unless Device::keeps_used_memory() is true.
class Memory {
public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    virtual ~Memory() = default;

    /// The host address of the first byte. Null if the host cannot access the memory without a mapping.
    void* host = nullptr;
    /// The device address of the first byte. 0 if the backend uses handles instead (cl_mem).
    std::uint64_t address = 0;
    /// The vendor's handle if memory is one (cl_mem, VkBuffer), otherwise null.
    void* handle = nullptr;
    /// Offset of the first byte in the object of `handle`, in bytes.
    std::size_t handle_offset = 0;
    /// The memory behind `handle`, if it is an object of its own (VkDeviceMemory), otherwise null.
    void* allocation = nullptr;
};

/// Memory of other code.
struct NativeMemory {
    std::uint64_t handle = 0;     ///< A device address, or a handle (cl_mem, VkBuffer).
    std::uint64_t allocation = 0; ///< As Memory::allocation. 0: not known.
};

/// Memory for other APIs, as an opaque POSIX file descriptor.
struct ExternalMemory {
    ferry::detail::FileDescriptor descriptor;
    std::uint64_t bytes = 0; ///< Of the whole allocation. The memory begins at its first byte.
    bool dedicated = false;  ///< The allocation is for one object only.
};

/// The vendor's marker of one recording of an event.
struct NativeEvent {
    void* handle = nullptr;  ///< CUevent, cl_event, VkSemaphore.
    std::uint64_t value = 0; ///< The value of a timeline semaphore.
};

/// The vendor's objects above a device.
struct NativePlatform {
    void* instance = nullptr;       ///< VkInstance.
    void* lookup = nullptr;         ///< The function that finds all others (vkGetInstanceProcAddr).
    std::uint32_t queue_family = 0; ///< Of the queues of the device.
};

/// A position in an allocation.
struct Place {
    Memory* memory = nullptr;
    std::size_t offset = 0; ///< In bytes.
};

/// Rows of bytes: `height` rows of `width` bytes in each of `depth` slices. None of them is zero. The front
/// has merged rows that are contiguous at both ends.
struct Box {
    std::size_t width = 0, height = 0, depth = 0;
};
/// The distance in bytes between the starts of adjacent rows and slices at one end. Rows and slices do not
/// overlap.
struct Pitch {
    std::size_t row = 0, slice = 0;
};

/// One copy of a batch. An end is a place in memory of the queue's device. If the place is null, it is host
/// memory. At least one end is a place.
struct BatchCopy {
    Place from, to;
    const void* host_from = nullptr;
    void* host_to = nullptr;
    std::size_t bytes = 0;
};

/// One argument of a launch, in the kernel's order.
struct Argument {
    detail::ArgumentKind kind{};
    std::size_t bytes = 0;       ///< value: its size; local: bytes per work-group.
    const void* value = nullptr; ///< ArgumentKind::value only. Valid during the call.
    Place place;                 ///< ArgumentKind::buffer only. A null memory is a null pointer.
    bool constant = false;       ///< ArgumentKind::buffer only: the kernel must not write to it, whatever its
                                 ///< parameter declares.
};

/// A completion marker that can be recorded repeatedly.
class Event {
public:
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    virtual ~Event() = default;

    /// True if the last recording is complete. Makes progress without further calls (flushes if the vendor
    /// needs it). Throws the error of the work before it.
    virtual bool ready() = 0;
    /// Blocks until complete. Throws the errors of ready().
    virtual void wait(WaitPolicy policy) = 0;
    void wait() { wait(WaitPolicy::automatic); }
    /// Device time since `start`, an event of the same device. Both are complete. Empty if there is no clock.
    virtual std::optional<std::chrono::nanoseconds> since(Event& start) = 0;

    /// (optional) The vendor's marker of the last recording, which the device has. Null if there is none.
    virtual NativeEvent native_handle() { return {}; }
};

/// A device's limit for the groups of one kernel, below DeviceInfo::max_group_size.
struct GroupLimit {
    std::size_t items = 0; ///< Maximum work-items in a group. 0: none.
    std::string reason;    ///< A main clause.
};

class Kernel {
public:
    Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    virtual ~Kernel() = default;

    virtual const KernelInfo& info() const = 0;
    /// (optional) Maximum work-items in one dimension, including those that an offset skips. The front
    /// rejects larger launches. Constant. Default: the maximum of size_t.
    virtual std::size_t most_items() const { return std::numeric_limits<std::size_t>::max(); }
    /// (optional) Maximum offset in one dimension. The front rejects larger ones. Constant. Default: the
    /// maximum of size_t.
    virtual std::size_t most_offset() const { return std::numeric_limits<std::size_t>::max(); }
    /// (optional) The front rejects larger groups. Constant. Default: null, no such limit.
    virtual const GroupLimit* group_limit() const { return nullptr; }
    /// (optional) Kernel::occupancy() for groups of `items` work-items. The kernel accepts such groups.
    /// Default: not known.
    virtual std::optional<std::uint32_t> groups_per_unit(std::size_t /*items*/, std::size_t /*local_bytes*/) {
        return std::nullopt;
    }
    /// (optional) Makes what launches with this local size need, before the first one. `local_bytes`: of each
    /// local argument, in order. Default: nothing, because launches make nothing.
    virtual void prepare(const Dim3& /*local*/, std::span<const std::size_t> /*local_bytes*/) {}
    /// The vendor's handle (CUfunction, cl_kernel) for the interop headers. Null if there is none.
    virtual void* native() { return nullptr; }
};

class Program {
public:
    Program() = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    virtual ~Program() = default;

    /// The entry point of this name. Null if there is none.
    virtual std::unique_ptr<Kernel> kernel(const std::string& name) = 0;
    /// (optional) All entry points. Empty if the vendor cannot list them.
    virtual std::vector<std::string> kernel_names() { return {}; }
    /// The compiler's messages.
    virtual const std::string& log() const = 0;
    /// (optional) Machine code. Default: empty; the front then throws unsupported.
    virtual std::vector<std::byte> binary() { return {}; }
};

/// One command of recorded work.
struct RecordedCommand {
    enum class What : std::uint8_t { copy, fill, launch };

    What what{};
    Place from;                    ///< copy.
    Place to;                      ///< copy, fill.
    std::size_t bytes = 0;         ///< copy, fill. 0: the command does nothing and only keeps its position.
    const void* pattern = nullptr; ///< fill, in the form of Queue::fill(). Valid during the call.
    std::size_t pattern_bytes = 0;
    Kernel* kernel = nullptr; ///< launch.
    Grid grid;
    std::span<const Argument> arguments;
    std::uint32_t line = 0; ///< A command runs after the previous one on its line.
    /// The command also runs after these, given by their index. They all come before it.
    std::span<const std::uint32_t> after;
};

/// Recorded work that a device's queues can enqueue as one command. The destructor does not affect enqueued
/// replays.
class Graph {
public:
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    virtual ~Graph() = default;

    /// Gives the launch at index `place` other arguments or another grid for all later replays.
    virtual void change(std::size_t place, const RecordedCommand& command) = 0;
};

class Queue {
public:
    Queue() = default;
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    virtual ~Queue() = default; ///< The front has called finish() unless the device is lost.

    /// Copies host memory to the device. `from` stays valid and unchanged until the command is done. It may
    /// be pageable or page-locked.
    virtual void write(const void* from, Place to, std::size_t bytes) = 0;
    virtual void read(Place from, void* to, std::size_t bytes) = 0;
    /// Copies within this queue's device. The ranges do not overlap.
    virtual void copy(Place from, Place to, std::size_t bytes) = 0;
    /// (optional) Copies between this queue's device and another one of the same backend, in either
    /// direction. Called only if Device::reaches() is true.
    virtual void copy_peer(Place from, Place to, std::size_t bytes);
    /// (optional) The same for boxes. Each end has its own pitches. Default: row by row.
    virtual void write_box(const void* from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box);
    virtual void read_box(Place from, Pitch from_pitch, void* to, Pitch to_pitch, const Box& box);
    virtual void copy_box(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box);
    /// (optional) Like copy_peer(). Returns false if it enqueued nothing; the front then uses another way.
    /// Default: false.
    virtual bool copy_box_peer(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box);
    /// (optional) Many copies in any order. No copy writes bytes that another one reads or writes. Default:
    /// one by one.
    virtual void copy_batch(std::span<const BatchCopy> copies);
    /// `size` is any divisor of `bytes`. `to.offset` need not be a multiple of it. `pattern` is valid only
    /// during the call.
    virtual void fill(Place to, std::size_t bytes, const void* pattern, std::size_t size) = 0;
    /// (optional) Hints for memory of MemoryKind::shared, if DeviceInfo::prefetch is true. Default: no
    /// effect.
    virtual void prefetch(Place, std::size_t /*bytes*/, Prefetch /*to*/) {}
    virtual void advise(Place, std::size_t /*bytes*/, Advice) {}
    /// Values are captured during the call. Local arguments are placed in order, each aligned to 16 bytes.
    /// `grid.offset` is zero, except for OpenCL C built with BuildOptions::global_offsets, SPIR-V, and OpenCL
    /// binaries. No index of the grid with its offset overflows.
    virtual void launch(Kernel& kernel, const Grid& grid, std::span<const Argument> arguments) = 0;

    /// (optional) Enqueues a graph made by Device::record() of this queue's device.
    virtual void replay(Graph& graph);

    virtual void record(Event& event) = 0;
    /// Whether wait() accepts this event of the same backend (possibly of another device). If false, the
    /// front waits on the host.
    virtual bool can_wait(const Event& event) const = 0;
    virtual void wait(Event& event) = 0;

    /// Waits for the queue's work and gives the host access to the range until unmap(). With Map::discard the
    /// present bytes need not be transferred.
    virtual void* map(Place place, std::size_t bytes, Map access) = 0;
    /// Ends the mapping. Commands enqueued later see the writes of the host. `host` is the result of map().
    virtual void unmap(Place place, std::size_t bytes, Map access, void* host) = 0;
    /// (optional) Whether map() returns the memory itself, for any range of it, without a copy.
    virtual bool maps_in_place(Place) const { return false; }

    virtual void flush() = 0;
    /// Blocks until everything enqueued before the call is done. Throws the first error that has not been
    /// thrown yet. May run concurrently with the other methods.
    virtual void finish(WaitPolicy policy) = 0;
    void finish() { finish(WaitPolicy::automatic); }
    /// True if everything enqueued is done. Throws the errors of finish().
    virtual bool idle() = 0;

    /// (optional) Whether an error of finish(), idle() or an event is the result of a command. If not, the
    /// vendor rejected the call, and the commands may still run. Default: true.
    virtual bool is_end(const Error&) const noexcept { return true; }
    /// (optional) After a rejected call: blocks until all commands submitted to the vendor have ended, with
    /// or without an error, by any vendor call that works. Returns false if the vendor rejects all of them
    /// and the device may still be busy. Default: finish().
    virtual bool prove_done() noexcept {
        try {
            finish();
        } catch (const std::exception&) { // This is the end of a command too.
        }
        return true;
    }

    /// The amount of work of the present command that the vendor has accepted. A command may consist of
    /// several calls. The front resets it before each command, and includes it in the error if a later call
    /// fails.
    struct Taken {
        std::size_t bytes = 0;
        bool kernel = false;
    };
    Taken taken;

    /// The vendor's handle (CUstream, cl_command_queue, VkQueue). Null if there is none.
    virtual void* native() { return nullptr; }
};

/// How well a device can use a variant of a program. Higher is better; 0 means that it cannot.
struct Fit {
    int rank = 0;
    std::string why; ///< A clause: "machine code for sm_80, the device is sm_90".
};

/// Ranks with a fixed meaning, so that all backends choose alike.
namespace rank {
constexpr int none = 0;
constexpr int unknown_binary = 10; ///< A binary of unknown architecture.
constexpr int intermediate = 20;   ///< PTX, SPIR-V.
constexpr int portable = 25;       ///< OpenCL C, translated for the device's compiler.
constexpr int source = 30;         ///< The vendor's own language, with a compiler.
constexpr int binary = 40;         ///< Machine code for this device.
} // namespace rank

/// The owner, after wrap(), of memory that Ferry did not allocate.
enum class Ownership : std::uint8_t { borrowed, adopted };

/// How a device accesses memory of the caller.
enum class ImportReach : std::uint8_t {
    none,
    copy,     ///< The vendor's driver copies it in both directions.
    link,     ///< Over a bus.
    migrates, ///< Pages move to the device when it accesses them.
    local,    ///< Host and device use the same memory.
};

class Device {
public:
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device() = default;

    /// Complete and constant once the driver lists the device. The call initialises nothing.
    virtual const DeviceInfo& info() const = 0;
    /// Free bytes at present, if the driver reports it.
    virtual std::optional<std::uint64_t> free_memory() = 0;

    /// The driver's facts about such memory, without measurements and without initialising anything.
    virtual MemoryCapabilities memory_facts(MemoryKind kind) const = 0;

    virtual std::unique_ptr<Memory> allocate(MemoryKind kind, std::size_t bytes) = 0;
    /// (optional) Whether destroyed wrapped memory stays valid until this device's commands on it are done.
    virtual bool keeps_used_memory() const { return false; }
    /// (optional) Whether allocations of this kind can be divided into parts. Default: no.
    virtual bool has_parts(MemoryKind) const { return false; }
    /// (optional) A part of an allocation of such a kind as a separate Memory. It owns no bytes, and `whole`
    /// outlives it. Two parts that live at the same time do not overlap. `offset` is a multiple of 512 bytes
    /// and of part_alignment(). Its destructor does not wait.
    virtual std::unique_ptr<Memory> part(Memory& whole, std::size_t offset, std::size_t bytes);
    virtual std::size_t part_alignment() const { return 1; } ///< Bytes, a power of two.
    /// (optional) Blocks until all work on the device is done, including work of other code as far as the
    /// vendor can detect it. Throws nothing; errors stay with their queues. Returns false if the vendor
    /// rejects the wait, and the device may still be busy. Default: no other code enqueues work.
    [[nodiscard]] virtual bool synchronize() noexcept { return true; }
    /// (optional) Queries whether the driver has lost the device: some drivers lose all devices of a process
    /// when one of them fails. Called once for the other devices of that platform. Blocks for the driver's
    /// call. Default: no.
    virtual bool is_given_up() noexcept { return false; }
    /// Memory allocated by other code. Adopted memory is freed with the object.
    virtual std::unique_ptr<Memory> wrap(const NativeMemory& native, std::size_t bytes,
                                         Ownership ownership) = 0;
    /// (optional) Memory of kind device that export_memory() takes. Returns null if the driver has none;
    /// `why` is then a clause. Default: null.
    virtual std::unique_ptr<Memory> allocate_exportable(std::size_t bytes, std::string& why);
    /// (optional) The memory of allocate_exportable() for other APIs. Each call makes a new descriptor.
    virtual ExternalMemory export_memory(Memory& memory);
    /// (optional) The first `bytes` bytes of memory of another API, which stay valid until both sides have
    /// released them. Returns null if the device cannot use any; `why` is then a clause. Throws Error if the
    /// driver refuses these. Default: null.
    virtual std::unique_ptr<Memory> import_external(ExternalMemory external, std::size_t bytes,
                                                    std::string& why);
    /// (optional) Identifies the hardware to other APIs: equal for the same GPU. Empty: not known. Default:
    /// DeviceInfo::uuid.
    virtual std::string external_identity() const;
    /// (optional) Memory of the caller for this device's commands, in place, until the Memory is destroyed.
    /// The host may use it while no command does. Memory::host is `data`. Returns null if the device cannot
    /// use it; `why` is then a clause. The bytes are mapped and readable, and writable unless `read_only`.
    /// They may share pages with other memory, imported or not, and be part of imported memory. Default:
    /// null.
    virtual std::unique_ptr<Memory> import_memory(void* data, std::size_t bytes, bool read_only,
                                                  std::string& why);
    /// (optional) For memory tests: the same memory without the mappings that import_memory() makes around
    /// commands, although visibility between host and device is then not guaranteed. `host` stays null.
    /// Returns null if imports need no mapping.
    virtual std::unique_ptr<Memory> import_unmapped(void*, std::size_t) { return nullptr; }
    /// (optional) How this device accesses imported memory.
    virtual ImportReach import_reach() const { return ImportReach::none; }
    /// (optional) The hooks of a device that detects mistakes of the program: hal/mistakes.hpp. Lives as long
    /// as the device. Default: null.
    virtual MistakeHooks* mistake_hooks() { return nullptr; }
    /// Ignores QueueOptions::priority unless DeviceInfo::queue_priority is true.
    virtual std::unique_ptr<Queue> create_queue(const QueueOptions& options) = 0;
    virtual std::unique_ptr<Event> create_event(bool timing) = 0;
    /// (optional) Wraps the caller's own queue or event of this device, given by its vendor handle. The
    /// caller keeps the ownership. A backend with native handles implements both.
    virtual std::unique_ptr<Queue> wrap_queue(void*, const QueueOptions&) { return nullptr; }
    virtual std::unique_ptr<Event> wrap_event(const NativeEvent&) { return nullptr; }
    /// (optional) For vendors' queues that one thread at a time may use: submits the commands of all queues
    /// on this one, and keeps others away from it until unlock_native_queue(). Throws Error
    /// (invalid_argument) if it is not one of the device's. Commands that the caller submits meanwhile come
    /// before later commands and events of queues whose Queue::native() was called. Default: no effect.
    virtual void lock_native_queue(void*) {}
    virtual void unlock_native_queue(void*) noexcept {}

    virtual Fit fit(const Source& source) const = 0;
    /// Throws Error (build_failed) with the log. `translation` is null, or the front's translation of OpenCL
    /// C for a device with a dialect(). If the source is text, the translation is compiled, and the log
    /// refers to the user's text. If the source is precompiled code, the translation describes the
    /// declarations in that code's text.
    virtual std::unique_ptr<Program> build(const Source& source, const BuildOptions& options,
                                           const translate::Translation* translation) = 0;
    /// (optional) The C++ dialect into which the front translates OpenCL C for this device. Default: none,
    /// because the device compiles OpenCL C itself or does not support it; fit() decides.
    virtual std::optional<translate::Dialect> dialect() const;

    /// (optional) Whether large copies of pageable memory are faster through page-locked slots that several
    /// threads fill (src/staging) than through the driver: discrete devices. Default: no.
    virtual bool gains_from_staging() const { return false; }
    /// (optional) Whether Queue::record() makes a new vendor event each time. An event that the device has
    /// not reached can then be recorded again at no extra cost. Default: no.
    virtual bool makes_events_anew() const noexcept { return false; }
    /// (optional) Whether the vendor knows the byte at `host` as memory that needs no staging. The front
    /// knows Ferry's own allocations. Default: no.
    virtual bool is_page_locked(const void* host);

    /// (optional) Turns commands of this device into one that replays at a lower cost. Default: null; the
    /// front then enqueues them one by one, in their order.
    virtual std::unique_ptr<Graph> record(std::span<const RecordedCommand> commands);

    /// (optional) Whether Queue::copy_peer works between this device and `other` of the same backend.
    virtual bool reaches(Device& other);
    /// (optional) The vendor's handles for the interop headers.
    virtual std::uint64_t native_device() { return 0; } ///< CUdevice ordinal, cl_device_id, VkPhysicalDevice.
    virtual void* native_context() { return nullptr; }  ///< CUcontext, cl_context, VkDevice.
    virtual NativePlatform native_platform() const { return {}; }
};

/// One opened vendor library. Lives until the process ends.
class Driver {
public:
    Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    virtual ~Driver() = default;

    /// The opened library and its version as text: "libcuda.so.1, CUDA 13.0".
    virtual std::string library() const = 0;
    /// Lists the devices, best first (GPUs, accelerators, processors; within each kind in the vendor's
    /// order). DeviceInfo::index counts them. Called once.
    virtual std::vector<std::unique_ptr<Device>> devices() = 0;
};

/// One backend. `open` loads the library and initialises it. If that fails, it returns null and adds to
/// `reasons` one for each failed step: its kind, and a full sentence with the remedy. A part that was left
/// out (a platform without devices) is a reason too. Does not throw.
struct Row {
    Backend backend;
    std::unique_ptr<Driver> (*open)(const Libraries& libraries, std::vector<BackendReason>& reasons);
};

/// All backends, in the order of their default priority.
extern const std::array<Row, 5> rows;

} // namespace ferry::backend
