// SPDX-License-Identifier: Apache-2.0
#include "opencl_mapping.hpp"

#include "hal/mapped_copy.hpp"
#include "opencl_blocking.hpp"
#include "opencl_error.hpp"

#include <algorithm>

namespace ferry::opencl {
namespace {

cl_map_flags flags_for(Map access) {
    switch (access) {
    case Map::read:
        return CL_MAP_READ;
    case Map::write:
        return CL_MAP_WRITE;
    case Map::read_write:
        return CL_MAP_READ | CL_MAP_WRITE;
    case Map::discard:
        return CL_MAP_WRITE_INVALIDATE_REGION;
    }
    return CL_MAP_READ | CL_MAP_WRITE;
}

} // namespace

[[gnu::hot]] void OpenclQueue::will_use(backend::Place place, std::size_t bytes, Use use) {
    OpenclMemory& memory = memory_of(place);
    const auto is_same = [&](const Lent& lent) { return lent.memory == &memory; };
    if (memory.storage == Storage::mirrored ||
        (memory.storage == Storage::mapped && std::none_of(lent_.begin(), lent_.end(), is_same))) {
        lent_.push_back({&memory, place.offset, bytes, use});
    }
}

// Mapped memory is handed over as a whole. For mirrored memory only the bytes that the command uses are
// transferred, because the host may be writing to others.
void OpenclQueue::lend(const Lent& lent) {
    OpenclMemory& memory = *lent.memory;
    const cl_event before = memory.mapped_elsewhere(queue_);
    if (memory.storage == Storage::mapped) {
        submit(0, api_.clEnqueueUnmapMemObject, memory.mem, memory.pointer, before != nullptr ? 1U : 0U,
               before != nullptr ? &before : nullptr, nullptr);
        return;
    }
    if (before != nullptr) {
        wait_for_all({&before, 1});
    }
    if (lent.use != Use::writes) {
        will_write_from(memory.pointer + lent.offset, lent.bytes, pages_of(memory), lent.bytes);
        submit(0, api_.clEnqueueWriteBuffer, memory.mem, CL_FALSE, lent.offset, lent.bytes,
               memory.pointer + lent.offset, 0, nullptr, nullptr);
    }
}

void OpenclQueue::lend_all() {
    const auto is_mapped = [](const Lent& lent) { return lent.memory->storage == Storage::mapped; };
    if (device_.traits().unmaps_late && std::any_of(lent_.begin(), lent_.end(), is_mapped)) {
        device_.finish_queues();
    }
    for (std::size_t i = 0; i < lent_.size(); ++i) {
        try {
            lend(lent_[i]);
        } catch (...) {
            lent_.resize(i); // To be taken back.
            throw;
        }
    }
}

void OpenclQueue::take_all_back(bool done) {
    bool mirrored = false;
    for (const Lent& lent : lent_) {
        OpenclMemory& memory = *lent.memory;
        cl_int code = CL_SUCCESS;
        if (memory.storage == Storage::mirrored) {
            mirrored = true;
            if (done && lent.use != Use::reads && !memory.is_read_only()) {
                submit(0, api_.clEnqueueReadBuffer, memory.mem, CL_FALSE, lent.offset, lent.bytes,
                       memory.pointer + lent.offset, 0, nullptr, nullptr);
                if (!memory.is_pack) {
                    has_read_to(memory.pointer + lent.offset, lent.bytes, pages_of(memory));
                }
            }
            continue;
        }
        cl_event event = nullptr;
        const void* const pointer =
            commands_.submit(api_.clEnqueueMapBuffer, memory.mem, CL_FALSE, memory.mapped_for, 0,
                             memory.bytes, 0, nullptr, &event, &code);
        check(code, "clEnqueueMapBuffer");
        memory.mapped_by(queue_, event);
        if (pointer != memory.pointer) {
            throw Error(
                Code::unsupported,
                "Host memory of " + device_.info().name +
                    " cannot be used by its commands: its OpenCL driver maps it at another address each "
                    "time; use device memory and copies");
        }
    }
    if (!mirrored) {
        return;
    }
    cl_event const over = new_marker();
    for (const Lent& lent : lent_) {
        if (lent.memory->storage == Storage::mirrored) {
            if (api_.clRetainEvent(over) == CL_SUCCESS) {
                lent.memory->mapped_by(queue_, over);
            } else {                                                // Then it must be done now.
                static_cast<void>(opencl::finish(device_, queue_)); // The queue reports its failures.
                lent.memory->mapped_by(nullptr, nullptr);
            }
        }
    }
    static_cast<void>(api_.clReleaseEvent(over));
}

void* OpenclQueue::map(backend::Place place, std::size_t bytes, Map access) {
    auto& memory = static_cast<OpenclMemory&>(*place.memory);
    if (memory.host != nullptr) {
        finish();
        return static_cast<char*>(memory.host) + place.offset;
    }
    if (memory.storage == Storage::usm) {
        backend::MappedCopy staging(bytes);
        try {
            if (access != Map::discard) {
                read(place, staging.data(), bytes);
            }
            finish();
        } catch (...) {
            if (!prove_done()) { // The device may still write to it.
                static_cast<void>(staging.release());
            }
            throw;
        }
        return staging.release();
    }
    return map_and_wait(device_, commands_, memory.mem, flags_for(access), place.offset, bytes);
}

bool OpenclQueue::maps_in_place(backend::Place place) const {
    return memory_of(place).storage == Storage::svm && device_.traits().shares_buffers;
}

void OpenclQueue::unmap(backend::Place place, std::size_t bytes, Map access, void* host) {
    auto& memory = static_cast<OpenclMemory&>(*place.memory);
    if (memory.host != nullptr) {
        return;
    }
    if (memory.storage == Storage::usm) {
        backend::MappedCopy staging(host);
        if (access != Map::read) {
            try {
                write(host, place, bytes);
                finish();
            } catch (...) {
                if (!prove_done()) { // The device may still read it.
                    static_cast<void>(staging.release());
                }
                throw;
            }
        }
        return;
    }
    submit(0, api_.clEnqueueUnmapMemObject, memory.mem, host, 0, nullptr, nullptr);
}

} // namespace ferry::opencl
