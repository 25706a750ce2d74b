// SPDX-License-Identifier: Apache-2.0
// The calls of OpenCL that a queue's priority and a prefetch become.
#include "opencl/opencl_query.hpp"
#include "opencl_fake_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace opencl_hints_test {

using namespace fake_opencl;
using ferry::Prefetch;
using ferry::QueuePriority;

namespace {

struct Migration {
    const void* pointer;
    std::size_t bytes;
    cl_mem_migration_flags flags;
};
std::vector<cl_queue_properties> properties;
std::vector<Migration> of_svm, of_usm;

std::vector<cl_name_version> listed;

cl_int CL_API_CALL answer_listed(cl_device_id, cl_device_info what, std::size_t size, void* to,
                                 std::size_t* needed) {
    if (what != CL_DEVICE_EXTENSIONS_WITH_VERSION) {
        return CL_INVALID_VALUE;
    }
    const std::size_t bytes = listed.size() * sizeof(cl_name_version);
    if (needed != nullptr) {
        *needed = bytes;
    }
    if (to != nullptr) {
        std::memcpy(to, listed.data(), std::min(size, bytes));
    }
    return CL_SUCCESS;
}
cl_command_queue CL_API_CALL create(cl_context, cl_device_id, const cl_queue_properties* list, cl_int* code) {
    properties.clear();
    for (; *list != 0; list += 2) {
        properties.insert(properties.end(), {list[0], list[1]});
    }
    *code = CL_SUCCESS;
    driver->queues.emplace_back();
    return handle<cl_command_queue>(driver->queues.back());
}
cl_int CL_API_CALL migrate_svm(cl_command_queue, cl_uint count, const void** pointers,
                               const std::size_t* sizes, cl_mem_migration_flags flags, cl_uint,
                               const cl_event*, cl_event*) {
    REQUIRE(count == 1);
    of_svm.push_back({pointers[0], sizes[0], flags});
    return CL_SUCCESS;
}
cl_int CL_API_CALL migrate_usm(cl_command_queue, const void* pointer, std::size_t bytes,
                               cl_mem_migration_flags flags, cl_uint, const cl_event*, cl_event*) {
    of_usm.push_back({pointer, bytes, flags});
    return CL_SUCCESS;
}

std::vector<cl_queue_properties> made_with(bool knows_priorities, QueuePriority priority) {
    Driver all;
    const Scene::Use use{all};
    Api api = functions();
    api.clCreateCommandQueueWithProperties = create;
    ferry::DeviceInfo info = gpu(false);
    info.queue_priority = knows_priorities;
    OpenclDevice device(api, nullptr, nullptr, {}, info);
    const OpenclQueue queue(device, {.timing = false, .priority = priority});
    return properties;
}

} // namespace

TEST_CASE("opencl hints: a queue is made with its priority if the driver has the extension") {
    using List = std::vector<cl_queue_properties>;
    const List plain{CL_QUEUE_PROPERTIES, 0};
    CHECK(made_with(true, QueuePriority::normal) == plain);
    CHECK(made_with(false, QueuePriority::high) == plain);
    CHECK(made_with(true, QueuePriority::high) ==
          List{CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_HIGH_KHR});
    CHECK(made_with(true, QueuePriority::low) ==
          List{CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR});
}

TEST_CASE("opencl hints: a prefetch migrates the range of SVM or USM, and no other memory") {
    Driver all;
    const Scene::Use use{all};
    Api api = functions();
    api.clEnqueueSVMMigrateMem = migrate_svm;
    api.clEnqueueMigrateMemINTEL = migrate_usm;
    OpenclDevice device(api, nullptr, nullptr, {}, gpu(false));
    OpenclQueue queue(device, ferry::QueueOptions{});
    std::array<char, 1000> bytes{};
    for (const Storage storage : {Storage::svm, Storage::usm, Storage::mapped}) {
        of_svm.clear();
        of_usm.clear();
        OpenclMemory memory(device, storage, bytes.size());
        memory.pointer = bytes.data();
        const std::size_t offset = random_engine()() % 500;
        const std::size_t length = 1 + random_engine()() % 500;
        queue.prefetch({&memory, offset}, length, Prefetch::to_device);
        queue.prefetch({&memory, offset}, length, Prefetch::to_host);
        memory.pointer = nullptr; // It is not the driver's.
        CHECK(of_svm.size() == (storage == Storage::svm ? 2U : 0U));
        CHECK(of_usm.size() == (storage == Storage::usm ? 2U : 0U));
        const std::vector<Migration>& seen = storage == Storage::svm ? of_svm : of_usm;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            CHECK(seen[i].pointer == bytes.data() + offset);
            CHECK(seen[i].bytes == length);
            CHECK(seen[i].flags == (i == 0 ? 0U : CL_MIGRATE_MEM_OBJECT_HOST));
        }
    }
}

TEST_CASE("opencl hints: USM migrates if its extension has at least version 1.2") {
    const auto version_of = [](const std::vector<cl_name_version>& list, std::string_view name) {
        listed = list;
        Api api = functions();
        api.clGetDeviceInfo = answer_listed;
        return extension_version(api, nullptr, name);
    };
    const char* const name = "cl_intel_unified_shared_memory";
    const auto entry = [](cl_version version, const char* text) {
        cl_name_version made{};
        made.version = version;
        std::strncpy(made.name, text, sizeof made.name);
        return made;
    };
    const auto random_digit = [] { return static_cast<cl_version>(1 + random_engine()() % 9); };
    const cl_version some = CL_MAKE_VERSION(random_digit(), random_digit(), 0);
    const std::string longest(sizeof(cl_name_version::name), 'x'); // Without a final zero.
    CHECK(version_of({}, name) == 0);
    CHECK(version_of({entry(some, "cl_intel_unified_shared_memory_preview")}, name) == 0);
    CHECK(version_of({entry(7, longest.c_str()), entry(some, name)}, name) == some);
    CHECK(version_of({entry(some, longest.c_str())}, longest) == some);
}

} // namespace opencl_hints_test
