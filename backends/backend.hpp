// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contract between the front (src/) and a backend: everything a backend implements stands here.
// backends/host/ is the smallest complete implementation and the one to copy; docs/adding-a-backend.md
// lists the steps.
//
// Rules for all of it:
// - The front has checked every argument. Sizes are never zero, ranges are inside their objects, kinds are
//   ones the device said it has, kernels and memory belong to the device. A backend checks none of it again.
// - A backend reports by throwing ferry::Error, made with vendor_error() of its own, so that the vendor's
//   call, number and name are kept. The front adds the caller's line and the command's name.
// - Destructors do not throw. After process_is_exiting() is true they make no vendor call at all: the
//   vendor library may be gone. The front calls nothing else then.
// - The front calls one queue's methods one at a time, except finish(), which may run at the same time as
//   any of them. Everything else is called from any thread at any time.
// - An object outlives what was made from it: driver > device > queue, memory, program > kernel, event.
// - Steady state: write, read, copy and their forms for boxes and batches, fill, launch, record, wait
//   allocate nothing on the heap.

#include <ferry/argument.hpp>
#include <ferry/backend.hpp>
#include <ferry/capabilities.hpp>
#include <ferry/device.hpp>
#include <ferry/error.hpp>
#include <ferry/grid.hpp>
#include <ferry/kernel.hpp>
#include <ferry/memory.hpp>
#include <ferry/program.hpp>
#include <ferry/queue.hpp>
#include <ferry/wait_policy.hpp>

#include <array>
#include <atomic>
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

extern constinit std::atomic<bool> exiting; ///< set in src/lifetime.cpp

/// True from the moment the process began to end. Relaxed: it only saves work. Exclusion is VendorCall's,
/// which asks sequentially consistent after it has counted itself.
inline bool process_is_exiting() noexcept {
    return exiting.load(std::memory_order_relaxed);
}

/// A setting in force: what the program set, else what the environment says, else nothing.
struct Setting {
    std::string value;
    std::string source; ///< "FERRY_BACKEND", "Settings::backend"; empty if nothing set it
    bool set() const noexcept { return !source.empty(); }
};

/// Where to look for vendor libraries, and what the host backend is to be.
struct Libraries {
    Setting cuda, nvrtc, hip, hiprtc, opencl;
    Setting host_mode, host_seed;
};

/// One allocation. Destroying it gives the memory back. The front has waited for the commands that use it, on
/// other devices always, on its own where Device::keeps_used_memory() is false.
class Memory {
public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    virtual ~Memory() = default;

    /// The host's address of the first byte; null if the host cannot reach the memory without a mapping.
    void* host = nullptr;
    /// The device's address of the first byte; 0 where the backend has handles instead (cl_mem).
    std::uint64_t address = 0;
    /// The vendor's handle where memory is one (cl_mem), else null.
    void* handle = nullptr;
};

/// A place in an allocation.
struct Place {
    Memory* memory = nullptr;
    std::size_t offset = 0; ///< bytes
};

/// Rows of bytes: `height` rows of `width` bytes in each of `depth` slices; none is zero. The front has made
/// one row of what follows without a gap at both ends.
struct Box {
    std::size_t width = 0, height = 0, depth = 0;
};
/// How far apart the rows and the slices of one end begin, in bytes. Rows do not overlap, slices neither.
struct Pitch {
    std::size_t row = 0, slice = 0;
};

/// One copy of a batch. An end is a place in memory of the queue's device or, where that is null, host
/// memory; one end at least is a place.
struct BatchCopy {
    Place from, to;
    const void* host_from = nullptr;
    void* host_to = nullptr;
    std::size_t bytes = 0;
};

/// One argument of a launch, in the kernel's order.
struct Argument {
    detail::Argument::Kind kind{};
    std::size_t bytes = 0;       ///< value: its size; local: bytes per work-group
    const void* value = nullptr; ///< value only; valid during the call
    Place place;                 ///< buffer only; a null memory is a null pointer
    bool constant = false; ///< buffer only: the kernel is not to write to it, whatever its parameter says
};

/// A completion marker that can be recorded again and again.
class Event {
public:
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    virtual ~Event() = default;

    /// Whether what was recorded last is complete. Makes progress by itself (flushes if the vendor needs
    /// it). Throws the error of the work before it.
    virtual bool ready() = 0;
    /// Blocks until complete; throws as ready().
    virtual void wait(WaitPolicy policy) = 0;
    void wait() { wait(WaitPolicy::automatic); }
    /// Device time since `start`, an event of the same device; both are complete. Nothing without a clock.
    virtual std::optional<std::chrono::nanoseconds> since(Event& start) = 0;

    /// (optional) The vendor's handle (CUevent, cl_event) of what was recorded last; null if there is none.
    virtual void* native_handle() { return nullptr; }
};

class Kernel {
public:
    Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    virtual ~Kernel() = default;

    virtual const KernelInfo& info() const = 0;
    /// (optional) Work-items that its code counts in one dimension, those that an offset leaves out counted.
    /// The front refuses larger launches. Constant. Default: all that size_t holds.
    virtual std::size_t most_items() const { return std::numeric_limits<std::size_t>::max(); }
    /// (optional) The largest offset in one dimension. The front refuses larger ones. Constant. Default: all
    /// that size_t holds.
    virtual std::size_t most_offset() const { return std::numeric_limits<std::size_t>::max(); }
    /// The vendor's handle (CUfunction, cl_kernel) for the interop headers; null if there is none.
    virtual void* native() { return nullptr; }
};

class Program {
public:
    Program() = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    virtual ~Program() = default;

    /// The entry point of that name; null if there is none.
    virtual std::unique_ptr<Kernel> kernel(const std::string& name) = 0;
    /// (optional) All entry points; empty where the vendor cannot list them.
    virtual std::vector<std::string> kernel_names() { return {}; }
    /// The compiler's messages.
    virtual const std::string& log() const = 0;
    /// (optional) Machine code; default: empty, the front then says unsupported.
    virtual std::vector<std::byte> binary() { return {}; }
};

/// One command of recorded work.
struct RecordedCommand {
    enum class What : std::uint8_t { copy, fill, launch };

    What what{};
    Place from;                    ///< copy
    Place to;                      ///< copy, fill
    std::size_t bytes = 0;         ///< copy, fill; 0: it does nothing, and only has its place
    const void* pattern = nullptr; ///< fill, as Queue::fill() takes it; valid during the call
    std::size_t pattern_bytes = 0;
    Kernel* kernel = nullptr; ///< launch
    Grid grid;
    std::span<const Argument> arguments;
    std::uint32_t line = 0; ///< a command runs after the one before it on its line
    /// And after these, by their place among the commands. All stand before it.
    std::span<const std::uint32_t> after;
};

/// Recorded work that a device's queues can enqueue as one command. Destroying it leaves what is enqueued
/// alone.
class Graph {
public:
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    virtual ~Graph() = default;

    /// The command at that place, a launch, has other arguments or another grid from the next replay on.
    virtual void change(std::size_t place, const RecordedCommand& command) = 0;
};

class Queue {
public:
    Queue() = default;
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    virtual ~Queue() = default; ///< the front has called finish() unless the device is lost

    /// Host memory to the device. `from` stays valid and unchanged until the command is done. It may be
    /// pageable or page-locked.
    virtual void write(const void* from, Place to, std::size_t bytes) = 0;
    virtual void read(Place from, void* to, std::size_t bytes) = 0;
    /// Within this queue's device; the ranges do not overlap.
    virtual void copy(Place from, Place to, std::size_t bytes) = 0;
    /// (optional) Between this queue's device and another one of the same backend, either way, where
    /// Device::reaches() said so.
    virtual void copy_peer(Place from, Place to, std::size_t bytes);
    /// (optional) The same for boxes, each end with its pitches. Default: row by row.
    virtual void write_box(const void* from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box);
    virtual void read_box(Place from, Pitch from_pitch, void* to, Pitch to_pitch, const Box& box);
    virtual void copy_box(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box);
    /// (optional) As copy_peer(). False: nothing was enqueued, the front takes another way. Default: false.
    virtual bool copy_box_peer(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box);
    /// (optional) Many copies, none of which touches what another one writes, in any order. Default: one by
    /// one.
    virtual void copy_batch(std::span<const BatchCopy> copies);
    /// `size` is anything that divides `bytes`, and `to.offset` need not be a multiple of it. `pattern` is
    /// valid during the call only.
    virtual void fill(Place to, std::size_t bytes, const void* pattern, std::size_t size) = 0;
    /// Values are captured during the call. Local arguments are laid out in order, each aligned to 16.
    /// `grid.offset` is zero, but for OpenCL C built with BuildOptions::global_offsets, and SPIR-V and
    /// binaries of OpenCL; with it and the grid no index overflows.
    virtual void launch(Kernel& kernel, const Grid& grid, std::span<const Argument> arguments) = 0;

    /// (optional) Enqueues what Device::record() of this queue's device made.
    virtual void replay(Graph& graph);

    virtual void record(Event& event) = 0;
    /// Whether wait() takes this event of the same backend (another device's perhaps). False: the front
    /// waits on the host.
    virtual bool can_wait(const Event& event) const = 0;
    virtual void wait(Event& event) = 0;

    /// Waits for the queue's work and gives the host a view of the range, valid until unmap(). With
    /// Map::discard the present bytes need not be brought over.
    virtual void* map(Place place, std::size_t bytes, Map access) = 0;
    /// Ends it: commands enqueued later see what the host wrote. `host` is what map() gave.
    virtual void unmap(Place place, std::size_t bytes, Map access, void* host) = 0;
    /// (optional) Whether map() gives the very bytes, for any range of them: then no copy is made.
    virtual bool maps_in_place(Place) const { return false; }

    virtual void flush() = 0;
    /// Blocks until everything enqueued before the call is done; throws the first error among it that has
    /// not been thrown. May run at the same time as the other methods.
    virtual void finish(WaitPolicy policy) = 0;
    void finish() { finish(WaitPolicy::automatic); }
    /// Whether everything enqueued is done; throws as finish().
    virtual bool idle() = 0;

    /// (optional) Whether an error of finish(), idle() or an event is the end of a command. If not, the
    /// vendor refused the call, and the commands may still run. Default: true.
    virtual bool is_end(const Error&) const noexcept { return true; }
    /// (optional) After a refused call: blocks until everything that the vendor has is over, well or not, by
    /// whichever of its calls works. False: the vendor refuses all of them, and the device may still be at
    /// work. Default: finish().
    virtual bool prove_done() noexcept {
        try {
            finish();
        } catch (const std::exception&) { // the end of a command all the same
        }
        return true;
    }

    /// What the vendor has taken of the present command, which may consist of several calls. The front resets
    /// it before each command, and names it in the error if a later call fails.
    struct Taken {
        std::size_t bytes = 0;
        bool kernel = false;
    };
    Taken taken;

    /// The vendor's handle (CUstream, cl_command_queue); null if there is none.
    virtual void* native() { return nullptr; }
};

/// How well a device can use a variant of a program: higher is better, 0 is not at all.
struct Fit {
    int rank = 0;
    std::string why; ///< a clause: "machine code for sm_80, the device is sm_90"
};

/// Ranks with a fixed meaning, so that programs choose alike on every backend.
namespace rank {
constexpr int none = 0;
constexpr int unknown_binary = 10; ///< a binary that does not say what it is for
constexpr int intermediate = 20;   ///< PTX, SPIR-V
constexpr int portable = 25;       ///< OpenCL C, translated for the device's compiler
constexpr int source = 30;         ///< the vendor's own language, a compiler is there
constexpr int binary = 40;         ///< machine code for this very device
} // namespace rank

/// Ferry did not make this memory: whose it is after wrap().
enum class Ownership : std::uint8_t { borrowed, adopted };

/// How a device uses the caller's memory.
enum class ImportReach : std::uint8_t {
    none,
    copy,     ///< the vendor's driver copies it to and fro
    link,     ///< over a bus
    migrates, ///< pages move to the device as it touches them
    local,    ///< it is on the same memory chips
};

/// Whole pages of memory that is shared with a device, which has later bytes than they.
struct SharedPages {
    const void* data = nullptr;
    std::size_t bytes = 0;
    std::size_t offset = 0; ///< in the memory that is shared
    std::size_t whole = 0;  ///< bytes of that
    std::string kernel;     ///< wrote the later ones
};

/// As long as it lives, a fault in such pages is explained to whoever looks at standard error.
class ExplainedFaults {
public:
    ExplainedFaults() = default;
    ExplainedFaults(const ExplainedFaults&) = delete;
    ExplainedFaults& operator=(const ExplainedFaults&) = delete;
    virtual ~ExplainedFaults() = default;
};

class Device {
public:
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device() = default;

    /// Complete and constant once the driver lists the device; asking for it initialises nothing.
    virtual const DeviceInfo& info() const = 0;
    /// Bytes free now, if the driver tells.
    virtual std::optional<std::uint64_t> free_memory() = 0;

    /// What the driver says of such memory, without measuring and without initialising anything.
    virtual MemoryCapabilities memory_facts(MemoryKind kind) const = 0;

    virtual std::unique_ptr<Memory> allocate(MemoryKind kind, std::size_t bytes) = 0;
    /// (optional) Whether wrapped memory that is destroyed stays until this device's commands on it are done.
    virtual bool keeps_used_memory() const { return false; }
    /// (optional) Whether allocations of that kind can be used in parts. Default: no.
    virtual bool has_parts(MemoryKind) const { return false; }
    /// (optional) A part of an allocation of such a kind as a memory of its own. It owns no bytes, `whole`
    /// outlives it, and no two parts that live at a time overlap. `offset` is a multiple of 512 bytes and of
    /// part_alignment(). Its destructor waits for nothing.
    virtual std::unique_ptr<Memory> part(Memory& whole, std::size_t offset, std::size_t bytes);
    virtual std::size_t part_alignment() const { return 1; } ///< bytes, a power of two
    /// (optional) Blocks until all work on the device is done, that enqueued past Ferry included as far as
    /// the vendor can tell. Throws nothing: errors stay with their queues. False: the vendor refuses the
    /// wait, and the device may still be at work. Default: nothing is enqueued past it.
    [[nodiscard]] virtual bool synchronize() noexcept { return true; }
    /// (optional) Asks the driver whether it has given the device up: some do so with all of a process's when
    /// one of them fails. Asked of the others of that platform, once; blocks for that call. Default: no.
    virtual bool is_given_up() noexcept { return false; }
    /// Memory made elsewhere: a device address (as a number) or a handle. Adopted memory is freed with it.
    virtual std::unique_ptr<Memory> wrap(std::uint64_t native, std::size_t bytes, Ownership ownership) = 0;
    /// (optional) The caller's own memory, usable by this device's commands in place until the Memory is
    /// destroyed, and by the host when no command uses it: Memory::host is `data`. Null where the device
    /// cannot, `why` is then a clause. The bytes are mapped and readable, and writable unless `read_only`;
    /// they may share pages with other memory, imported or not, and lie in memory that is imported already.
    /// Default: null.
    virtual std::unique_ptr<Memory> import_memory(void* data, std::size_t bytes, bool read_only,
                                                  std::string& why);
    /// (optional) For a trial: the same memory without the mappings that import_memory() puts around
    /// commands, though nothing promises that the host and the device see each other's bytes then. `host`
    /// stays null. Null where imports need no mapping.
    virtual std::unique_ptr<Memory> import_unmapped(void*, std::size_t) { return nullptr; }
    /// (optional) How this device reaches what it imports.
    virtual ImportReach import_reach() const { return ImportReach::none; }
    /// (optional) A device that finds mistakes: the front takes the host's rights to the pages of a share
    /// whose latest bytes the device has (src/share/withheld.hpp), and has faults there explained. Default:
    /// no.
    virtual bool withholds_pages() const { return false; }
    virtual std::unique_ptr<ExplainedFaults> explain_faults(const SharedPages&) { return nullptr; }
    virtual std::unique_ptr<Queue> create_queue(const QueueOptions& options) = 0;
    virtual std::unique_ptr<Event> create_event(bool timing) = 0;
    /// (optional) The caller's own queue and event of this device, by their vendor's handles, which stay the
    /// caller's. A backend with native handles has both.
    virtual std::unique_ptr<Queue> wrap_queue(void*, const QueueOptions&) { return nullptr; }
    virtual std::unique_ptr<Event> wrap_event(void*) { return nullptr; }

    virtual Fit fit(const Source& source) const = 0;
    /// Throws Error (build_failed) with the log. `translation` is null, or what the front made of OpenCL C
    /// for a device with a dialect(): if the source is the text, it is what to compile, and the log speaks of
    /// the user's text; if the source is code compiled before, it tells what that code's text declares.
    virtual std::unique_ptr<Program> build(const Source& source, const BuildOptions& options,
                                           const translate::Translation* translation) = 0;
    /// (optional) The C++ into which the front translates OpenCL C for this device. Default: none, for the
    /// device takes OpenCL C itself or not at all; fit() says.
    virtual std::optional<translate::Dialect> dialect() const;

    /// (optional) Whether much ordinary memory gets to and from this device faster through page-locked slots
    /// that several threads fill (src/staging) than in the driver's own hands: discrete devices. Default: no.
    virtual bool gains_from_staging() const { return false; }
    /// (optional) Whether Queue::record() makes a new event of the vendor's each time: then one that the
    /// device has not come to is recorded again at no extra cost. Default: no.
    virtual bool makes_events_anew() const noexcept { return false; }
    /// (optional) Whether the vendor knows the byte at `host` as memory that it need not stage. Ferry's own
    /// allocations are known to the front. Default: no.
    virtual bool is_page_locked(const void* host);

    /// (optional) Makes commands, all of this device, into one that replays cheaper than they are enqueued.
    /// Null where there is no such thing (default): the front enqueues them one by one then, in their order.
    virtual std::unique_ptr<Graph> record(std::span<const RecordedCommand> commands);

    /// (optional) Whether Queue::copy_peer works between this device and `other` of the same backend.
    virtual bool reaches(Device& other);
    /// (optional) The vendor's handles for the interop headers.
    virtual std::uint64_t native_device() { return 0; } ///< CUdevice ordinal, cl_device_id
    virtual void* native_context() { return nullptr; }  ///< CUcontext, cl_context
};

/// One opened vendor library. Lives until the process ends.
class Driver {
public:
    Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    virtual ~Driver() = default;

    /// The library that was opened and its version, for people: "libcuda.so.1, CUDA 13.0".
    virtual std::string library() const = 0;
    /// Lists the devices, best first (GPUs, accelerators, processors; within them the vendor's order).
    /// DeviceInfo::index counts them. Called once.
    virtual std::vector<std::unique_ptr<Device>> devices() = 0;
};

/// One backend. `open` loads the library and initialises it; if that fails it adds to `reasons` one full
/// sentence for each step that failed and what would mend it, and returns null. A part of it that had to be
/// left out (a platform without devices) is a reason too. It does not throw.
struct Row {
    Backend backend;
    std::unique_ptr<Driver> (*open)(const Libraries& libraries, std::vector<std::string>& reasons);
};

/// All backends; the order is the default priority.
extern const std::array<Row, 4> rows;

} // namespace ferry::backend
