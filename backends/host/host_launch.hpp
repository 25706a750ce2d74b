// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_command.hpp"
#include "host_module.hpp"

namespace ferry::host {

/// The limits of one launch. Together they bound the size of a Launch in its queue's ring.
constexpr std::size_t max_argument_bytes = 4096;

/// The function that runs the groups of a kernel. One of the two is null.
struct Function {
    /// One group: a function of the application.
    void (*group)(const HostGroup&, void* const*) = nullptr;
    /// A row of groups adjacent in x: a translated kernel (host_module.hpp).
    void (*row)(const ModuleGroup&, void* const*, unsigned long) = nullptr;
    /// True if it supports ModuleGroup::backwards, and the order of its work-items must not change its
    /// results.
    bool any_order = false;
    /// Running it again on copies has no other effects.
    bool repeatable = false;
    /// Its text has vectors of three elements, whose padding may take part in computations.
    bool padded_vectors = false;
    /// Bytes of stack that it needs at most; 0 if that is not known, as for functions of the application.
    std::size_t stack = 0;
};

/// Runs a kernel function for every work-group of a grid. The arguments are stored after the object, in the
/// same block of memory.
class Launch final : public Command {
public:
    /// Bytes after the object that a launch with these arguments needs.
    static std::size_t room_for(std::span<const backend::Argument> arguments) noexcept;

    Launch(const Function& function, const Grid& grid, std::span<const backend::Argument> arguments) noexcept;
    ~Launch() override;
    void run() override;

private:
    struct Pointer {
        void* address = nullptr;
        Reference<Block> block;
        std::size_t local_bytes = 0; ///< Local memory: each thread has its own address.
    };

    void run_groups(std::size_t first, std::size_t last) const;
    void run_groups(std::size_t first, std::size_t last, void* const* arguments) const;

    const Function function_;
    const Grid grid_;
    std::size_t count_;
    std::size_t local_bytes_ = 0; ///< Of all local arguments.
    Pointer* pointers_;           ///< One for each argument. Unused for values.
    void** arguments_;            ///< The arguments of the function.
};

} // namespace ferry::host
