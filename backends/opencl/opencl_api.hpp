// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/library.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateCommandQueue, the only variant in a 1.2 driver.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>

namespace ferry::opencl {

class Commands;

/// A function of a driver. Its result must be used. `Submits`: it submits a command to a queue, which only
/// Commands does.
template <class F, bool Submits>
class Function;
template <class R, class... P, bool Submits>
class Function<R (*)(P...), Submits> {
public:
    using Pointer = R (*)(P...);

    explicit constexpr Function(const char* name) noexcept : name_(name) {}
    Function& operator=(Pointer function) noexcept {
        function_ = function;
        return *this;
    }
    void load(void* address) noexcept { function_ = reinterpret_cast<Pointer>(address); }
    void unload() noexcept { function_ = nullptr; }
    const char* name() const noexcept { return name_; }
    bool operator==(std::nullptr_t) const noexcept { return function_ == nullptr; }

    [[nodiscard]] R operator()(P... arguments) const requires(!Submits && !std::is_void_v<R>) {
        return function_(arguments...);
    }
    void operator()(P... arguments) const requires(!Submits && std::is_void_v<R>) { function_(arguments...); }

private:
    friend class Commands;

    const char* name_;
    Pointer function_ = nullptr;
};

constexpr bool submits(std::string_view name) {
    return name.starts_with("clEnqueue");
}

/// The functions of one device. Functions that it lacks are null, although a loader exports them.
struct Api {
#define FERRY_OPENCL_REQUIRED(name) Function<decltype(&::name), submits(#name)> name{#name};
#define FERRY_OPENCL_OPTIONAL(name, version) FERRY_OPENCL_REQUIRED(name)
#define FERRY_OPENCL_EXTENSION(name, token) Function<name##_fn, submits(#name)> name{#name};
#include "symbols.def"
#undef FERRY_OPENCL_REQUIRED
#undef FERRY_OPENCL_OPTIONAL
#undef FERRY_OPENCL_EXTENSION
};

/// Loads every exported function and returns the names of missing required functions.
std::vector<std::string> load(Api& api, const backend::Library& library);

/// The part of `api` that is valid for a device of this version (12, 20, 21, 30, ...) with these extensions.
Api restrict_to(const Api& api, cl_platform_id platform, int version, std::string_view extensions);

/// Whether a list separated by blanks contains exactly this word.
bool has_word(std::string_view list, std::string_view word);

} // namespace ferry::opencl
