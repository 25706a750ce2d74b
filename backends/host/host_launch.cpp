// SPDX-License-Identifier: Apache-2.0
#include "host_launch.hpp"

#include "host_exit.hpp"
#include "host_pool.hpp"
#include "system/float_environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

namespace ferry::host {
namespace {

using Kind = ferry::detail::ArgumentKind;

constexpr std::size_t alignment = 64;

constexpr std::size_t align_up(std::size_t at, std::size_t to) noexcept {
    return (at + to - 1) & ~(to - 1);
}

// The largest power of two that divides the size of a type is at least the type's alignment.
constexpr std::size_t place_value(std::size_t at, std::size_t bytes) noexcept {
    return align_up(at, std::min(bytes & (~bytes + 1), alignment));
}

// Local memory of the groups that this thread runs, one after the other.
std::byte* scratch(std::size_t bytes) {
    struct Free {
        void operator()(std::byte* data) const noexcept { std::free(data); }
    };
    thread_local std::unique_ptr<std::byte, Free> data;
    thread_local std::size_t size = 0;
    if (size < bytes) {
        size = 0;
        data.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, bytes)));
        if (data == nullptr) {
            throw std::bad_alloc();
        }
        size = bytes;
    }
    return data.get();
}

} // namespace

std::size_t Launch::room_for(std::span<const backend::Argument> arguments) noexcept {
    std::size_t at = sizeof(Launch) + arguments.size() * (sizeof(Pointer) + sizeof(void*));
    for (const backend::Argument& argument : arguments) {
        if (argument.kind == Kind::value) {
            at = place_value(at, argument.bytes) + argument.bytes;
        }
    }
    return at - sizeof(Launch);
}

Launch::Launch(const Function& function, const Grid& grid,
               std::span<const backend::Argument> arguments) noexcept
    : function_(function), grid_(grid), count_(arguments.size()) {
    static_assert(sizeof(Launch) % alignof(Pointer) == 0 && alignof(Pointer) >= alignof(void*));
    std::byte* const start = reinterpret_cast<std::byte*>(this);
    pointers_ = reinterpret_cast<Pointer*>(start + sizeof(Launch));
    arguments_ = reinterpret_cast<void**>(pointers_ + count_);
    std::uninitialized_default_construct_n(pointers_, count_);
    std::size_t at = sizeof(Launch) + count_ * (sizeof(Pointer) + sizeof(void*));
    for (std::size_t i = 0; i < count_; ++i) {
        const backend::Argument& argument = arguments[i];
        Pointer& pointer = pointers_[i];
        arguments_[i] = &pointer.address;
        if (argument.kind == Kind::value) {
            at = place_value(at, argument.bytes);
            std::memcpy(start + at, argument.value, argument.bytes);
            arguments_[i] = start + at;
            at += argument.bytes;
        } else if (argument.kind == Kind::local) {
            pointer.local_bytes = align_up(argument.bytes, alignment);
            local_bytes_ += pointer.local_bytes;
        } else if (argument.place.memory != nullptr) {
            pointer.block = static_cast<HostMemory*>(argument.place.memory)->block();
            pointer.address = static_cast<std::byte*>(argument.place.memory->host) + argument.place.offset;
        }
    }
}

Launch::~Launch() {
    std::destroy_n(pointers_, count_);
}

void Launch::run() {
    const Dim3& groups = grid_.groups;
    Pool::get().run(
        groups.x * groups.y * groups.z,
        [this](std::size_t first, std::size_t last) { run_groups(first, last); }, function_.stack);
}

void Launch::run_groups(std::size_t first, std::size_t last) const {
    if (local_bytes_ == 0) {
        run_groups(first, last, arguments_);
        return;
    }
    std::array<void*, max_arguments> arguments;
    std::array<void*, max_arguments> addresses;
    std::byte* local = scratch(local_bytes_);
    for (std::size_t i = 0; i < count_; ++i) {
        arguments[i] = arguments_[i];
        if (pointers_[i].local_bytes != 0) {
            addresses[i] = std::exchange(local, local + pointers_[i].local_bytes);
            arguments[i] = &addresses[i];
        }
    }
    run_groups(first, last, arguments.data());
}

void Launch::run_groups(std::size_t first, std::size_t last, void* const* arguments) const {
    std::optional<ferry::detail::DefaultFloatEnvironment> floats;
    if (function_.group != nullptr) { // a function of the program may change it
        floats.emplace();
    }
    const Dim3& groups = grid_.groups;
    ModuleGroup group{
        {{first % groups.x, first / groups.x % groups.y, first / groups.x / groups.y}, groups, grid_.local},
        grid_.offset};
    const char* failure = nullptr;
    group.failure = &failure;
    for (std::size_t i = first; i < last && !stopping();) {
        const std::size_t count = function_.row != nullptr ? std::min(last - i, groups.x - group.group.x) : 1;
        if (function_.row != nullptr) {
            function_.row(group, arguments, count);
        } else {
            function_.group(group, arguments);
        }
        if (failure != nullptr) {
            throw Stopped{failure};
        }
        i += count;
        group.group.x += count;
        if (group.group.x == groups.x) {
            group.group.x = 0;
            if (++group.group.y == groups.y) {
                group.group.y = 0;
                ++group.group.z;
            }
        }
    }
}

} // namespace ferry::host
