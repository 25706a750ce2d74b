// SPDX-License-Identifier: Apache-2.0
#include "share/import.hpp"

#include "base/no_destructor.hpp"
#include "base/process_exit.hpp"
#include "base/process_maps.hpp"
#include "check/race.hpp"
#include "memory/memory_state.hpp"
#include "system/no_cancellation.hpp"
#include "trace/trace.hpp"

#include <ferry/import.hpp>

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace ferry::detail {
namespace {

/// Live imports of a device by their first byte. A range within one of them needs no separate import. Vendors
/// differ in their treatment of memory that is imported twice, so they never see it.
struct Live {
    std::mutex mutex; ///< Held while the vendor imports.
    std::multimap<std::uintptr_t, std::weak_ptr<Memory>> imports;
};
Live& live(const DeviceState& device) {
    struct All {
        std::mutex mutex;
        std::map<const DeviceState*, Live> devices;
    };
    static NoDestructor<All> all;
    const std::lock_guard lock(all->mutex);
    return all->devices[&device];
}

ImportedRange find_around(Live& live, const void* data, std::size_t bytes, bool read_only) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    for (auto at = live.imports.begin(); at != live.imports.end();) {
        const std::shared_ptr<Memory> memory = at->second.lock();
        if (memory == nullptr) {
            at = live.imports.erase(at);
            continue;
        }
        const std::uintptr_t start = at->first;
        if (start <= begin && begin - start <= memory->bytes() &&
            bytes <= memory->bytes() - (begin - start) && (read_only || !memory->is_read_only())) {
            return {memory, begin - start};
        }
        ++at;
    }
    return {};
}

} // namespace

ImportedRange import_checked(DeviceState& device, const void* data, std::size_t bytes, bool read_only,
                             std::string& why, SourceLocation where) {
    Live& others = live(device);
    const std::lock_guard lock(others.mutex);
    if (ImportedRange found = find_around(others, data, bytes, read_only); found.memory != nullptr) {
        return found;
    }
    auto native = device.native().import_memory(const_cast<void*>(data), bytes, read_only, why);
    if (native == nullptr) {
        return {};
    }
    auto memory = std::make_shared<Memory>(device, MemoryKind::imported, bytes, std::move(native),
                                           Memory::Origin::imported);
    memory->set_read_only(read_only);
    race::made(*memory, where);
    others.imports.emplace(reinterpret_cast<std::uintptr_t>(data), memory);
    return {std::move(memory), 0};
}

void end_import(ImportedRange& range) noexcept {
    const MemoryHandle memory = std::exchange(range.memory, nullptr);
    if (memory != nullptr) { // A recording, or an import within this one, may also own it.
        memory->wait_for_commands();
    }
}

ImportedRange import_memory(const Device& device, const void* data, std::size_t count, std::size_t element,
                            bool constant, SourceLocation where) {
    constexpr const char* what = "The memory to import";
    DeviceState& state = device.state();
    const std::size_t bytes = check_extent(what, data, count, element, where);
    state.check_alive(where);
    const PageFacts pages = check_pages(what, data, bytes, !constant, where);
    if (pages.stack) {
        throw Error(
            Code::invalid_argument,
            std::string(what) + ", " + describe_range(data, bytes) +
                ", is on a thread's stack, whose pages come and go with the functions that run; import "
                "allocated memory, or copy",
            where);
    }
    trace::start(where);
    const trace::Span span("Imported", where);
    const NoCancellation not_cancelled;
    std::string why;
    try {
        const VendorCall call;
        call.check(where);
        ImportedRange made = import_checked(state, data, bytes, !pages.writable, why, where);
        if (made.memory != nullptr) {
            return made;
        }
    } catch (const Error& error) {
        throw error
            .with_message("The memory " + describe_range(data, bytes) + " could not be imported by " +
                          state.describe() + ": " + error.what())
            .with_where(where);
    }
    throw Error(Code::unsupported,
                state.describe() + " cannot use the memory " + describe_range(data, bytes) +
                    " in place: " + why,
                where);
}

} // namespace ferry::detail
