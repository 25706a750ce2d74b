// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph.hpp"
#include "stream.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ferry_double {

struct DeviceState {
    int ordinal = 0;
    std::atomic<int> lost{0}; ///< the sticky failure; 0 if the device works
    std::size_t memory = 0;   ///< size in bytes
    std::mutex mutex;         ///< guards all members below
    std::size_t used = 0;
    std::vector<int> peers; ///< other devices with memory that this one may use
};

/// The handles in use: the objects' addresses.
template <class T>
class Handles {
public:
    void* add(std::shared_ptr<T> object) {
        void* handle = object.get();
        const std::lock_guard lock(mutex_);
        objects_.emplace(handle, std::move(object));
        return handle;
    }
    std::shared_ptr<T> find(void* handle) {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(handle);
        return found != objects_.end() ? found->second : nullptr;
    }
    std::shared_ptr<T> remove(void* handle) {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(handle);
        if (found == objects_.end()) {
            return nullptr;
        }
        std::shared_ptr<T> object = std::move(found->second);
        objects_.erase(found);
        return object;
    }
    std::vector<std::shared_ptr<T>> all() {
        const std::lock_guard lock(mutex_);
        std::vector<std::shared_ptr<T>> list;
        for (const auto& [handle, object] : objects_) {
            list.push_back(object);
        }
        return list;
    }
    std::size_t size() {
        const std::lock_guard lock(mutex_);
        return objects_.size();
    }

private:
    std::mutex mutex_;
    std::unordered_map<void*, std::shared_ptr<T>> objects_;
};

struct ModuleState;
struct FunctionState;

struct World {
    std::vector<std::unique_ptr<DeviceState>> devices;
    std::string architecture;
    Handles<Queue> queues;
    Handles<Mark> marks;
    Handles<ModuleState> modules;
    Handles<GraphState> graphs;
    Handles<GraphExecState> graph_execs;
    std::mutex functions_mutex;
    std::unordered_map<void*, std::weak_ptr<ModuleState>> functions; ///< of FunctionState
};

/// Made at the first use and never destroyed, because workers may outlive main().
World& world();

/// The ordinal of the calling thread's device; -1: none.
int& current_device();
DeviceState& current();
DeviceState* device_at(int ordinal);

/// The queue of a stream handle. Null if the handle is invalid, and for the default stream, which Ferry does
/// not use.
std::shared_ptr<Queue> find_queue(void* stream);
/// Waits for all commands enqueued on the device so far.
void synchronize(DeviceState& device);

} // namespace ferry_double
