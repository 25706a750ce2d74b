// SPDX-License-Identifier: Apache-2.0
#include "base/grid_text.hpp"
#include "base/process_exit.hpp"
#include "base/text.hpp"
#include "device/group_size.hpp"
#include "memory/memory_state.hpp"
#include "program/kernel_state.hpp"
#include "translate/type_name.hpp"

#include <ferry/kernel.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace ferry {
namespace detail {
namespace {

std::string_view scalar_name(ScalarType type) {
    constexpr std::array<std::string_view, 12> names{"other", "char", "uchar", "short", "ushort", "int",
                                                     "uint",  "long", "ulong", "half",  "float",  "double"};
    return names[static_cast<std::size_t>(type)];
}

std::string given(const Argument& a) {
    const bool named = a.type != ScalarType::other;
    const std::string element =
        named ? std::string(scalar_name(a.type)) : "elements of " + in_bytes(a.element);
    switch (a.kind) {
    case ArgumentKind::buffer:
        return "a buffer of " + element;
    case ArgumentKind::local:
        return "local memory of " + element;
    default:
        return "a value of " +
               (named ? "type " + element + " (" + in_bytes(a.bytes) + ")" : in_bytes(a.bytes));
    }
}

std::string expected(const ParameterInfo& p) {
    const std::string type = p.type != ScalarType::other ? std::string(scalar_name(p.type))
                             : !p.type_name.empty()      ? p.type_name
                                                         : "";
    switch (p.kind) {
    case ParameterKind::buffer:
        return type.empty() ? "a buffer" : "a buffer of " + type;
    case ParameterKind::local:
        return type.empty() ? "local memory" : "local memory of " + type;
    case ParameterKind::value:
        return type.empty()
                   ? "a value of " + in_bytes(p.bytes)
                   : "a value of type " + type + (p.bytes != 0 ? " (" + in_bytes(p.bytes) + ")" : "");
    default:
        return "something of " + in_bytes(p.bytes);
    }
}

bool same_kind(ParameterKind parameter, ArgumentKind argument) {
    switch (parameter) {
    case ParameterKind::buffer:
        return argument == ArgumentKind::buffer;
    case ParameterKind::local:
        return argument == ArgumentKind::local;
    case ParameterKind::value:
        return argument == ArgumentKind::value;
    default:
        return true;
    }
}

// Types of one class are interchangeable, and class 0 with all of them. A difference in signedness is not an
// error, because OpenCL's own host types do not distinguish it.
constexpr std::array<std::uint8_t, 12> type_classes{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7};

std::uint8_t type_class(ScalarType type) {
    return type_classes[static_cast<std::size_t>(type)];
}

bool same_type(std::uint8_t a, std::uint8_t b) {
    return a == b || a == 0 || b == 0;
}

bool same_type(ScalarType a, ScalarType b) {
    return same_type(type_class(a), type_class(b));
}

/// The element type that a buffer or local argument must have: a float4* accepts floats, and vector types of
/// any name.
ScalarType elements_of(const ParameterInfo& p) {
    return p.type != ScalarType::other ? p.type : parse_type(p.type_name).component;
}

/// An image, a sampler or similar object, which OpenCL sets by a handle.
bool is_object(const ParameterInfo& p) {
    const bool image = p.type_name.starts_with("image") && p.type_name.ends_with("_t");
    return image || p.type_name == "sampler_t" || p.type_name == "queue_t" || p.type_name == "clk_event_t" ||
           p.type_name == "reserve_id_t";
}

bool fits(const ParameterInfo& p, const Argument& a) {
    if (!same_kind(p.kind, a.kind)) {
        return false;
    }
    switch (p.kind) {
    case ParameterKind::value:
        return (p.bytes == 0 || p.bytes == a.bytes) && same_type(p.type, a.type);
    case ParameterKind::buffer:
    case ParameterKind::local:
        return same_type(elements_of(p), a.type);
    default:
        // Only the size is known: a pointer is 8 bytes, local memory an offset of 4 (CUDA, HIP).
        return p.bytes == 0 || p.bytes == (a.kind == ArgumentKind::buffer  ? sizeof(void*)
                                           : a.kind == ArgumentKind::local ? sizeof(std::uint32_t)
                                                                           : a.bytes);
    }
}

std::string dims(const std::array<std::size_t, 3>& d) {
    return std::to_string(d[0]) + "x" + std::to_string(d[1]) + "x" + std::to_string(d[2]);
}

} // namespace

KernelState::KernelState(std::shared_ptr<ProgramState> program, std::unique_ptr<backend::Kernel> native)
    : program_(std::move(program)),
      native_(std::move(native)),
      info_(&native_->info()),
      limits_(&program_->device->info()),
      new_(program_->device->runs_in_this_process()) {
    const DeviceInfo& limits = *limits_;
    // Small enough that unchecked products do not overflow; the full check handles the rest.
    constexpr std::size_t many = std::size_t{1} << 20;
    const bool free_shape = info_->required_local[0] == 0 && info_->parameters_known;
    most_group_size_ = std::min(limits.max_group_size != 0 ? limits.max_group_size : many, many);
    if (info_->max_group_size != 0 && !info_->max_group_size_is_hint) {
        most_group_size_ = std::min(most_group_size_, info_->max_group_size);
    }
    if (const backend::GroupLimit* const own = native_->group_limit()) {
        most_group_size_ = std::min(most_group_size_, own->items);
    }
    const std::size_t countable = native_->most_items() / std::max<std::size_t>(most_group_size_, 1);
    for (std::size_t d = 0; d < 3; ++d) {
        most_groups_[d] =
            std::min({limits.max_groups[d] != 0 ? limits.max_groups[d] : many, many << 20, countable});
        most_local_[d] =
            free_shape ? std::min(limits.max_local[d] != 0 ? limits.max_local[d] : many, many) : 0;
    }
    most_local_bytes_ = limits.local_memory;
    most_argument_bytes_ = limits.max_argument_bytes != 0 ? limits.max_argument_bytes : many;
    for (const ParameterInfo& p : info_->parameters) {
        const auto classes_of = [](ScalarType scalar) {
            const std::uint8_t type = type_class(scalar);
            return static_cast<std::uint8_t>(type == 0 ? 0xff : 1U << type | 1U);
        };
        const bool known = p.kind != ParameterKind::unknown;
        const std::uint8_t value_classes = classes_of(known ? p.type : ScalarType::other);
        const std::uint8_t classes = classes_of(known ? elements_of(p) : ScalarType::other);
        const bool any_pointer = p.bytes == 0 || p.bytes == sizeof(void*);
        Expected e;
        if (is_object(p)) { // The full check rejects it.
            expected_.push_back(e);
            continue;
        }
        if (p.kind == ParameterKind::value || p.kind == ParameterKind::unknown) {
            e.classes[static_cast<std::size_t>(ArgumentKind::value)] = value_classes;
        }
        if (p.kind == ParameterKind::buffer || (p.kind == ParameterKind::unknown && any_pointer)) {
            e.classes[static_cast<std::size_t>(ArgumentKind::buffer)] = classes;
        }
        if (p.kind == ParameterKind::local) {
            e.classes[static_cast<std::size_t>(ArgumentKind::local)] = classes;
        }
        e.value_bytes = static_cast<std::uint32_t>(p.bytes);
        expected_.push_back(e);
    }
}

[[gnu::hot]] bool KernelState::clearly_right(const Grid& grid,
                                             std::span<const Argument> arguments) const noexcept {
    const Dim3 &g = grid.groups, &l = grid.local;
    std::size_t items = l.x * l.y * l.z; // Overflows only if a dimension exceeds its limit.
    const bool too_many = __builtin_mul_overflow(items, g.x, &items) ||
                          __builtin_mul_overflow(items, g.y, &items) ||
                          __builtin_mul_overflow(items, g.z, &items);
    // Zero minus one is larger than any limit.
    bool right = !grid.has_offset() && !too_many && //
                 g.x - 1 < most_groups_[0] && g.y - 1 < most_groups_[1] && g.z - 1 < most_groups_[2] &&
                 l.x - 1 < most_local_[0] && l.y - 1 < most_local_[1] && l.z - 1 < most_local_[2] &&
                 l.x * l.y * l.z <= most_group_size_ && arguments.size() == expected_.size();
    if (!right) {
        return false;
    }
    const DeviceState* const here = program_->device;
    std::size_t local = info_->local_bytes;
    std::size_t bytes = 0;
    const Expected* e = expected_.data();
    for (const Argument& a : arguments) {
        right = right && (e->classes[static_cast<std::size_t>(a.kind)] >> type_class(a.type) & 1U) != 0;
        if (a.kind == ArgumentKind::value) {
            right = right && (e->value_bytes == 0 || e->value_bytes == a.bytes);
            bytes += a.bytes;
        } else if (a.kind == ArgumentKind::buffer) {
            const Memory* const memory = a.region.memory;
            right = right && (memory == nullptr ? a.region.offset != moved_from
                                                : &memory->device() == here && !memory->is_mapped());
            bytes += sizeof(void*);
        } else {
            right = right && a.bytes != 0 && a.bytes <= most_local_bytes_;
            local += (a.bytes + 15) & ~std::size_t{15};
            bytes += sizeof(std::uint32_t);
        }
        ++e;
    }
    return right && local <= most_local_bytes_ && bytes <= most_argument_bytes_;
}

void KernelState::refuse_count(std::size_t arguments, SourceLocation where) const {
    throw Error(Code::invalid_argument,
                "Kernel '" + info().name + "' cannot be launched with " + std::to_string(arguments) +
                    " arguments; a launch takes at most " + std::to_string(max_arguments),
                where);
}

Grid KernelState::choose_groups(const Grid& grid, const SourceLocation& where) const {
    constexpr Dim3 unset{0, 0, 0};
    if (grid.groups != unset || grid.local != unset) {
        throw Error(Code::invalid_argument,
                    "Kernel '" + info().name + "' cannot be launched with " + describe(grid) + " and " +
                        dims({grid.items.x, grid.items.y, grid.items.z}) +
                        " work-items to cover: set either Grid::items, or Grid::groups and Grid::local",
                    where);
    }
    Grid chosen = covering_grid(grid.items, info(), *limits_);
    chosen.offset = grid.offset;
    return chosen;
}

void KernelState::check_grid(const Grid& grid, SourceLocation where) const {
    const KernelInfo& kernel = info();
    const DeviceInfo& limits = *limits_;
    const auto refuse = [&](const std::string& why) {
        throw Error(Code::invalid_argument,
                    "Kernel '" + kernel.name + "' cannot be launched with " + describe(grid) + ": " + why,
                    where);
    };
    constexpr Dim3 unset{0, 0, 0};
    if (grid.groups == unset || grid.local == unset) {
        refuse("the grid has no " + std::string(grid.groups == unset ? "groups" : "local size") +
               "; Grid{groups, local} needs both, and Grid::covering(items) or Grid::covering(items, local) "
               "makes a "
               "grid from a number of work-items");
    }
    const std::array<std::size_t, 3> local{grid.local.x, grid.local.y, grid.local.z};
    const std::array<std::size_t, 3> groups{grid.groups.x, grid.groups.y, grid.groups.z};
    std::size_t group_size = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        if (groups[d] == 0 || local[d] == 0) {
            refuse("every dimension needs at least 1 group and 1 work-item in a group");
        }
        if (limits.max_local[d] != 0 && local[d] > limits.max_local[d]) {
            refuse(device().describe() + " takes at most " + dims(limits.max_local) +
                   " work-items in a group");
        }
        if (limits.max_groups[d] != 0 && groups[d] > limits.max_groups[d]) {
            refuse(device().describe() + " takes at most " + std::to_string(limits.max_groups[d]) +
                   " groups in dimension " + std::to_string(d));
        }
        std::size_t in_this = 0;
        if (__builtin_mul_overflow(groups[d], local[d], &in_this)) {
            refuse("the number of work-items overflows in dimension " + std::to_string(d));
        }
        if (__builtin_mul_overflow(group_size, local[d], &group_size)) {
            group_size = std::numeric_limits<std::size_t>::max();
        }
    }
    const bool own_limit = kernel.max_group_size != 0 && !kernel.max_group_size_is_hint;
    const std::size_t limit =
        own_limit ? std::min(kernel.max_group_size, limits.max_group_size) : limits.max_group_size;
    if (limit != 0 && group_size > limit) {
        refuse("a group has " + std::to_string(group_size) + " work-items, and " +
               (own_limit && kernel.max_group_size < limits.max_group_size ? "this kernel" : "the device") +
               " takes at most " + std::to_string(limit) + " on " + device().describe());
    }
    if (const backend::GroupLimit* const own = native_->group_limit();
        own != nullptr && group_size > own->items) {
        refuse("a group has " + std::to_string(group_size) + " work-items, and this kernel takes " +
               (own->items == 0 ? "none" : "at most " + std::to_string(own->items)) + " on " +
               device().describe() + ": " + own->reason);
    }
    if (kernel.required_local[0] != 0 && kernel.required_local != local) {
        refuse("it requires groups of " + dims(kernel.required_local));
    }
    if (grid.has_offset()) {
        check_offset(grid, where);
    }
    std::size_t items = 1;
    if (__builtin_mul_overflow(groups[0] * local[0], groups[1] * local[1], &items) ||
        __builtin_mul_overflow(items, groups[2] * local[2], &items)) {
        refuse("its " + dims({groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]}) +
               " work-items are more than " + std::to_string(std::numeric_limits<std::size_t>::max()) +
               ", the most that a launch has");
    }
    const std::array<std::size_t, 3> offset{grid.offset.x, grid.offset.y, grid.offset.z};
    const std::size_t most = native_->most_items();
    for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t in_this = groups[d] * local[d];
        if (in_this > most || offset[d] > most - in_this) {
            refuse((offset[d] != 0 ? "an offset of " + std::to_string(offset[d]) + " and " : std::string()) +
                   std::to_string(in_this) + " work-items are " + (offset[d] != 0 ? "together " : "") +
                   "more than " + std::to_string(most) + ", to which it counts on " + device().describe() +
                   ", in dimension " + std::to_string(d));
        }
    }
}

void KernelState::check_offset(const Grid& grid, SourceLocation where) const {
    const auto refuse = [&](Code code, const std::string& why) {
        throw Error(code,
                    "Kernel '" + info().name + "' cannot be launched with " + describe(grid) + ": " + why,
                    where);
    };
    if (program_->offsets == Offsets::not_built) {
        refuse(Code::invalid_argument,
               "its program was built without BuildOptions::global_offsets "
               "(ferry_add_kernels: GLOBAL_OFFSETS), and its launches take no offset");
    }
    if (program_->offsets == Offsets::not_native) {
        refuse(Code::unsupported, "it is native code (" + std::string(to_string(program_->language)) +
                                      "), which reads its indices itself; only OpenCL C, SPIR-V and binaries "
                                      "of OpenCL take an offset, pass it as an argument");
    }
    const std::size_t largest = std::max({grid.offset.x, grid.offset.y, grid.offset.z});
    if (const std::size_t most = native_->most_offset(); largest > most) {
        refuse(Code::invalid_argument, "an offset of " + std::to_string(largest) + " is more than " +
                                           std::to_string(most) + ", the most that " + device().describe() +
                                           " takes");
    }
}

std::optional<std::uint32_t> KernelState::occupancy(Dim3 local, std::size_t local_bytes,
                                                    const SourceLocation& where) const {
    device().check_alive(where);
    check_grid({.groups = {1, 1, 1}, .local = local}, where);
    check_local_memory(local_bytes, where);
    try {
        return native_->groups_per_unit(local.x * local.y * local.z, local_bytes);
    } catch (const Error& error) {
        throw error.with_where(where);
    }
}

void KernelState::check_local_memory(std::size_t bytes, const SourceLocation& where) const {
    const std::size_t most = limits_->local_memory;
    if (most != 0 && (info().local_bytes > most || bytes > most - info().local_bytes)) {
        throw Error(Code::invalid_argument,
                    "Kernel '" + info().name + "' with " + in_bytes(bytes) + " of local arguments, and " +
                        in_bytes(info().local_bytes) + " of local memory of its own, exceeds the " +
                        in_bytes(most) + " of " + device().describe(),
                    where);
    }
}

void KernelState::prepare(const Grid& grid, std::span<const std::size_t> local_bytes,
                          const SourceLocation& where) const {
    device().check_alive(where);
    const Grid chosen = with_groups(grid, where);
    check_grid(chosen, where);
    const std::vector<ParameterInfo>& parameters = info().parameters;
    const auto count = [&](ParameterKind kind) {
        return static_cast<std::size_t>(std::count_if(
            parameters.begin(), parameters.end(), [&](const ParameterInfo& p) { return p.kind == kind; }));
    };
    // A parameter of unknown kind may be one, too.
    if (const std::size_t takes = count(ParameterKind::local);
        info().parameters_known &&
        (local_bytes.size() < takes || local_bytes.size() > takes + count(ParameterKind::unknown))) {
        throw Error(Code::invalid_argument,
                    "Kernel '" + info().name + "' takes sizes for " + std::to_string(takes) +
                        " local parameters, " + std::to_string(local_bytes.size()) + " were given",
                    where);
    }
    check_count(local_bytes.size(), where);
    std::size_t sum = 0;
    for (const std::size_t bytes : local_bytes) {
        if (bytes == 0) {
            throw Error(Code::invalid_argument,
                        "Kernel '" + info().name +
                            "' cannot be prepared for local memory of zero bytes; give it at least one",
                        where);
        }
        check_local_memory(bytes, where); // Then the sum cannot overflow.
        sum += bytes;
    }
    check_local_memory(sum, where);
    const VendorCall call;
    call.check(where);
    try {
        native_->prepare(chosen.local, local_bytes);
    } catch (const Error& error) {
        throw error.with_where(where);
    }
}

void KernelState::check_mapped(std::size_t i, const Argument& argument, const SourceLocation& where) const {
    const Memory* const memory = argument.region.memory;
    if (memory == nullptr || !memory->is_mapped()) {
        return;
    }
    memory->check_readable(where);
    if (may_write(info(), i, argument)) {
        try {
            memory->check_writable(where);
        } catch (const Error& error) {
            const bool named = i < info().parameters.size() && !info().parameters[i].name.empty();
            throw error.with_message(std::string(error.what()) + ". Kernel '" + info().name +
                                     "' may write to its argument " + std::to_string(i) +
                                     (named ? " '" + info().parameters[i].name + "'" : "") +
                                     "; if it only reads, make the parameter a pointer to const, or give a "
                                     "view of const elements");
        }
    }
}

void KernelState::check_arguments(std::span<const Argument> arguments, SourceLocation where) const {
    const KernelInfo& kernel = info();
    if (kernel.parameters_known && arguments.size() != kernel.parameters.size()) {
        throw Error(Code::invalid_argument,
                    "Kernel '" + kernel.name + "' takes " + std::to_string(kernel.parameters.size()) +
                        " arguments, " + std::to_string(arguments.size()) + " were given",
                    where);
    }
    const auto refuse = [&](std::size_t i, const std::string& why, Code code = Code::invalid_argument) {
        const bool named = kernel.parameters_known && !kernel.parameters[i].name.empty();
        throw Error(code,
                    "Argument " + std::to_string(i) + (named ? " '" + kernel.parameters[i].name + "'" : "") +
                        " of kernel '" + kernel.name + "': " + why,
                    where);
    };
    std::size_t local = kernel.local_bytes;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& a = arguments[i];
        if (kernel.parameters_known && is_object(kernel.parameters[i])) {
            refuse(
                i,
                "its type is " + kernel.parameters[i].type_name +
                    "; a launch passes buffers, values and local memory; use a buffer and compute the index",
                Code::unsupported);
        }
        if (kernel.parameters_known && !fits(kernel.parameters[i], a)) {
            refuse(i, "expected " + expected(kernel.parameters[i]) + ", got " + given(a));
        }
        switch (a.kind) {
        case ArgumentKind::buffer:
            bytes += sizeof(void*);
            if (a.region.memory == nullptr) {
                if (a.region.offset == moved_from) {
                    refuse(i, "the buffer was moved from; give the one that it was moved to",
                           Code::invalid_state);
                }
                break;
            }
            if (&a.region.memory->device() != &device()) {
                refuse(i, "the buffer is on " + a.region.memory->device().describe() + ", the kernel on " +
                              device().describe());
            }
            check_mapped(i, a, where);
            break;
        case ArgumentKind::local:
            bytes += sizeof(std::uint32_t);
            if (a.bytes == 0) {
                refuse(i, "local memory of zero elements; give it at least one");
            }
            local = a.bytes > std::numeric_limits<std::size_t>::max() - local - 16
                        ? std::numeric_limits<std::size_t>::max() - 16
                        : local + (a.bytes + 15) / 16 * 16;
            break;
        default:
            bytes += a.bytes;
            break;
        }
    }
    const DeviceInfo& limits = *limits_;
    // A single local argument may fill the memory to the last byte, so rounding must not count at the limit.
    if (limits.local_memory != 0 && local > (limits.local_memory + 15) / 16 * 16) {
        throw Error(Code::invalid_argument,
                    "Kernel '" + kernel.name + "' would need " + in_bytes(local) +
                        " of local memory for a group, " + in_bytes(kernel.local_bytes) + " of it its own; " +
                        device().describe() + " has " + in_bytes(limits.local_memory),
                    where);
    }
    if (limits.max_argument_bytes != 0 && bytes > limits.max_argument_bytes) {
        throw Error(Code::invalid_argument,
                    "The arguments of kernel '" + kernel.name + "' take " + in_bytes(bytes) + "; " +
                        device().describe() + " takes at most " + in_bytes(limits.max_argument_bytes),
                    where);
    }
}

namespace {

const KernelState& get(const std::shared_ptr<KernelState>& state, SourceLocation where) {
    if (state == nullptr) {
        throw Error(Code::invalid_state, "The kernel is empty: it was moved from or never made", where);
    }
    return *state;
}

} // namespace
} // namespace detail

const std::string& Kernel::name(SourceLocation where) const {
    return detail::get(state_, where).info().name;
}
const KernelInfo& Kernel::info(SourceLocation where) const {
    return detail::get(state_, where).info();
}
std::span<const ParameterInfo> Kernel::parameters(SourceLocation where) const {
    return detail::get(state_, where).info().parameters;
}
Device Kernel::device(SourceLocation where) const {
    return Device(detail::get(state_, where).device());
}
Grid Kernel::covering(Dim3 items, SourceLocation where) const {
    const detail::KernelState& kernel = detail::get(state_, where);
    return detail::covering_grid(items, kernel.info(), kernel.device().info());
}

std::optional<std::uint32_t> Kernel::occupancy(Dim3 local, std::size_t local_bytes,
                                               SourceLocation where) const {
    return detail::get(state_, where).occupancy(local, local_bytes, where);
}

void Kernel::prepare(const Grid& grid, std::span<const std::size_t> local_bytes, SourceLocation where) const {
    detail::get(state_, where).prepare(grid, local_bytes, where);
}

} // namespace ferry
