// SPDX-License-Identifier: Apache-2.0
// A vendor library that forwards each call to the real one and makes chosen calls fail. The exported
// functions are generated from the project's symbol tables. FERRY_INJECT_REAL names the real library.
#include "inject.h"
#include "symbols.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define FERRY_INJECT_EXPORT extern "C" __attribute__((visibility("default")))

namespace ferry::inject {
namespace {

enum Number : int {
#ifdef FERRY_INJECT_OPENCL
#define FERRY_OPENCL_REQUIRED(name) number_of_##name,
#define FERRY_OPENCL_OPTIONAL(name, version) number_of_##name,
#define FERRY_OPENCL_EXTENSION(name, token)
#include "opencl/symbols.def"
#undef FERRY_OPENCL_REQUIRED
#undef FERRY_OPENCL_OPTIONAL
#undef FERRY_OPENCL_EXTENSION
#else
#define FERRY_EACH_ROW(tier, member, name, result, parameters) number_of_##name,
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) number_of_##name,
#include "tests/doubles/each_row.inc"
#endif
    count_of_all
};

constexpr const char* names[] = {
#ifdef FERRY_INJECT_OPENCL
#define FERRY_OPENCL_REQUIRED(name) #name,
#define FERRY_OPENCL_OPTIONAL(name, version) #name,
#define FERRY_OPENCL_EXTENSION(name, token)
#include "opencl/symbols.def"
#undef FERRY_OPENCL_REQUIRED
#undef FERRY_OPENCL_OPTIONAL
#undef FERRY_OPENCL_EXTENSION
#else
#define FERRY_EACH_ROW(tier, member, name, result, parameters) #name,
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) #name,
#include "tests/doubles/each_row.inc"
#endif
};

struct State {
    std::mutex mutex;
    std::array<long, count_of_all> calls{};
    int symbol = -1;
    long first = 0, times = 0, failed = 0;
    int code = 0, refusal = 0;
    bool waits = true;
    int answering = -1, answer = 0; ///< see ferry_inject_answer()
    unsigned query = 0;
    std::array<std::vector<unsigned>, count_of_all> queries;
    std::array<long, handle_kinds> handles{};
    long freed = 0;
};
/// Makes a state. FERRY_INJECT_ANSWER, for example "hipGetDeviceCount:3", has the arguments of
/// ferry_inject_answer().
State* make_state() {
    auto* const made = new State; // never freed, because calls may come until the process ends
    const char* const said = std::getenv("FERRY_INJECT_ANSWER");
    const std::string_view text = said != nullptr ? said : "";
    for (int i = 0; i < count_of_all && !text.empty(); ++i) {
        if (text.substr(0, text.find(':')) == names[i]) {
            made->answering = i;
            made->answer = text.back() - '0';
        }
    }
    return made;
}
State& state() {
    static State* const made = make_state();
    return *made;
}

bool contains(std::string_view name, const char* part) {
    return name.find(part) != std::string_view::npos;
}
/// A call that ends an object does its work before it reports a failure, because the caller cannot repeat it.
bool ends_something(std::string_view name) {
    return name.starts_with("clRelease") || contains(name, "Destroy") || contains(name, "Free") ||
           contains(name, "Unregister") || contains(name, "Unload") || contains(name, "StreamEndCapture");
}
bool waits_for_device(std::string_view name) {
    return name == "clFinish" || name == "clWaitForEvents" || contains(name, "Synchronize");
}
bool asks_device(std::string_view name) {
    return name == "clGetEventInfo" || name == "clEnqueueMarkerWithWaitList" ||
           contains(name, "StreamQuery") || contains(name, "EventQuery") || contains(name, "EventRecord");
}
bool frees_memory(std::string_view name) {
    return name == "hipFree" || name == "hipHostFree" || name == "cuMemFree_v2" || name == "cuMemFreeHost" ||
           name == "clReleaseMemObject" || name == "clSVMFree";
}

/// Whether the call returns the text of an error.
bool gives_text(std::string_view name) {
    return contains(name, "GetErrorName") || contains(name, "GetErrorString");
}

/// Whether only the first pointer receives an answer. Other pointers may be unreadable.
bool answers_first_only(std::string_view name) {
    return contains(name, "ModuleLoad") || contains(name, "CreateProgram");
}
bool answers_nothing(std::string_view name) {
    return contains(name, "Launch") || contains(name, "CompileProgram") || contains(name, "DestroyProgram") ||
           contains(name, "SetParams");
}

/// Writes the absurd answer of that kind through `pointer`. Returns whether it wrote one. `next` is the next
/// parameter.
template <class P, class Next>
bool write_absurd([[maybe_unused]] P pointer, [[maybe_unused]] Next next, [[maybe_unused]] int kind) {
    if constexpr (std::is_pointer_v<P>) {
        using T = std::remove_pointer_t<P>;
        if constexpr (std::is_const_v<T> || std::is_void_v<T>) {
        } else if constexpr (std::is_same_v<T, char> && std::is_same_v<Next, int>) {
            if (pointer != nullptr && kind == 3) {
                std::memset(pointer, 'A', static_cast<std::size_t>(next));
                return true;
            }
        } else if constexpr (std::is_same_v<T, char>) {
        } else if constexpr (std::is_pointer_v<T>) {
            if (pointer != nullptr && kind == 1) {
                *pointer = nullptr;
                return true;
            }
        } else if constexpr (std::is_floating_point_v<T>) {
            if (pointer != nullptr) {
                *pointer = kind == 1   ? T{}
                           : kind == 2 ? std::numeric_limits<T>::quiet_NaN()
                                       : std::numeric_limits<T>::infinity();
                return true;
            }
        } else if constexpr (std::is_integral_v<T>) {
            if (pointer != nullptr) {
                *pointer = kind == 1 ? T{} : kind == 2 ? static_cast<T>(-1) : std::numeric_limits<T>::max();
                return true;
            }
        }
    }
    return false;
}

#ifdef FERRY_INJECT_OPENCL
/// Answers an object or writes through pointers in the answer.
bool answers_pointers(unsigned query) {
    for (const int one : {CL_DEVICE_PLATFORM, CL_EVENT_CONTEXT, CL_EVENT_COMMAND_QUEUE, CL_MEM_CONTEXT,
                          CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_PROGRAM_BINARIES}) {
        if (query == static_cast<unsigned>(one)) {
            return true;
        }
    }
    return false;
}

/// Notes a query, and replaces its answer if it is the chosen one.
void answer_query(int symbol, unsigned query, std::size_t size, void* value, std::size_t* needed) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    std::vector<unsigned>& known = s.queries[static_cast<std::size_t>(symbol)];
    if (std::find(known.begin(), known.end(), query) == known.end()) {
        known.push_back(query);
    }
    const bool chosen = s.answering == symbol && (s.query == 0 || s.query == query);
    // 0 and negative numbers are plausible there: a command that has ended.
    const bool is_plausible = query == CL_EVENT_COMMAND_EXECUTION_STATUS && s.answer != 3;
    if (!chosen || s.answer == 0 || query == CL_PROGRAM_BINARIES || is_plausible ||
        (s.answer != 1 && answers_pointers(query))) {
        return;
    }
    if (value != nullptr) {
        std::memset(value, s.answer == 1 ? 0 : s.answer == 2 ? 0xff : 'A', size);
        ++s.failed;
    }
    if (needed != nullptr && s.answer != 3) { // else no text of that size would be read
        *needed = s.answer == 1 ? 0 : std::numeric_limits<std::size_t>::max();
        ++s.failed;
    }
}
#endif

/// Replaces the library's answers after a successful call.
template <class... P>
void answer_absurdly(int symbol, P... arguments) {
    const std::string_view name = names[symbol];
#ifdef FERRY_INJECT_OPENCL
    constexpr std::size_t parameters = sizeof...(P);
    if constexpr (parameters >= 5) {
        const auto given = std::tuple<P...>(arguments...);
        if constexpr (std::is_same_v<std::tuple_element_t<parameters - 1, std::tuple<P...>>, std::size_t*>) {
            answer_query(symbol, std::get<parameters - 4>(given), std::get<parameters - 3>(given),
                         std::get<parameters - 2>(given), std::get<parameters - 1>(given));
            return;
        }
    }
#endif
    int kind = 0;
    {
        State& s = state();
        const std::lock_guard lock(s.mutex);
        kind = s.answering == symbol ? s.answer : 0;
    }
    if (kind == 0 || answers_nothing(name)) {
        return;
    }
    const auto all = std::tuple<P..., std::nullptr_t>(arguments..., nullptr);
    const auto each = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return (0 + ... +
                (I == 0 || !answers_first_only(name)
                     ? static_cast<int>(write_absurd(std::get<I>(all), std::get<I + 1>(all), kind))
                     : 0));
    };
    if (each(std::index_sequence_for<P...>()) != 0) {
        State& s = state();
        const std::lock_guard lock(s.mutex);
        ++s.failed;
    }
}

/// Whether the call returns null instead of its object or address.
bool answers_null(int symbol) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const bool is_null = s.answering == symbol && s.answer == 1;
    s.failed += is_null ? 1 : 0;
    return is_null;
}

struct Fate {
    int code;     ///< the code of the failure; 0: the call succeeds
    bool happens; ///< whether the call does its work
};
Fate fate_of(int symbol) {
    const std::string_view name = names[symbol];
    State& s = state();
    const std::lock_guard lock(s.mutex);
    s.freed += frees_memory(name) ? 1 : 0;
    const long call = ++s.calls[static_cast<std::size_t>(symbol)];
    if (s.refusal != 0 && (waits_for_device(name) || asks_device(name))) {
        return {s.refusal, false};
    }
    constexpr int largest_known = 70'000;
    if (gives_text(name) && s.failed != 0 && (s.code > largest_known || s.code < -largest_known)) {
        return {s.code, false}; // a driver that does not know its own code
    }
    if (s.symbol != symbol || call < s.first || call - s.first >= s.times) {
        return {0, true};
    }
    ++s.failed;
    return {s.code, ends_something(name) || name == "clFlush" || (s.waits && waits_for_device(name))};
}

struct Change {
    HandleKind kind;
    int by;
};
/// The effect of a successful call on the number of live handles. `gives_event`: the call has returned an
/// event of a command.
Change handle_change(std::string_view name, bool gives_event) {
    const auto has = [&](auto... parts) { return (contains(name, parts) || ...); };
    const bool ends = name.starts_with("clRelease") || has("Destroy", "Free", "Unload", "Unregister");
    const bool begins = name.starts_with("clCreate") || name.starts_with("clRetain");
    if (gives_event) {
        return {handles_of_events, 1};
    }
    if (name.starts_with("clEnqueue") || has("Context", "Info")) {
        return {handles_of_objects, 0};
    }
    if (has("Event")) {
        return {handles_of_events, ends ? -1 : begins || has("EventCreate") ? 1 : 0};
    }
    if (has("MemObject", "clCreateBuffer", "clCreateSubBuffer", "Alloc", "Malloc", "Free", "HostRegister",
            "HostUnregister", "ExternalMemory")) {
        return {handles_of_memory, ends ? -1 : 1};
    }
    if (!has("CommandQueue", "Program", "Kernel", "Stream", "Graph", "Module")) {
        return {handles_of_objects, 0};
    }
    return {handles_of_objects, ends ? -1
                                : begins || has("StreamCreate", "GraphInstantiate", "StreamEndCapture",
                                                "ModuleLoad", "CreateProgram")
                                    ? 1
                                    : 0};
}

/// Whether one of the arguments receives an event.
bool receives_event([[maybe_unused]] auto... arguments) {
#ifdef FERRY_INJECT_OPENCL
    const auto receives = []<class T>(T argument) {
        if constexpr (std::is_same_v<T, cl_event*>) {
            return argument != nullptr;
        } else {
            return false;
        }
    };
    return (false || ... || receives(arguments));
#else
    return false;
#endif
}

void count_handle(int symbol, bool gives_event) {
    if (const auto [kind, by] = handle_change(names[symbol], gives_event); by != 0) {
        State& s = state();
        const std::lock_guard lock(s.mutex);
        s.handles[kind] += by;
    }
}

void* real(int symbol) {
    static void* const library = [] {
        const char* const named = std::getenv("FERRY_INJECT_REAL");
        return dlopen(named != nullptr ? named : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    }();
    void* const found = library != nullptr ? dlsym(library, names[symbol]) : nullptr;
    if (found == nullptr) {
        std::fprintf(stderr, "The forwarding library finds no %s: %s\n", names[symbol], dlerror());
        std::abort();
    }
    return found;
}

template <int Symbol, class Signature>
struct Forward;
template <int Symbol, class R, class... P>
struct Forward<Symbol, R(P...)> {
    static R call(P... arguments) {
        static const auto function = reinterpret_cast<R (*)(P...)>(real(Symbol));
        const auto [code, happens] = fate_of(Symbol);
        if constexpr (std::is_void_v<R>) {
            function(arguments...);
            count_handle(Symbol, false);
        } else if constexpr (std::is_same_v<R, int>) {
            if (!happens) {
                return code;
            }
            const R result = function(arguments...);
            if (result == 0) {
                count_handle(Symbol, receives_event(arguments...));
                answer_absurdly(Symbol, arguments...);
            }
            return code != 0 ? code : result;
        } else {
            if (code != 0) {
                fail(code, arguments...);
                return R{};
            }
            const R result = function(arguments...);
            if (result != R{}) {
                count_handle(Symbol, receives_event(arguments...));
            }
            return answers_null(Symbol) ? R{} : result;
        }
    }

private:
    static void fail(int code, P... arguments) {
        const std::tuple<P...> all(arguments...);
        if constexpr (sizeof...(P) != 0) {
            const auto last = std::get<sizeof...(P) - 1>(all);
            if constexpr (std::is_same_v<std::remove_cv_t<decltype(last)>, int*>) {
                if (last != nullptr) {
                    *last = code;
                }
            }
        }
    }
};

} // namespace
} // namespace ferry::inject

// The parameters in a table have no names, so a macro cannot pass them on. Therefore each exported symbol is
// an indirect function.
#define FERRY_INJECT_FUNCTION(name, type)                                                                  \
    extern "C" {                                                                                           \
    static auto resolve_##name() -> void (*)() {                                                           \
        return reinterpret_cast<void (*)()>(                                                               \
            &ferry::inject::Forward<ferry::inject::number_of_##name, ferry::inject::type>::call);          \
    }                                                                                                      \
    __attribute__((ifunc("resolve_" #name), visibility("default"))) void exported_##name() __asm__(#name); \
    }
#ifdef FERRY_INJECT_OPENCL
#define FERRY_OPENCL_REQUIRED(name) FERRY_INJECT_FUNCTION(name, type_of_##name)
#define FERRY_OPENCL_OPTIONAL(name, version) FERRY_INJECT_FUNCTION(name, type_of_##name)
#define FERRY_OPENCL_EXTENSION(name, token)
#include "opencl/symbols.def"
#else
#define FERRY_EACH_ROW(tier, member, name, result, parameters) \
    FERRY_INJECT_FUNCTION(name, Rows::type_of_##name)
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) \
    FERRY_INJECT_FUNCTION(name, Rows::type_of_##name)
#include "tests/doubles/each_row.inc"
#endif

using ferry::inject::state;

FERRY_INJECT_EXPORT void ferry_inject_arm(int symbol, long first, long times, int code, int waits) {
    auto& s = state();
    const std::lock_guard lock(s.mutex);
    s.calls = {};
    for (auto& queries : s.queries) {
        queries.clear();
    }
    s.symbol = symbol;
    s.first = first;
    s.times = times;
    s.code = code;
    s.waits = waits != 0;
    s.failed = 0;
}
FERRY_INJECT_EXPORT void ferry_inject_refuse_waits(int code) {
    auto& s = state();
    const std::lock_guard lock(s.mutex);
    s.refusal = code;
}
FERRY_INJECT_EXPORT void ferry_inject_answer(int symbol, unsigned query, int kind) {
    auto& s = state();
    const std::lock_guard lock(s.mutex);
    s.answering = symbol;
    s.query = query;
    s.answer = kind;
    s.failed = 0;
}
FERRY_INJECT_EXPORT unsigned ferry_inject_query(int symbol, int index) {
    auto& s = state();
    const std::lock_guard lock(s.mutex);
    const auto& known = s.queries[static_cast<std::size_t>(symbol)];
    return static_cast<std::size_t>(index) < known.size() ? known[static_cast<std::size_t>(index)] : 0;
}
FERRY_INJECT_EXPORT long ferry_inject_calls(int symbol) {
    auto& s = state();
    const std::lock_guard lock(s.mutex);
    return s.calls[static_cast<std::size_t>(symbol)];
}
FERRY_INJECT_EXPORT const char* ferry_inject_name(int symbol) {
    return symbol >= 0 && symbol < ferry::inject::count_of_all ? ferry::inject::names[symbol] : nullptr;
}
FERRY_INJECT_EXPORT long ferry_inject_failed() {
    auto& s = state();
    const std::lock_guard lock(s.mutex);
    return s.failed;
}
FERRY_INJECT_EXPORT long ferry_inject_freed() {
    auto& s = state();
    const std::lock_guard lock(s.mutex);
    return s.freed;
}
FERRY_INJECT_EXPORT long ferry_inject_handles(int kind) {
    auto& s = state();
    const std::lock_guard lock(s.mutex);
    return s.handles[static_cast<std::size_t>(kind)];
}
