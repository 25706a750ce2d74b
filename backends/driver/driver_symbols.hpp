// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/library.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ferry::driver {

// Opaque vendor handles, the same for both vendors.
namespace handle {
using Stream = struct StreamObject*;
using Event = struct EventObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Graph = struct GraphObject*;
using GraphExec = struct GraphExecObject*;
using GraphNode = struct GraphNodeObject*;
using External = struct ExternalObject*;
} // namespace handle

struct Uuid {
    unsigned char bytes[16];
};

/// CUDA_EXTERNAL_MEMORY_HANDLE_DESC, hipExternalMemoryHandleDesc. Older versions of HIP end with `flags`.
struct ExternalHandle {
    int kind = 0; ///< external::opaque_descriptor.
    union {
        int descriptor;
        struct {
            void* handle;
            const void* name;
        } windows{};
    };
    unsigned long long bytes = 0;
    unsigned int flags = 0;
    unsigned int reserved[16]{};
};
/// CUDA_EXTERNAL_MEMORY_BUFFER_DESC, hipExternalMemoryBufferDesc.
struct ExternalBuffer {
    unsigned long long offset = 0, bytes = 0;
    unsigned int flags = 0;
    unsigned int reserved[16]{};
};
namespace external {
constexpr int opaque_descriptor = 1;
constexpr unsigned int dedicated = 1; ///< Flag.
} // namespace external

/// The types of the table that both vendors share. A vendor derives its own set and adds Context, Pointer,
/// UploadSource, PeerSource, Word, BoxCopy, PeerBoxCopy, CaptureNumber, KernelNode, CopyKind and Properties.
/// Enumerations are passed as int; tests/abi compares them with the real ones.
struct Types {
    using Result = int;
    using Device = int;
    using DeviceAttribute = int;
    using FunctionAttribute = int;
    using PointerAttribute = int;
    using JitOption = int;
    using Stream = handle::Stream;
    using Event = handle::Event;
    using Module = handle::Module;
    using Function = handle::Function;
    using Graph = handle::Graph;
    using GraphExec = handle::GraphExec;
    using GraphNode = handle::GraphNode;
    using MemoryAdvice = int;
    using CaptureMode = int;
    using CaptureStatus = int;
    using Uuid = driver::Uuid;
    using External = handle::External;
    using ExternalHandle = driver::ExternalHandle;
    using ExternalBuffer = driver::ExternalBuffer;
};

/// One function of a vendor library: its exported name and, once loaded, its address.
template <class Signature>
struct Symbol;
template <class R, class... P>
struct Symbol<R(P...)> {
    const char* name;
    R (*function)(P...) = nullptr;

    [[nodiscard]] R operator()(P... arguments) const { return function(arguments...); }
    explicit operator bool() const noexcept { return function != nullptr; }
};

#define FERRY_TYPES(T)                                       \
    using Result = typename T::Result;                       \
    using Device = typename T::Device;                       \
    using DeviceAttribute = typename T::DeviceAttribute;     \
    using FunctionAttribute = typename T::FunctionAttribute; \
    using PointerAttribute = typename T::PointerAttribute;   \
    using JitOption = typename T::JitOption;                 \
    using Context = typename T::Context;                     \
    using Pointer = typename T::Pointer;                     \
    using Stream = typename T::Stream;                       \
    using Event = typename T::Event;                         \
    using Module = typename T::Module;                       \
    using Function = typename T::Function;                   \
    using Uuid = typename T::Uuid;                           \
    using External = typename T::External;                   \
    using ExternalHandle = typename T::ExternalHandle;       \
    using ExternalBuffer = typename T::ExternalBuffer;       \
    using Graph = typename T::Graph;                         \
    using GraphExec = typename T::GraphExec;                 \
    using GraphNode = typename T::GraphNode;                 \
    using MemoryAdvice = typename T::MemoryAdvice;           \
    using CaptureMode = typename T::CaptureMode;             \
    using CaptureStatus = typename T::CaptureStatus;         \
    using CaptureNumber = typename T::CaptureNumber;         \
    using KernelNode = typename T::KernelNode;               \
    using UploadSource = typename T::UploadSource;           \
    using PeerSource = typename T::PeerSource;               \
    using Word = typename T::Word;                           \
    using BoxCopy = typename T::BoxCopy;                     \
    using PeerBoxCopy = typename T::PeerBoxCopy;             \
    using CopyKind = typename T::CopyKind;                   \
    using Properties = typename T::Properties;

/// The rows of both vendors. visit(f) calls f(tier, symbol) for each.
template <class T>
struct SharedSymbols {
    FERRY_TYPES(T)
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) \
    Symbol<Result parameters> member{T::backend_is_cuda ? #cuda : #hip};
#include "driver/symbols.def"
    template <class F>
    void visit(F&& f) {
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) f(#tier, member);
#include "driver/symbols.def"
    }
};

template <class T>
struct CudaSymbols {
    FERRY_TYPES(T)
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters) Symbol<result parameters> member{#name};
#include "driver/symbols.def"
    template <class F>
    void visit(F&& f) {
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters) f(#tier, member);
#include "driver/symbols.def"
    }
};

template <class T>
struct HipSymbols {
    FERRY_TYPES(T)
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) Symbol<result parameters> member{#name};
#include "driver/symbols.def"
    template <class F>
    void visit(F&& f) {
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) f(#tier, member);
#include "driver/symbols.def"
    }
};

#undef FERRY_TYPES

/// The symbols missing after a table was loaded.
struct Missing {
    std::vector<std::string> required; ///< Exported names.
    std::vector<std::string> features; ///< Names of the features that are off.
};

/// Fills the table from the library. A feature with a missing symbol is off as a whole.
template <class... Tables>
Missing load(const backend::Library& library, Tables&... tables) {
    Missing missing;
    const auto is_off = [&](std::string_view tier) {
        for (const std::string& name : missing.features) {
            if (name == tier) {
                return true;
            }
        }
        return false;
    };
    const auto resolve = [&](std::string_view tier, auto& symbol) {
        symbol.function = reinterpret_cast<decltype(symbol.function)>(library.symbol(symbol.name));
        if (symbol) {
            return;
        }
        if (tier == "required") {
            missing.required.emplace_back(symbol.name);
        } else if (!is_off(tier)) {
            missing.features.emplace_back(tier);
        }
    };
    (tables.visit(resolve), ...);
    const auto switch_off = [&](std::string_view tier, auto& symbol) {
        if (is_off(tier)) {
            symbol.function = nullptr;
        }
    };
    (tables.visit(switch_off), ...);
    return missing;
}

} // namespace ferry::driver
