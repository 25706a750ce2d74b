// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/backend.hpp"
#include "opencl_api.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::opencl {

class OpenclDevice;

/// What an allocation is made of.
enum class Storage : std::uint8_t {
    buffer, ///< a cl_mem
    svm,    ///< SVM, and a cl_mem over the same bytes that commands use; kernels take the pointer for a view
    usm,    ///< cl_intel_unified_shared_memory: a pointer only
    system, ///< the caller's, where any pointer is SVM: a pointer only
    mapped, ///< a cl_mem in page-locked memory that stays mapped except while a command works on it
    mirrored, ///< host memory, and a cl_mem that gets what a command uses of it, for as long as it works
};

class OpenclMemory final : public backend::Memory {
public:
    OpenclMemory(OpenclDevice& device, Storage kind, std::size_t size);
    /// A part of other memory, which is not mapped storage.
    OpenclMemory(OpenclMemory& whole, std::size_t offset, std::size_t size);
    ~OpenclMemory() override;

    /// A reference to `bytes` bytes from `offset` on as a memory object of its own, for a kernel: null if the
    /// device takes none at that place. `owned` says that the caller releases it once it is enqueued.
    cl_mem sub_buffer(std::size_t offset, bool& owned);

    /// The memory object of its own and where in it this begins: for a part, the whole's. For all commands
    /// but kernels: they take a place anywhere, and no driver has to keep sub-buffers that overlap alike for
    /// them (Traits::parts_go_wrong); PoCL 3.1 crashes over boxes of sub-buffers.
    struct Origin {
        cl_mem mem;
        std::size_t offset;
    };
    Origin origin() const noexcept {
        return whole_ != nullptr ? Origin{whole_->mem, offset_} : Origin{mem, 0};
    }

    const Storage storage;
    const std::size_t bytes;
    const std::uint64_t number;                           ///< from 1; no other memory of the process has it
    cl_mem mem = nullptr;                                 ///< null for usm and system
    cl_map_flags mapped_for = CL_MAP_READ | CL_MAP_WRITE; ///< mapped
    char* pointer = nullptr;    ///< the device's address; of mapped and mirrored: where the host sees it
    bool imported = false;      ///< the bytes are the caller's
    cl_mem locked = nullptr;    ///< mirrored: the page-locked memory, mapped to the end; null for an import
    bool kernels_update = true; ///< may read and write it: the cl_mem was not made for one alone
    bool is_pack = false;       ///< of one queue, which is done with it before it goes

    /// The host's pages are read-only.
    bool is_read_only() const noexcept { return mapped_for == CL_MAP_READ; }

    /// mapped, mirrored: what ended the last command on it, for a queue that is about to use it, and its
    /// queue. There is one mapping, and one mirror, so queues that use the memory at the same time take
    /// turns. Under the device's handover_mutex().
    void mapped_by(cl_command_queue queue, cl_event event) noexcept;
    /// The event of that command if another queue has it and it is not over, with that queue flushed; else
    /// null.
    cl_event mapped_elsewhere(cl_command_queue queue) noexcept;
    /// The event of that command, null if nobody is to wait for it. For a pack.
    cl_event last_command() const noexcept { return mapping_; }

private:
    struct Part {
        std::size_t offset;
        cl_mem mem;
    };
    OpenclDevice& device_;
    OpenclMemory* const whole_ = nullptr; ///< of which this is a part
    const std::size_t offset_ = 0;        ///< in it
    std::mutex mutex_;                    // parts_
    std::vector<Part> parts_;
    cl_event mapping_ = nullptr;
    cl_command_queue mapping_queue_ = nullptr; ///< to compare with, it may be gone
};

inline OpenclMemory& memory_of(const backend::Place& place) noexcept {
    return static_cast<OpenclMemory&>(*place.memory);
}

/// Whether commands use the memory by its address: then the host's copy commands take it like host memory.
/// Of the host, for commands.
enum class Pages : bool { ordinary, locked };

/// Those behind `pointer`. The program's own may be ordinary.
inline Pages pages_of(const OpenclMemory& memory) noexcept {
    const bool ordinary = memory.imported || memory.storage == Storage::system ||
                          (memory.storage == Storage::mirrored && memory.locked == nullptr);
    return ordinary ? Pages::ordinary : Pages::locked;
}

/// Whether there is a pointer and no memory object.
inline bool pointer_only(const OpenclMemory& memory) noexcept {
    return memory.storage == Storage::usm || memory.storage == Storage::system;
}

inline bool by_address(const OpenclMemory& memory) noexcept {
    return pointer_only(memory) || memory.storage == Storage::mapped || memory.storage == Storage::mirrored;
}

/// What an allocation of that kind is made of.
Storage storage_for(const OpenclDevice& device, MemoryKind kind);

std::unique_ptr<OpenclMemory> allocate_memory(OpenclDevice& device, MemoryKind kind, std::size_t bytes);
/// Page-locked memory of a queue with a mirror on the device, whatever the device has otherwise.
std::unique_ptr<OpenclMemory> allocate_pack(OpenclDevice& device, std::size_t bytes);
/// The caller's memory: by its address where the device takes any, mapped, as CL_MEM_USE_HOST_PTR, where the
/// driver is sure to leave it in place, else mirrored. Null, with the reason, if the device takes it
/// elsewhere.
std::unique_ptr<OpenclMemory> import_memory(OpenclDevice& device, void* data, std::size_t bytes,
                                            bool read_only, std::string& why);
/// The same, where it is mapped, without the mappings. Null elsewhere.
std::unique_ptr<OpenclMemory> import_unmapped(OpenclDevice& device, void* data, std::size_t bytes);
std::unique_ptr<OpenclMemory> wrap_memory(OpenclDevice& device, std::uint64_t native, std::size_t bytes,
                                          backend::Ownership ownership);

} // namespace ferry::opencl
