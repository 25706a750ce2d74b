// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "environment.hpp"
#include "library.hpp"

namespace ferry_double {

World& world() {
    static World& only = *[] {
        auto* made = new World;
        const int count = static_cast<int>(number_from("FERRY_DOUBLE_DEVICES", 1));
        for (int i = 0; i < count; ++i) {
            auto device = std::make_unique<DeviceState>();
            device->ordinal = i;
            device->memory = static_cast<std::size_t>(number_from("FERRY_DOUBLE_MEMORY", 2LL << 30));
            device->used = static_cast<std::size_t>(number_from("FERRY_DOUBLE_TAKEN", 0));
            made->devices.push_back(std::move(device));
        }
        made->architecture = text_from("FERRY_DOUBLE_ARCH", library_facts.architecture);
        return made;
    }();
    return only;
}

int& current_device() {
    static thread_local int ordinal = library_facts.first_device;
    return ordinal;
}

DeviceState* device_at(int ordinal) {
    World& all = world();
    return ordinal >= 0 && ordinal < static_cast<int>(all.devices.size())
               ? all.devices[static_cast<std::size_t>(ordinal)].get()
               : nullptr;
}

DeviceState& current() {
    return *device_at(current_device());
}

std::shared_ptr<Queue> find_queue(void* stream) {
    return world().queues.find(stream);
}

void synchronize(DeviceState& device) {
    for (const std::shared_ptr<Queue>& queue : world().queues.all()) {
        if (&queue->device() == &device) {
            queue->wait(queue->last());
        }
    }
}

} // namespace ferry_double
