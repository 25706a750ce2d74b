// SPDX-License-Identifier: Apache-2.0
#pragma once

// Executes the kernels of one translation unit on the CPU. A block is one loop over its threads, or one fiber
// for each thread if the text has barriers. All of it is compiled into the kernel's own shared object,
// without sanitizers. Therefore the fibers are here and not in the double.

using size_t = __SIZE_TYPE__;

struct uint3 {
    unsigned int x, y, z;
};
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

namespace ferry_double {

// Both sides use these structs; driver_cpu/module.hpp declares the same.
struct Launch {
    unsigned int grid[3];
    unsigned int block[3];
    unsigned int warp;
    void* shared; // the dynamic shared memory
    void** parameters;
    int torn_atomics; // FERRY_DOUBLE_LIE=atomics
};
struct Parameter {
    unsigned int size, alignment, is_pointer;
};
struct KernelEntry {
    const char* name;   // the name in the text
    const void* symbol; // modules are searched for its exported name
    unsigned int count;
    const Parameter* parameters;
    int (*run)(const Launch*);
};

struct Fiber {
    void* stack_pointer;
    uint3 thread;
    unsigned int linear;
    bool done;
};

struct Block {
    const Launch* launch;
    void (*body)(void**);
    uint3 thread, group;
    unsigned int linear; // index of the running thread
    unsigned int size;
    int failure;
    // One barrier for the block and one for each warp. A generation ends when all live threads have arrived.
    Fiber* fibers;
    void* scheduler;
    unsigned int live, arrived, generation;
    unsigned int warp_live[1024], warp_arrived[1024], warp_generation[1024];
    unsigned long long slots[1024]; // values exchanged between threads
    int votes[3];
    bool progress;
};

// Static storage, because a kernel is called without additional arguments. One OS thread runs a whole block.
static thread_local Block block_storage;
static thread_local Block* block_state;

inline void fail(int code) {
    if (block_state->failure == 0) {
        block_state->failure = code;
    }
}

#ifdef FERRY_DOUBLE_FIBERS
extern "C" void* mmap(void*, size_t, int, int, int, long);
extern "C" int munmap(void*, size_t);
extern "C" void ferry_double_switch(void** save, void* load);
#if defined(__x86_64__)
asm(".text\n.local ferry_double_switch\n.type ferry_double_switch,@function\nferry_double_switch:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
constexpr size_t saved_words = 6;
constexpr size_t return_word = 6;
#elif defined(__aarch64__)
asm(".text\n.local ferry_double_switch\n.type ferry_double_switch,%function\nferry_double_switch:\n"
    "sub sp,sp,#160\nstp x19,x20,[sp]\nstp x21,x22,[sp,#16]\nstp x23,x24,[sp,#32]\nstp x25,x26,[sp,#48]\n"
    "stp x27,x28,[sp,#64]\nstp x29,x30,[sp,#80]\nstp d8,d9,[sp,#96]\nstp d10,d11,[sp,#112]\n"
    "stp d12,d13,[sp,#128]\nstp d14,d15,[sp,#144]\nmov x2,sp\nstr x2,[x0]\nmov sp,x1\n"
    "ldp x19,x20,[sp]\nldp x21,x22,[sp,#16]\nldp x23,x24,[sp,#32]\nldp x25,x26,[sp,#48]\n"
    "ldp x27,x28,[sp,#64]\nldp x29,x30,[sp,#80]\nldp d8,d9,[sp,#96]\nldp d10,d11,[sp,#112]\n"
    "ldp d12,d13,[sp,#128]\nldp d14,d15,[sp,#144]\nadd sp,sp,#160\nret\n");
constexpr size_t saved_words = 20;
constexpr size_t return_word = 11;
#else
#error "The double has no fiber switch for this processor; add one here."
#endif

constexpr size_t stack_bytes = 128 * 1024;

inline void yield() {
    Block& b = *block_state;
    Fiber& me = b.fibers[b.linear];
    ferry_double_switch(&me.stack_pointer, b.scheduler);
}

inline void barrier() {
    Block& b = *block_state;
    const unsigned int mine = b.generation;
    if (++b.arrived == b.live) {
        b.arrived = 0;
        ++b.generation;
        b.progress = true;
        return;
    }
    while (block_state->generation == mine) {
        yield();
    }
}

inline void warp_barrier() {
    Block& b = *block_state;
    const unsigned int warp = b.linear / b.launch->warp;
    const unsigned int mine = b.warp_generation[warp];
    if (++b.warp_arrived[warp] == b.warp_live[warp]) {
        b.warp_arrived[warp] = 0;
        ++b.warp_generation[warp];
        b.progress = true;
        return;
    }
    while (block_state->warp_generation[warp] == mine) {
        yield();
    }
}

// A thread that has returned no longer counts. Threads that waited only for it continue.
inline void leave() {
    Block& b = *block_state;
    const unsigned int warp = b.linear / b.launch->warp;
    b.fibers[b.linear].done = true;
    b.progress = true;
    if (--b.live != 0 && b.arrived == b.live) {
        b.arrived = 0;
        ++b.generation;
    }
    if (--b.warp_live[warp] != 0 && b.warp_arrived[warp] == b.warp_live[warp]) {
        b.warp_arrived[warp] = 0;
        ++b.warp_generation[warp];
    }
}

[[noreturn]] inline void fiber_main() {
    block_state->body(block_state->launch->parameters);
    leave();
    yield();
    __builtin_unreachable();
}

inline void run_block(Block& b, char* stacks) {
    const unsigned int warps = (b.size + b.launch->warp - 1) / b.launch->warp;
    b.live = b.size;
    b.arrived = 0;
    for (unsigned int w = 0; w != warps; ++w) {
        b.warp_live[w] = w + 1 == warps ? b.size - w * b.launch->warp : b.launch->warp;
        b.warp_arrived[w] = 0;
    }
    for (unsigned int i = 0; i != b.size; ++i) {
        Fiber& f = b.fibers[i];
        void** top = reinterpret_cast<void**>(stacks + (i + 1) * stack_bytes) - 2 - (saved_words + 2);
        for (size_t word = 0; word != saved_words + 2; ++word) {
            top[word] = nullptr;
        }
        top[return_word] = reinterpret_cast<void*>(&fiber_main);
        f.stack_pointer = top;
        f.done = false;
    }
    while (b.live != 0) {
        b.progress = false;
        for (unsigned int i = 0; i != b.size; ++i) {
            Fiber& f = b.fibers[i];
            if (!f.done) {
                b.linear = i;
                b.thread = f.thread;
                ferry_double_switch(&b.scheduler, f.stack_pointer);
            }
        }
        if (!b.progress) { // threads wait in different barriers: a GPU would hang
            fail(702);
            return;
        }
    }
}
#endif

inline int run_grid(const Launch* launch, void (*body)(void**)) {
    Block& b = block_storage;
    b.launch = launch;
    b.body = body;
    b.failure = 0;
    b.size = launch->block[0] * launch->block[1] * launch->block[2];
    block_state = &b;
#ifdef FERRY_DOUBLE_FIBERS
    const size_t stacks_bytes = b.size * stack_bytes;
    const size_t fibers_bytes = b.size * sizeof(Fiber);
    void* memory =
        mmap(nullptr, stacks_bytes + fibers_bytes, 3, 0x22, -1, 0); // read, write; private, anonymous
    if (memory == reinterpret_cast<void*>(-1)) {
        return 2;
    }
    b.fibers = reinterpret_cast<Fiber*>(static_cast<char*>(memory) + stacks_bytes);
    for (unsigned int i = 0; i != b.size; ++i) {
        b.fibers[i].thread = {i % launch->block[0], i / launch->block[0] % launch->block[1],
                              i / launch->block[0] / launch->block[1]};
        b.fibers[i].linear = i;
    }
#endif
    for (b.group.z = 0; b.group.z != launch->grid[2]; ++b.group.z) {
        for (b.group.y = 0; b.group.y != launch->grid[1]; ++b.group.y) {
            for (b.group.x = 0; b.group.x != launch->grid[0] && b.failure == 0; ++b.group.x) {
#ifdef FERRY_DOUBLE_FIBERS
                run_block(b, static_cast<char*>(memory));
#else
                b.linear = 0;
                for (b.thread.z = 0; b.thread.z != launch->block[2]; ++b.thread.z) {
                    for (b.thread.y = 0; b.thread.y != launch->block[1]; ++b.thread.y) {
                        for (b.thread.x = 0; b.thread.x != launch->block[0]; ++b.thread.x) {
                            body(launch->parameters);
                            ++b.linear;
                        }
                    }
                }
#endif
            }
        }
    }
#ifdef FERRY_DOUBLE_FIBERS
    munmap(memory, stacks_bytes + fibers_bytes);
#endif
    return b.failure;
}

template <class T>
struct is_pointer {
    static constexpr bool value = false;
};
template <class T>
struct is_pointer<T*> {
    static constexpr bool value = true;
};
template <class T>
struct value_of {
    using type = T;
};
template <class T>
struct value_of<const T> {
    using type = T;
};
template <int... I>
struct Sequence {};
template <int N, int... I>
struct MakeSequence : MakeSequence<N - 1, N - 1, I...> {};
template <int... I>
struct MakeSequence<0, I...> {
    using type = Sequence<I...>;
};

template <auto F>
struct KernelOf;
template <class... A, void (*F)(A...)>
struct KernelOf<F> {
    static constexpr unsigned int count = sizeof...(A);
    static constexpr Parameter parameters[count + 1] = {
        {sizeof(A), alignof(A), is_pointer<typename value_of<A>::type>::value}..., {0, 0, 0}};
    template <int... I>
    static void call(void** p, Sequence<I...>) {
        (void)p;
        F(*static_cast<A*>(p[I])...);
    }
    static void body(void** p) { call(p, typename MakeSequence<int(count)>::type{}); }
    static int run(const Launch* launch) { return run_grid(launch, &body); }
};

template <auto F>
inline KernelEntry entry(const char* name) {
    return {name, reinterpret_cast<const void*>(F), KernelOf<F>::count, KernelOf<F>::parameters,
            &KernelOf<F>::run};
}

// Outside a function, `extern __shared__ T name[];` becomes one of these. Inside a function it becomes a
// plain pointer.
template <class T>
struct DynamicShared {
    operator T*() const { return static_cast<T*>(block_state->launch->shared); }
};

} // namespace ferry_double

#define threadIdx (static_cast<const uint3&>(ferry_double::block_state->thread))
#define blockIdx (static_cast<const uint3&>(ferry_double::block_state->group))
#define blockDim                                                                                    \
    (dim3(ferry_double::block_state->launch->block[0], ferry_double::block_state->launch->block[1], \
          ferry_double::block_state->launch->block[2]))
#define gridDim                                                                                   \
    (dim3(ferry_double::block_state->launch->grid[0], ferry_double::block_state->launch->grid[1], \
          ferry_double::block_state->launch->grid[2]))
#define warpSize (static_cast<int>(ferry_double::block_state->launch->warp))

#define __global__ __attribute__((used))
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
