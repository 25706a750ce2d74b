// SPDX-License-Identifier: Apache-2.0
#include "c_call.hpp"

using ferry::c::Call;
using ferry::c::call;

ferry_code ferry_buffer_create(ferry_device* device, size_t bytes, ferry_memory_kind kind,
                               ferry_buffer** buffer) {
    return call(__func__, [&](const Call& at) {
        ferry_buffer*& made = at.out(buffer, "buffer");
        const ferry::Device& on = at.get(device, "device").device;
        const auto wanted = at.choice(kind, ferry::MemoryKind::shared, "kind");
        made = new ferry_buffer(ferry::Buffer<std::byte>(on, bytes, wanted, at.where));
    });
}

void ferry_buffer_release(ferry_buffer* buffer) {
    ferry::c::release(buffer);
}

ferry_code ferry_buffer_get_size(ferry_buffer* buffer, size_t* bytes) {
    return call(__func__, [&](const Call& at) {
        at.not_null(bytes, "bytes", "the address of a number");
        *bytes = at.get(buffer, "buffer").buffer.size();
    });
}

ferry_code ferry_buffer_get_address(ferry_buffer* buffer, void** address) {
    return call(__func__, [&](const Call& at) {
        at.not_null(address, "address", "the address of a pointer");
        *address = at.get(buffer, "buffer").buffer.span(at.where).data();
    });
}

ferry_code ferry_buffer_map(ferry_buffer* buffer, ferry_queue* queue, ferry_map access, size_t offset,
                            size_t bytes, ferry_mapping** mapping, void** data) {
    return call(__func__, [&](const Call& at) {
        ferry_mapping*& made = at.out(mapping, "mapping");
        at.not_null(data, "data", "the address of a pointer");
        const ferry::View<std::byte> view = at.view(at.get(buffer, "buffer"), offset, bytes);
        const auto use = at.choice(access, ferry::Map::discard, "access");
        auto handle = std::make_unique<ferry_mapping>(view.map(at.get(queue, "queue").queue, use, at.where));
        *data = handle->mapping.data();
        made = handle.release();
    });
}

ferry_code ferry_mapping_unmap(ferry_mapping* mapping) {
    return call(__func__, [&](const Call& at) { at.get(mapping, "mapping").mapping.unmap(at.where); });
}

void ferry_mapping_release(ferry_mapping* mapping) {
    ferry::c::release(mapping);
}
