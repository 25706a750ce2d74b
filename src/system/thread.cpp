// SPDX-License-Identifier: Apache-2.0
#include "system/thread.hpp"

#include "system/float_environment.hpp"
#include "system/fork.hpp"
#include "system/pause.hpp"

#include <ferry/error.hpp>

#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <initializer_list>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace ferry::detail {
namespace {

thread_local bool is_librarys = false;

struct Start {
    const char* name;
    std::function<void()> body;
};

// How many threads have not reached their bodies. A thread that starts allocates memory. If its allocator has
// no handlers for fork(), as the address sanitizer's of GCC 12, a child process would wait forever for the
// lock that the thread holds. fork() therefore waits for these threads. Sequentially consistent, because
// nothing here is frequent.
std::atomic<int> starting{0};

void wait_for_starting_threads() noexcept {
    poll_until(PollClock::now() + std::chrono::seconds(1), std::chrono::nanoseconds(0),
               [] { return starting.load() == 0; });
}

// Exceptions and cancellations are handled by the body; this function lets both pass through.
void* run(void* given) {
    const std::unique_ptr<Start> start(static_cast<Start*>(given));
    is_librarys = true;
    DefaultFloatEnvironment::set_default();
    pthread_setname_np(pthread_self(), start->name);
    starting.fetch_sub(1);
    start->body();
    return nullptr;
}

// A new thread inherits its parent's signal mask. Blocked signals there ensure that the library's thread
// never handles a signal meant for the program.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t blocked;
        sigfillset(&blocked);
        for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
            sigdelset(&blocked, own);
        }
        pthread_sigmask(SIG_SETMASK, &blocked, &before_);
    }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

/// Bytes of a stack that a new thread itself uses: its descriptor and the thread_local objects of all
/// libraries loaded with the program. Their size is not limited by a constant, so the C library is queried.
/// It has no public function for that; Rust and Java use this one too.
std::size_t stack_of_thread(const pthread_attr_t& attributes) noexcept {
    using Answer = std::size_t (*)(const pthread_attr_t*);
    static const auto ask = reinterpret_cast<Answer>(::dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
    const long least = sysconf(_SC_THREAD_STACK_MIN);
    return std::max(static_cast<std::size_t>(std::max(least, 16384L)), ask != nullptr ? ask(&attributes) : 0);
}

class Attributes {
public:
    explicit Attributes(std::size_t stack) {
        pthread_attr_init(&value_);
        const std::size_t page = static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), 4096L));
        const std::size_t more = stack_of_thread(value_) + page;
        error_ = pthread_attr_setstacksize(&value_, (stack + more) / page * page);
    }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    ~Attributes() { pthread_attr_destroy(&value_); }
    const pthread_attr_t* get() const noexcept { return &value_; }
    int error() const noexcept { return error_; }

private:
    pthread_attr_t value_{};
    int error_ = 0;
};

} // namespace

std::size_t stack_of_new_threads() noexcept {
    pthread_attr_t now;
    std::size_t size = 0;
    if (pthread_getattr_default_np(&now) == 0) {
        static_cast<void>(pthread_attr_getstacksize(&now, &size));
        pthread_attr_destroy(&now);
    }
    return size;
}

std::size_t default_stack_size() noexcept {
    return std::max(stack_of_new_threads(), least_stack_size);
}

std::uint64_t process_number() noexcept {
    return static_cast<std::uint64_t>(::getpid());
}

std::uint64_t thread_number() noexcept {
    return static_cast<std::uint64_t>(::gettid());
}

std::string thread_name() {
    std::array<char, 64> name{};
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    return name.data();
}

StackBounds find_stack_of_this_thread() noexcept {
    StackBounds bounds;
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
        void* lowest = nullptr;
        std::size_t size = 0;
        if (::pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
            bounds.begin = reinterpret_cast<std::uintptr_t>(lowest);
            bounds.end = bounds.begin + size;
        }
        ::pthread_attr_destroy(&attributes);
    }
    return bounds;
}

std::optional<int> thread_clock() noexcept {
    clockid_t clock{};
    return ::pthread_getcpuclockid(::pthread_self(), &clock) == 0 ? std::optional<int>(clock) : std::nullopt;
}

std::chrono::nanoseconds time_of_thread(int clock) noexcept {
    timespec time{};
    ::clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

int timer_slack() noexcept {
    return ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
}

void set_timer_slack(int nanoseconds) noexcept {
    ::prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0);
}

Thread::Thread(const char* name, std::function<void()> body, std::size_t stack) {
    static const bool waits = at_fork(&wait_for_starting_threads, nullptr, [] { starting = 0; });
    static_cast<void>(waits);
    auto start = std::make_unique<Start>(Start{name, std::move(body)});
    const Attributes attributes(stack);
    int code = attributes.error();
    if (code == 0) {
        const SignalsBlocked blocked;
        starting.fetch_add(1);
        code = pthread_create(&thread_, attributes.get(), run, start.get());
        if (code != 0) {
            starting.fetch_sub(1);
        }
    }
    if (code != 0) {
        throw Error(Code::out_of_memory,
                    std::string("The thread ") + name + " with " + std::to_string(stack) +
                        " bytes of stack could not be started: " + std::generic_category().message(code),
                    SourceLocation{});
    }
    static_cast<void>(start.release()); // Owned by the thread now.
    owned_ = true;
}

Thread::Thread(Thread&& other) noexcept
    : thread_(other.thread_), owned_(std::exchange(other.owned_, false)) {}

Thread& Thread::operator=(Thread&& other) noexcept {
    std::swap(thread_, other.thread_);
    std::swap(owned_, other.owned_);
    return *this;
}

Thread::~Thread() {
    detach();
}

bool Thread::on_any() noexcept {
    return is_librarys;
}

void Thread::join() {
    if (std::exchange(owned_, false)) {
        pthread_join(thread_, nullptr);
    }
}

void Thread::detach() {
    if (std::exchange(owned_, false)) {
        pthread_detach(thread_);
    }
}

} // namespace ferry::detail
