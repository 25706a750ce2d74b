// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "opencl_api.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::opencl {

class OpenclDevice;

/// The storage of an allocation.
enum class Storage : std::uint8_t {
    buffer,   ///< A cl_mem.
    svm,      ///< SVM, and a cl_mem over the same bytes for commands; kernels take the pointer for a view.
    usm,      ///< cl_intel_unified_shared_memory: a pointer only.
    system,   ///< The caller's memory, if any pointer is SVM: a pointer only.
    mapped,   ///< A cl_mem in page-locked memory that stays mapped except while a command works on it.
    mirrored, ///< Host memory, and a cl_mem that gets the bytes that a command uses, while it works.
};

class OpenclMemory final : public backend::Memory {
public:
    OpenclMemory(OpenclDevice& device, Storage kind, std::size_t size);
    /// A part of other memory, which is not mapped storage.
    OpenclMemory(OpenclMemory& whole, std::size_t offset, std::size_t size);
    ~OpenclMemory() override;

    /// A reference to `bytes` bytes from `offset` on as a separate memory object, for a kernel. Null if the
    /// device accepts none at that offset. `owned`: the caller must release it once it is enqueued.
    cl_mem sub_buffer(std::size_t offset, bool& owned);

    /// The memory object, and the offset of this memory in it; for a part, those of the whole memory. For all
    /// commands but kernels, because they accept any offset and need no sub-buffers, whose overlap drivers
    /// handle wrongly (Traits::parts_go_wrong). PoCL 3.1 crashes on boxes of sub-buffers.
    struct Origin {
        cl_mem mem;
        std::size_t offset;
    };
    Origin origin() const noexcept {
        return whole_ != nullptr ? Origin{whole_->mem, offset_} : Origin{mem, 0};
    }

    const Storage storage;
    const std::size_t bytes;
    const std::uint64_t number;                           ///< From 1. Unique in the process.
    cl_mem mem = nullptr;                                 ///< Null for usm and system.
    cl_map_flags mapped_for = CL_MAP_READ | CL_MAP_WRITE; ///< mapped.
    char* pointer = nullptr;    ///< The device address; for mapped and mirrored: the host address.
    bool imported = false;      ///< The bytes belong to the caller.
    cl_mem locked = nullptr;    ///< mirrored: the page-locked memory, mapped to the end. Null for an import.
    bool kernels_update = true; ///< May read and write it: the cl_mem was not made for only one of these.
    bool is_pack = false;       ///< Belongs to one queue, which is done with it before it is destroyed.

    /// The host's pages are read-only.
    bool is_read_only() const noexcept { return mapped_for == CL_MAP_READ; }

    /// mapped, mirrored: the event after the last command on it, and its queue, for a queue that is about to
    /// use it. There is one mapping, and one mirror, so queues that use the memory at the same time take
    /// turns. Under the device's handover_mutex().
    void mapped_by(cl_command_queue queue, cl_event event) noexcept;
    /// The event of that command if it belongs to another queue and is not done, with that queue flushed;
    /// otherwise null.
    cl_event mapped_elsewhere(cl_command_queue queue) noexcept;
    /// The event of that command. Null if no wait is needed. For a pack.
    cl_event last_command() const noexcept { return mapping_; }

private:
    struct Part {
        std::size_t offset;
        cl_mem mem;
    };
    OpenclDevice& device_;
    OpenclMemory* const whole_ = nullptr; ///< The memory that contains this part.
    const std::size_t offset_ = 0;        ///< Offset in it.
    std::mutex mutex_;                    // Protects parts_.
    std::vector<Part> parts_;
    cl_event mapping_ = nullptr;
    cl_command_queue mapping_queue_ = nullptr; ///< Only compared, because it may be destroyed.
};

inline OpenclMemory& memory_of(const backend::Place& place) noexcept {
    return static_cast<OpenclMemory&>(*place.memory);
}

/// Whether commands use the memory by its address; the host's copy commands then treat it like host memory.
/// Host pages, as commands see them.
enum class Pages : bool { ordinary, locked };

/// The pages at `pointer`. The program's own may be pageable.
inline Pages pages_of(const OpenclMemory& memory) noexcept {
    const bool ordinary = memory.imported || memory.storage == Storage::system ||
                          (memory.storage == Storage::mirrored && memory.locked == nullptr);
    return ordinary ? Pages::ordinary : Pages::locked;
}

/// True if there is a pointer and no memory object.
inline bool pointer_only(const OpenclMemory& memory) noexcept {
    return memory.storage == Storage::usm || memory.storage == Storage::system;
}

inline bool by_address(const OpenclMemory& memory) noexcept {
    return pointer_only(memory) || memory.storage == Storage::mapped || memory.storage == Storage::mirrored;
}

/// The storage of an allocation of this kind.
Storage storage_for(const OpenclDevice& device, MemoryKind kind);

std::unique_ptr<OpenclMemory> allocate_memory(OpenclDevice& device, MemoryKind kind, std::size_t bytes);
/// Page-locked memory of a queue with a mirror on the device, whatever storage the device uses otherwise.
std::unique_ptr<OpenclMemory> allocate_pack(OpenclDevice& device, std::size_t bytes);
/// Memory of the caller: used by its address if the device accepts any; mapped, as CL_MEM_USE_HOST_PTR, if
/// the driver is certain to use it in place; otherwise mirrored. Null, with the reason, if the device would
/// use other memory.
std::unique_ptr<OpenclMemory> import_memory(OpenclDevice& device, void* data, std::size_t bytes,
                                            bool read_only, std::string& why);
/// The same without the mappings, if it is mapped storage. Otherwise null.
std::unique_ptr<OpenclMemory> import_unmapped(OpenclDevice& device, void* data, std::size_t bytes);
std::unique_ptr<OpenclMemory> wrap_memory(OpenclDevice& device, std::uint64_t native, std::size_t bytes,
                                          backend::Ownership ownership);

} // namespace ferry::opencl
