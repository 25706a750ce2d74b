// SPDX-License-Identifier: Apache-2.0
// Queues, programs and new kernels must not leave additional exit handlers registered.
#include <ferry/ferry.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <string>

namespace {

std::mutex mutex;
std::map<void*, long>& handlers() { // by the object or library that they belong to
    static auto& all = *new std::map<void*, long>;
    return all;
}

long count() {
    const std::lock_guard lock(mutex);
    long sum = 0;
    for (const auto& [owner, number] : handlers()) {
        sum += number;
    }
    return sum;
}

template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

// Replaces the C library's function.
// NOLINTBEGIN(bugprone-reserved-identifier): these are their names
extern "C" __attribute__((visibility("default"))) int __cxa_atexit(void (*function)(void*), void* argument,
                                                                   void* owner) {
    {
        const std::lock_guard lock(mutex);
        ++handlers()[owner];
    }
    return real<int(void (*)(void*), void*, void*)>("__cxa_atexit")(function, argument, owner);
}
extern "C" __attribute__((visibility("default"))) void __cxa_finalize(void* owner) {
    real<void(void*)>("__cxa_finalize")(owner);
    const std::lock_guard lock(mutex);
    handlers().erase(owner);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

void use(const ferry::Device& device, int round) {
    ferry::Queue queue{device, {.timing = round % 2 == 0}};
    ferry::Buffer<std::uint32_t> data{device, 64};
    const std::string name = "k" + std::to_string(round);
    const ferry::Program program(
        device, "__kernel void " + name +
                    "(__global uint* x) { x[get_global_id(0)] = " + std::to_string(round) + "; }");
    queue.launch(program.kernel(name), {1, 64}, data);
    if (queue.read(data)[63] != static_cast<std::uint32_t>(round)) {
        std::printf("a wrong result in round %d\n", round);
        std::_Exit(1);
    }
}

} // namespace

int main() {
    const ferry::Device device = ferry::default_device();
    for (int round = 0; round < 4; ++round) {
        use(device, round);
    }
    const long before = count();
    for (int round = 4; round < 12; ++round) {
        use(device, round);
    }
    for (int i = 0; i < 1000; ++i) {
        const ferry::Queue queue{device, {.timing = i % 2 == 0}};
    }
    const long after = count();
    std::printf("%s: %ld exit handlers before 1,008 queues and 8 programs, %ld after\n", device.id().c_str(),
                before, after);
    return after <= before + 1 ? 0 : 1; // another thread may be about to move it at that moment
}
