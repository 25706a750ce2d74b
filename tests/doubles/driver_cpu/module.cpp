// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include "environment.hpp"
#include "faults.hpp"
#include "library.hpp"
#include "lies.hpp"
#include "memory.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace ferry_double {

namespace {

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(file, bytes.data(), bytes.size());
        if (written <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// The loader identifies libraries by path and inode. So each module gets a separate file, which is removed at
// once.
void* open_bytes(std::string_view bytes, std::string& error) {
    static std::atomic<unsigned long long> count{0};
    std::string path = text_from("TMPDIR", "/tmp") + "/ferry-double-" + std::to_string(getpid()) + "-" +
                       std::to_string(++count) + "-XXXXXX.so";
    const int file = mkstemps(path.data(), 3);
    if (file < 0 || !write_all(file, bytes)) {
        error = "the double cannot write " + path;
        return nullptr;
    }
    close(file);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        error = dlerror();
    }
    unlink(path.c_str());
    return library;
}

// Collects the caller's values, passed by pointer or packed one after the other (HIP_LAUNCH_PARAM_...).
bool gather(const KernelEntry& entry, const LaunchCall& call, std::byte* to) {
    const auto* packed = static_cast<const std::byte*>(nullptr);
    if (call.extra != nullptr) {
        for (void** option = call.extra; reinterpret_cast<std::uintptr_t>(*option) != 3; option += 2) {
            if (reinterpret_cast<std::uintptr_t>(*option) == 1) {
                packed = static_cast<const std::byte*>(option[1]);
            }
        }
    }
    if (entry.count != 0 && packed == nullptr && call.parameters == nullptr) {
        return false;
    }
    std::size_t offset = 0;
    for (unsigned int i = 0; i != entry.count; ++i) {
        const Parameter& p = entry.parameters[i];
        offset = (offset + p.alignment - 1) / p.alignment * p.alignment;
        if (offset + p.size > sizeof(Command::parameters)) {
            return false;
        }
        std::memcpy(to + offset, packed != nullptr ? packed + offset : call.parameters[i], p.size);
        offset += p.size;
    }
    return true;
}

// A pointer to another device's memory without peer access would cause a fault on a GPU.
int check_pointers(const KernelEntry& entry, const std::byte* values, DeviceState& device) {
    std::size_t offset = 0;
    for (unsigned int i = 0; i != entry.count; ++i) {
        const Parameter& p = entry.parameters[i];
        offset = (offset + p.alignment - 1) / p.alignment * p.alignment;
        if (p.is_pointer != 0) {
            void* address = nullptr;
            std::memcpy(&address, values + offset, sizeof address);
            const Range range = find_range(address, 1);
            if (range.known && range.kind == MemoryKind::device && range.device != &device) {
                const std::lock_guard lock(device.mutex);
                if (std::find(device.peers.begin(), device.peers.end(), range.device->ordinal) ==
                    device.peers.end()) {
                    return illegal_address;
                }
            }
        }
        offset += p.size;
    }
    return success;
}

struct Shared {
    alignas(128) std::byte bytes[shared_bytes_per_block];
};

struct Job {
    std::shared_ptr<ModuleState> module;
    const KernelEntry* entry;
    DeviceState* device;
    unsigned int grid[3];
    unsigned int block[3];
    std::byte* values;
    bool wrong;

    int operator()() const {
        if (const int code = check_pointers(*entry, values, *device); code != 0) {
            return code;
        }
        static thread_local std::unique_ptr<Shared> shared;
        if (shared == nullptr) {
            shared = std::make_unique_for_overwrite<Shared>();
        }
        const bool stale = lie() == Lie::stale;
        if (stale) {
            catch_up();
        }
        KernelCache cache(stale ? 64 << 10 : 16 << 10);
        const unsigned long long threads =
            1ULL * grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
        void* cached[1024];
        void* pointers[1024];
        std::size_t offset = 0;
        for (unsigned int i = 0; i != entry->count; ++i) {
            const Parameter& p = entry->parameters[i];
            offset = (offset + p.alignment - 1) / p.alignment * p.alignment;
            pointers[i] = values + offset;
            if (lie() != Lie::none && p.is_pointer != 0) {
                std::memcpy(&cached[i], pointers[i], sizeof cached[i]);
                hinder(cached[i], threads);
                if (stale || lie() == Lie::coherence) {
                    cached[i] = cache.use(cached[i]);
                    pointers[i] = &cached[i];
                }
            }
            offset += p.size;
        }
        const Launch call{{grid[0], grid[1], grid[2]},   {block[0], block[1], block[2]},
                          library_facts.warp_width,      shared->bytes,
                          static_cast<void**>(pointers), lie() == Lie::atomics};
        const int code = entry->run(&call);
        if (stale) {
            put_aside(std::move(cache));
        } else {
            cache.write_back();
        }
        if (wrong) {
            spoil_last(pointers);
        }
        return code;
    }

    /// Spoils the memory of the last pointer parameter.
    void spoil_last(void* const* pointers) const {
        for (unsigned int i = entry->count; i-- != 0;) {
            void* last = nullptr;
            if (entry->parameters[i].is_pointer != 0) {
                std::memcpy(&last, pointers[i], sizeof last);
                spoil(last);
                return;
            }
        }
    }
};

} // namespace

std::shared_ptr<ModuleState> ModuleState::load(std::string_view shared_object, std::string& error) {
    auto module = std::make_shared<ModuleState>();
    module->library = open_bytes(shared_object, error);
    if (module->library == nullptr) {
        return nullptr;
    }
    const auto table =
        reinterpret_cast<const KernelEntry* (*)()>(dlsym(module->library, "ferry_double_kernels"));
    if (table == nullptr) {
        error = "the shared object has no table of kernels";
        return nullptr;
    }
    for (const KernelEntry* entry = table(); entry->name != nullptr; ++entry) {
        auto function = std::make_unique<FunctionState>();
        Dl_info info{};
        const bool exported = dladdr(entry->symbol, &info) != 0 && info.dli_saddr == entry->symbol;
        function->name = exported ? info.dli_sname : entry->name;
        function->entry = entry;
        function->module = module.get();
        function->shared_limit = library_facts.plain_shared_bytes;
        module->functions.push_back(std::move(function));
    }
    return module;
}

ModuleState::~ModuleState() {
    if (library != nullptr) {
        dlclose(library);
    }
}

std::vector<KernelDescription> ModuleState::descriptions() const {
    std::vector<KernelDescription> list;
    for (const auto& function : functions) {
        KernelDescription description{function->name, {}};
        for (unsigned int i = 0; i != function->entry->count; ++i) {
            const Parameter& p = function->entry->parameters[i];
            description.arguments.push_back({p.size, p.alignment, p.is_pointer != 0});
        }
        list.push_back(std::move(description));
    }
    return list;
}

std::shared_ptr<ModuleState> find_module_of(void* function) {
    World& all = world();
    const std::lock_guard lock(all.functions_mutex);
    const auto found = all.functions.find(function);
    return found != all.functions.end() ? found->second.lock() : nullptr;
}

namespace {

using Values = std::array<std::byte, sizeof(Command::parameters)>;

/// Checks a launch and its arguments. Returns the vendor's code.
int check_launch(const LaunchCall& call, const std::shared_ptr<ModuleState>& module, Values& values) {
    unsigned long long threads = 1;
    for (int i = 0; i != 3; ++i) {
        if (call.grid[i] == 0 || call.block[i] == 0) {
            return invalid_value;
        }
        threads *= call.block[i];
    }
    if (threads > threads_per_block) {
        return invalid_configuration;
    }
    const auto* function = static_cast<const FunctionState*>(call.function);
    if (module == nullptr || call.shared_bytes > function->shared_limit ||
        !gather(*function->entry, call, values.data())) {
        return invalid_value;
    }
    return success;
}

void set_job(const LaunchCall& call, const std::shared_ptr<ModuleState>& module, const Values& values,
             Command& command) {
    const auto* function = static_cast<const FunctionState*>(call.function);
    Job job{module, function->entry, module->device, {}, {}, nullptr, is_wrong(function->name)};
    std::copy(call.grid, call.grid + 3, job.grid);
    std::copy(call.block, call.block + 3, job.block);
    command.parameters = values;
    job.values = command.parameters.data();
    command.set(std::move(job));
}

} // namespace

int prepare_launch(const LaunchCall& call, NodeState& node) {
    const std::shared_ptr<ModuleState> module = find_module_of(call.function);
    Values values;
    if (const int code = check_launch(call, module, values); code != success) {
        return code;
    }
    set_job(call, module, values, node.command);
    node.function = static_cast<const FunctionState*>(call.function);
    node.filled = true;
    return success;
}

int launch(const LaunchCall& call) {
    const std::shared_ptr<ModuleState> module = find_module_of(call.function);
    const std::shared_ptr<Queue> queue = find_queue(call.stream);
    if (module == nullptr || queue == nullptr || module->device != &queue->device() ||
        current_device() != module->device->ordinal) {
        return invalid_handle;
    }
    Values values;
    if (const int code = check_launch(call, module, values); code != success) {
        return code;
    }
    const auto* function = static_cast<const FunctionState*>(call.function);
    if (const std::shared_ptr<Capture> capture = queue->capture();
        capture != nullptr && !is_hip_before_5_3()) {
        capture->add(queue.get(), [&](Command& command) { set_job(call, module, values, command); })
            .function = function;
        return success;
    }
    const Later fault = kernel_fault(function->name);
    queue->push([&](Command& command) {
        command.later = fault.code;
        command.later_once = fault.once;
        set_job(call, module, values, command);
    });
    return success;
}

} // namespace ferry_double
