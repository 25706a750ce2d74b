// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "host_event.hpp"
#include "host_memory.hpp"
#include "host_reference.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ferry::host {

/// One enqueued command. It lives in its queue's ring, from the call that enqueues it until it is done, and
/// keeps its memory alive.
class Command {
public:
    Command() = default;
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    virtual ~Command() = default;

    /// Throws Error.
    virtual void run() = 0;
    /// Called instead of run() if an earlier command failed.
    virtual void skip() noexcept {}
    /// The recording that is reached with this command, even if it is not run. Null for most commands.
    virtual Recording* recording() const noexcept { return nullptr; }

    std::uint32_t units = 0; ///< Size, for the ring.
};

/// Bytes in memory that the host can address: a block of Ferry's or, if null, memory of the caller.
struct Bytes {
    std::byte* data = nullptr;
    Reference<Block> block;
};

class Copy final : public Command {
public:
    Copy(Bytes from, Bytes to, std::size_t bytes) noexcept
        : from_(std::move(from)), to_(std::move(to)), bytes_(bytes) {}
    void run() override;

private:
    const Bytes from_;
    const Bytes to_;
    const std::size_t bytes_;
};

class CopyBox final : public Command {
public:
    CopyBox(Bytes from, backend::Pitch from_pitch, Bytes to, backend::Pitch to_pitch,
            const backend::Box& box) noexcept
        : from_(std::move(from)),
          to_(std::move(to)),
          from_pitch_(from_pitch),
          to_pitch_(to_pitch),
          box_(box) {}
    void run() override;

private:
    const Bytes from_;
    const Bytes to_;
    const backend::Pitch from_pitch_;
    const backend::Pitch to_pitch_;
    const backend::Box box_;
};

/// The pattern is stored after the command, in the room from its queue's ring.
class Fill final : public Command {
public:
    Fill(Bytes to, std::size_t bytes, const void* pattern, std::size_t size) noexcept;
    static std::size_t room_for(std::size_t size) noexcept { return repeated(size); }
    void run() override;

private:
    /// Bytes of the stored pattern: as many whole patterns as make a memcpy worthwhile.
    static std::size_t repeated(std::size_t size) noexcept {
        return size >= shortest ? size : (shortest + size - 1) / size * size;
    }
    static constexpr std::size_t shortest = 64;

    const Bytes to_;
    const std::size_t bytes_;
    const std::size_t pattern_bytes_;
};

class Record final : public Command {
public:
    explicit Record(Reference<Recording> recording) noexcept : recording_(std::move(recording)) {}
    void run() override {}
    Recording* recording() const noexcept override { return recording_.get(); }

private:
    const Reference<Recording> recording_;
};

/// Blocks the queue's thread. It always ends, because the awaited work was enqueued earlier.
class Wait final : public Command {
public:
    explicit Wait(Reference<Recording> recording) noexcept : recording_(std::move(recording)) {}
    void run() override;
    void skip() noexcept override; ///< Commands after a reported error rely on it.

private:
    const Reference<Recording> recording_;
};

} // namespace ferry::host
