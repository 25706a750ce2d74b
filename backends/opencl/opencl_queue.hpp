// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "opencl_api.hpp"
#include "opencl_batch.hpp"
#include "opencl_blocking.hpp"
#include "opencl_commands.hpp"
#include "opencl_error.hpp"
#include "opencl_event.hpp"
#include "opencl_memory.hpp"
#include "opencl_reads.hpp"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace ferry::opencl {

class LaunchRecord;
class OpenclDevice;
class OpenclKernel;

class OpenclQueue final : public backend::Queue {
public:
    OpenclQueue(OpenclDevice& device, const QueueOptions& options);
    /// A borrowed queue, retained as long as this object lives. Throws Error (invalid_argument) if it is not
    /// an in-order queue of this device and its context.
    OpenclQueue(OpenclDevice& device, cl_command_queue borrowed);
    ~OpenclQueue() override;

    void write(const void* from, backend::Place to, std::size_t bytes) override;
    void read(backend::Place from, void* to, std::size_t bytes) override;
    void copy(backend::Place from, backend::Place to, std::size_t bytes) override;
    void write_box(const void* from, backend::Pitch from_pitch, backend::Place to, backend::Pitch to_pitch,
                   const backend::Box& box) override; // opencl_box.cpp
    void read_box(backend::Place from, backend::Pitch from_pitch, void* to, backend::Pitch to_pitch,
                  const backend::Box& box) override;
    void copy_box(backend::Place from, backend::Pitch from_pitch, backend::Place to, backend::Pitch to_pitch,
                  const backend::Box& box) override;
    void copy_batch(std::span<const backend::BatchCopy> copies) override; // opencl_batch.cpp
    void fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) override;
    void prefetch(backend::Place place, std::size_t bytes, Prefetch to) override;
    void launch(backend::Kernel& kernel, const Grid& grid,
                std::span<const backend::Argument> arguments) override; // opencl_launch.cpp

    void record(backend::Event& event) override;
    bool can_wait(const backend::Event& event) const override;
    void wait(backend::Event& event) override;

    void* map(backend::Place place, std::size_t bytes, Map access) override; // opencl_mapping.cpp
    void unmap(backend::Place place, std::size_t bytes, Map access, void* host) override;
    bool maps_in_place(backend::Place place) const override;

    void flush() override;
    using backend::Queue::finish;
    void finish(WaitPolicy policy) override;
    bool idle() override;
    bool is_end(const Error& error) const noexcept override;
    bool prove_done() noexcept override;
    void* native() override { return queue_; }

    /// The data needed to wait for the present commands of the queue, also if it is closed meanwhile. Retains
    /// the native queue.
    struct Work {
        OpenclDevice& device;
        cl_command_queue queue;
        std::shared_ptr<Progress> progress;
        std::uint64_t count; ///< Number of Ferry's commands.
        bool is_kept;        ///< Otherwise the driver refused to retain it, and only its owner keeps it
                             ///< alive.

        bool is_done() const noexcept { return progress->covers(count); }
        [[nodiscard]] Finished finish() const noexcept;
        void release() const noexcept;
    };
    Work work() const noexcept;
    /// An event after the queue's commands so far, flushed. The caller must release it.
    cl_event marker() const;
    /// Host memory that this queue's commands write, see Traits::captures_writes.
    const HostReads& host_reads() const noexcept { return host_reads_; }
    /// Commands enqueued after this call start only after these events.
    void wait_for_all(std::span<const cl_event> events);
    std::uint64_t number = 0; ///< In the device's list.

private:
    /// A replacement for a view that the device cannot use in place, alive for one launch.
    struct StandIn {
        cl_mem mem;
        OpenclMemory* memory; ///< Null: a sub-buffer, nothing to copy.
        std::size_t offset;
        std::size_t bytes;
        bool written;
    };

    enum class Use : std::uint8_t { reads, writes, updates }; ///< `writes`: all of it.
    /// Host memory that is lent to the device.
    struct Lent {
        OpenclMemory* memory;
        std::size_t offset, bytes;
        Use use;
    };

    /// Enqueues through `command` while the device has the memory in the list.
    template <class Command>
    void hand_over(Command command); // opencl_mapping.hpp
    void lend_all();                 ///< If it throws, the list has the memory that was lent.
    void lend(const Lent& lent);
    void take_all_back(bool done); ///< `done`: the command was enqueued.
    /// The next command uses these bytes. Does nothing for memory that is not shared with the host.
    void will_use(backend::Place place, std::size_t bytes, Use use);

    using Sizes = std::array<std::size_t, 3>;
    /// Enqueues through `command`, which launches the kernel, while no other thread sets its arguments and
    /// the device has the memory in the list. `global` is the widest launch; `moved`: it has an offset.
    template <class Command>
    void with_kernel(OpenclKernel& kernel, const Sizes& local, const Sizes& global, const Command& command,
                     bool moved = false); // opencl_launch.hpp
    void enqueue(OpenclKernel& kernel, cl_uint dimensions, const Sizes& local, const Sizes& global,
                 std::span<const backend::Argument> arguments, const Sizes* offset = nullptr);
    void keep_apart(LaunchRecord& record, bool alone);
    void record_alone(LaunchRecord& record);
    /// Sets the arguments that have changed.
    void set_arguments(OpenclKernel& kernel, std::span<const backend::Argument> arguments);
    void set_argument(OpenclKernel& kernel, cl_uint index, std::span<const backend::Argument> arguments);
    cl_mem stand_in(OpenclKernel& kernel, cl_uint index, std::span<const backend::Argument> arguments);
    void release_stand_ins() noexcept;

    /// Submits a command to the driver, which performs `bytes` bytes of the caller's request.
    template <class R, class... P>
    void submit(std::size_t bytes, const Function<R (*)(cl_command_queue, P...), true>& function,
                std::type_identity_t<P>... arguments) {
        check(commands_.submit(function, arguments...), function.name());
        taken.bytes += bytes;
    }
    cl_event new_marker() const;
    /// Call before a transfer of `bytes` bytes from host memory is enqueued. They are within `extent` bytes.
    void will_write_from(const void* memory, std::size_t extent, Pages pages, std::size_t bytes);
    /// Call after a transfer to host memory, if its command is the last one.
    void has_read_to(const void* memory, std::size_t extent, Pages pages);
    /// To or from memory that is a pointer only.
    void copy_pointers(const OpenclMemory& memory, void* to, const void* from, std::size_t bytes);
    void write_from(const void* from, Pages pages, backend::Place to, std::size_t bytes);
    void read_to(backend::Place from, void* to, Pages pages, std::size_t bytes);

    class Filling; // opencl_fill.cpp

    void will_pack(const Packs& packs);
    /// Starts an empty pack in the next part of the ring. Returns false if there is no memory for it, or if
    /// the part is in use and the caller must not wait.
    bool next_part(bool may_wait);
    /// Performs the copies of the pack, and waits for arriving data. Begin another pack afterwards.
    void launch_pack(OpenclKernel& kernel);
    void launch_copies(OpenclKernel& kernel, OpenclMemory& pack);
    void lend_copies(const Packs::Launch& launch);
    /// Waits until the last command on it is done. Returns false if that failed.
    bool wait_for_pack(OpenclMemory& pack);
    void release_marker() noexcept;
    /// Whether everything enqueued before the first call with this marker is done.
    bool is_done(cl_event& marker) const;

    OpenclDevice& device_;
    const Api& api_;
    cl_command_queue queue_;
    Commands commands_{queue_};
    std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
    HostReads host_reads_{*progress_};
    cl_event marker_ = nullptr; ///< For idle(), after command number marked_.
    std::uint64_t marked_ = 0;
    // Members, so that a launch allocates nothing once they have grown.
    std::vector<Lent> lent_;
    std::vector<StandIn> stand_ins_;
    std::unique_ptr<Packs> packs_; ///< Set once there was a batch that justified it.
};

} // namespace ferry::opencl
