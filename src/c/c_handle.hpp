// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.h>
#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The objects behind the C handles.

namespace ferry::c {

/// Identifies the type of a C handle. The C types do this too, until a caller casts them or uses another
/// language.
struct Handle {
    enum class Type : std::uint64_t {
        device = 0x7972726566000001, // "ferry" and a number.
        buffer,
        mapping,
        queue,
        event,
        program,
        kernel,
        share,
        access,
        recording,
        recorder,
    };
    explicit Handle(Type t) noexcept : type(t) {}
    const Type type;
};

/// "ferry_queue". Empty for an unknown number.
std::string name_of(Handle::Type type);

template <Handle::Type type_of>
struct HandleOf : Handle {
    static constexpr Type own_type = type_of;
    HandleOf() noexcept : Handle(type_of) {}
};

} // namespace ferry::c

struct ferry_device : ferry::c::HandleOf<ferry::c::Handle::Type::device> {
    explicit ferry_device(const ferry::Device& d) : device(d), id(d.id()) {}
    ferry::Device device;
    std::string id;
};

struct ferry_buffer : ferry::c::HandleOf<ferry::c::Handle::Type::buffer> {
    explicit ferry_buffer(ferry::Buffer<std::byte> b) : buffer(std::move(b)) {}
    ferry::Buffer<std::byte> buffer;
};

struct ferry_mapping : ferry::c::HandleOf<ferry::c::Handle::Type::mapping> {
    explicit ferry_mapping(ferry::Mapping<std::byte> m) : mapping(std::move(m)) {}
    ferry::Mapping<std::byte> mapping;
};

struct ferry_queue : ferry::c::HandleOf<ferry::c::Handle::Type::queue> {
    explicit ferry_queue(ferry::Queue q) : queue(std::move(q)) {}
    ferry::Queue queue;
};

struct ferry_event : ferry::c::HandleOf<ferry::c::Handle::Type::event> {
    explicit ferry_event(ferry::Event e) : event(std::move(e)) {}
    ferry::Event event;
};

struct ferry_program : ferry::c::HandleOf<ferry::c::Handle::Type::program> {
    explicit ferry_program(ferry::Program p) : program(std::move(p)) {}
    ferry::Program program;
};

struct ferry_kernel : ferry::c::HandleOf<ferry::c::Handle::Type::kernel> {
    explicit ferry_kernel(ferry::Kernel k) : kernel(std::move(k)) {}
    ferry::Kernel kernel;
};

struct ferry_share : ferry::c::HandleOf<ferry::c::Handle::Type::share> {
    explicit ferry_share(ferry::Shared<std::byte> s) : shared(std::move(s)) {}
    ferry::Shared<std::byte> shared;
};

struct ferry_access : ferry::c::HandleOf<ferry::c::Handle::Type::access> {
    explicit ferry_access(ferry::HostGuard<std::byte> g) : guard(std::move(g)) {}
    ferry::HostGuard<std::byte> guard;
};

struct ferry_recorder : ferry::c::HandleOf<ferry::c::Handle::Type::recorder> {
    ferry_recorder(ferry_recording& o, ferry::Recorder r) : owner(&o), recorder(std::move(r)) {}
    ferry_recording* owner;
    ferry::Recorder recorder;
};

struct ferry_recording : ferry::c::HandleOf<ferry::c::Handle::Type::recording> {
    ferry_recorder* line(ferry::Recorder recorder) {
        return lines.emplace_back(std::make_unique<ferry_recorder>(*this, std::move(recorder))).get();
    }
    ferry::Recording recording;
    std::vector<std::unique_ptr<ferry_recorder>> lines;
};
