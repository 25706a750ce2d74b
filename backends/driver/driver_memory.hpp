// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_context.hpp"
#include "driver/driver_imports.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ferry::driver {

template <class V>
class Device;

template <class V>
class Memory final : public backend::Memory {
public:
    using Pointer = typename V::Pointer;

    Memory(Device<V>& device, DeviceContext<V>& context, MemoryKind kind, std::size_t bytes)
        : device_(&device), context_(&context), kind_(kind), owned_(true) {
        const Api<V>& api = context.api();
        const Guard<V> guard(context);
        Pointer pointer{};
        const char* name = api.allocate.name;
        int code = 0;
        switch (kind) {
        case MemoryKind::device:
            code = api.allocate(&pointer, bytes);
            break;
        case MemoryKind::host:
            name = api.allocate_host.name;
            code = api.allocate_host(&host, bytes, V::host_memory_flags);
            if (code == result::success) {
                backend::check_address(V::backend, name, reinterpret_cast<std::uintptr_t>(host));
                name = api.host_address.name;
                code = api.host_address(&pointer, host, 0);
                if (code != result::success) {
                    api.call_quietly(api.free_host, host);
                }
            }
            break;
        case MemoryKind::shared:
            name = api.allocate_managed.name;
            code = api.allocate_managed(&pointer, bytes, flag::managed_global);
            host = V::host_pointer(pointer);
            break;
        case MemoryKind::imported: // See the constructors below.
            break;
        }
        if (code != result::success) {
            api.fail(name, code,
                     std::to_string(bytes) + " bytes of " + std::string(to_string(kind)) +
                         " memory cannot be allocated");
        }
        address = V::to_number(pointer);
        backend::check_address(V::backend, name, address);
    }
    /// Memory that was allocated by other code.
    Memory(Device<V>& device, DeviceContext<V>& context, std::uint64_t native, bool owned)
        : device_(&device), context_(&context), owned_(owned) {
        static_cast<void>(context.get());
        address = native;
    }
    /// A part of other memory.
    Memory(const Memory& whole, std::size_t offset)
        : device_(whole.device_), context_(whole.context_), kind_(whole.kind_), owned_(false) {
        address = whole.address + offset;
        host = whole.host != nullptr ? static_cast<std::byte*>(whole.host) + offset : nullptr;
    }
    /// Memory of the caller. `registers`: its pages are registered; otherwise the device accesses them
    /// directly.
    Memory(Device<V>& device, DeviceContext<V>& context, void* data, std::size_t bytes, bool read_only,
           bool registers)
        : device_(&device), context_(&context), kind_(MemoryKind::imported), owned_(registers) {
        const Api<V>& api = context.api();
        const Guard<V> guard(context);
        host = data;
        address = reinterpret_cast<std::uintptr_t>(data);
        end_ = address + bytes;
        if (!registers) {
            return;
        }
        seams_ = Imports<V>::get().take(context, address, end_, read_only);
        if (api.attribute(V::attributes.registered_has_host_address, context.ordinal()) == 0) {
            Pointer pointer{};
            const int code = api.host_address(&pointer, data, 0);
            if (code != result::success || !seams_.empty()) {
                Imports<V>::get().give_back(api, address, end_);
            }
            if (code != result::success) {
                api.fail(api.host_address.name, code);
            }
            if (!seams_.empty()) {
                throw Error(Code::unsupported,
                            "the memory overlaps other imports, and registered memory has another address on "
                            "this device; import the whole of it once");
            }
            address = V::to_number(pointer);
        }
    }
    /// Memory of another API. Takes the descriptor if the driver does.
    Memory(Device<V>& device, DeviceContext<V>& context, backend::ExternalMemory& external)
        : device_(&device), context_(&context), owned_(true) {
        const Api<V>& api = context.api();
        const Guard<V> guard(context);
        ExternalHandle handle;
        handle.kind = external::opaque_descriptor;
        handle.descriptor = external.descriptor.get();
        handle.bytes = external.bytes;
        handle.flags = external.dedicated ? external::dedicated : 0;
        int code = api.import_external(&external_, &handle);
        if (code != result::success) {
            api.fail(api.import_external.name, code);
        }
        if (V::imports_take_descriptors) {
            static_cast<void>(external.descriptor.release());
        }
        api.made(api.import_external, external_);
        ExternalBuffer buffer;
        buffer.bytes = external.bytes;
        Pointer pointer{};
        code = api.map_external(&pointer, external_, &buffer);
        if (code != result::success) {
            api.call_quietly(api.destroy_external, external_);
            api.fail(api.map_external.name, code);
        }
        address = V::to_number(pointer);
        try {
            backend::check_address(V::backend, api.map_external.name, address);
        } catch (...) {
            api.call_quietly(api.destroy_external, external_);
            throw;
        }
    }
    ~Memory() override {
        if (!owned_) {
            return;
        }
        const Api<V>& api = context_->api();
        release_in<V>(api, context_->get(), [&] {
            if (external_ != nullptr) { // The mapping first. HIP before version 6 refuses to free it.
                api.call_quietly(api.free, V::to_pointer(address));
                api.call_quietly(api.destroy_external, external_);
                return;
            }
            if (kind_ == MemoryKind::imported) {
                const auto begin = reinterpret_cast<std::uintptr_t>(host);
                Imports<V>::get().give_back(api, begin, end_);
            } else if (kind_ == MemoryKind::host) {
                api.call_quietly(api.free_host, host);
            } else {
                api.call_quietly(api.free, V::to_pointer(address));
            }
        });
    }

    Device<V>& device() const noexcept { return *device_; }
    MemoryKind kind() const noexcept { return kind_; }
    /// Pages of the program that the device accesses without registration. The driver does not know them.
    bool is_unregistered() const noexcept { return kind_ == MemoryKind::imported && !owned_; }
    /// The number of the `bytes` bytes from `offset` on that one call may copy.
    std::size_t run(std::size_t offset, std::size_t bytes) const noexcept {
        if (seams_.empty()) [[likely]] {
            return bytes;
        }
        const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(host) + offset;
        const auto seam = std::upper_bound(seams_.begin(), seams_.end(), at);
        return seam == seams_.end() ? bytes : std::min<std::size_t>(bytes, *seam - at);
    }

private:
    Device<V>* device_;
    DeviceContext<V>* context_;
    MemoryKind kind_ = MemoryKind::device;
    bool owned_;
    std::uintptr_t end_ = 0;            ///< imported: end of the host range.
    std::vector<std::uintptr_t> seams_; ///< The same: host addresses, ascending.
    handle::External external_ = nullptr;
};

/// A place in the form of the vendor's calls.
template <class V>
const Memory<V>& memory_of(const backend::Place& place) noexcept {
    return *static_cast<const Memory<V>*>(place.memory);
}
template <class V>
typename V::Pointer pointer_of(const backend::Place& place) noexcept {
    return V::to_pointer(place.memory->address + place.offset);
}

} // namespace ferry::driver
