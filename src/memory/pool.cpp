// SPDX-License-Identifier: Apache-2.0
#include "base/process_exit.hpp"
#include "device/device_state.hpp"
#include "device/runtime.hpp"
#include "memory/device_pool.hpp"
#include "memory/memory_debug.hpp"

#include <ferry/pool.hpp>

namespace ferry {
namespace detail {

void trim_all_pools() noexcept {
    Runtime& runtime = Runtime::get();
    for (const backend::Row& row : backend::rows) {
        if (!runtime.is_open(row.backend)) {
            continue;
        }
        for (const auto& device : runtime.devices(row.backend)) {
            if (DevicePool* const pool = device->pool_if_made()) {
                pool->trim(0);
            }
        }
    }
}

void tell_of_leaks() noexcept {
    if (!MemoryDebug::is_anywhere()) {
        return;
    }
    Runtime& runtime = Runtime::get();
    for (const backend::Row& row : backend::rows) {
        if (!runtime.is_open(row.backend)) {
            continue;
        }
        for (const auto& device : runtime.devices(row.backend)) {
            if (MemoryDebug* const debug = device->memory_debug()) {
                debug->tell_of_leaks();
            }
        }
    }
}

} // namespace detail

bool Pool::enabled() const {
    return state_->pool().is_on();
}

PoolUse Pool::use() const {
    return state_->pool().use();
}

PoolUse Pool::use(MemoryKind kind) const {
    return state_->pool().use(kind);
}

std::uint64_t Pool::trim(std::uint64_t keep, SourceLocation where) {
    state_->check_alive(where);
    detail::DevicePool& pool = state_->pool();
    if (detail::MemoryDebug* const debug = state_->memory_debug()) {
        debug->empty_quarantine();
    }
    return pool.trim(keep);
}

void Pool::set_limit(std::uint64_t bytes) {
    state_->pool().set_limit(bytes);
}

std::uint64_t Pool::limit() const {
    return state_->pool().limit();
}

std::vector<std::string> Pool::check(SourceLocation where) {
    state_->check_alive(where);
    static_cast<void>(state_->pool());
    detail::MemoryDebug* const debug = state_->memory_debug();
    return debug != nullptr ? debug->check() : std::vector<std::string>();
}

} // namespace ferry
