// SPDX-License-Identifier: Apache-2.0
#include "system/fault.hpp"

#include "system/arm_syndrome.hpp"

#include <ucontext.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <mutex>

namespace ferry::detail {
namespace {

struct Trap {
    sigjmp_buf back;
    Fault fault;
    Trap* outer;
};

// initial-exec, because otherwise a signal handler must not be the first to access it in its thread.
__attribute__((tls_model("initial-exec"))) thread_local Trap* current_trap = nullptr;

DescribeFault describe_fault = nullptr; // Set before the handler.
struct sigaction previous_segv;
struct sigaction previous_bus;
struct sigaction previous_fpe;

Fault::Kind kind_of([[maybe_unused]] const void* context) noexcept {
#if defined(__x86_64__)
    const auto* const c = static_cast<const ucontext_t*>(context);
    return (c->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? Fault::Kind::write : Fault::Kind::read;
#elif defined(__aarch64__)
    const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
    const auto write = is_write(machine.__reserved, sizeof machine.__reserved);
    return !write ? Fault::Kind::access : *write ? Fault::Kind::write : Fault::Kind::read;
#else
    return Fault::Kind::access;
#endif
}

void hand_on(int signal, siginfo_t* info, void* context) noexcept {
    const struct sigaction& before = signal == SIGBUS   ? previous_bus
                                     : signal == SIGFPE ? previous_fpe
                                                        : previous_segv;
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    } else {
        struct sigaction usual {};
        usual.sa_handler = SIG_DFL;
        sigaction(signal, &usual, nullptr);
        if (info->si_code <= 0) { // Sent by a process; a real fault would occur again.
            raise(signal);
        }
    }
}

void on_fault(int signal, siginfo_t* info, void* context) noexcept {
    if (signal == SIGFPE) { // Its address is one of code.
        if (info->si_code == FPE_INTDIV || info->si_code == FPE_INTOVF) {
            end_trapped({0, Fault::Kind::division});
        }
    } else if (info->si_code > 0) {
        const Fault fault{reinterpret_cast<std::uintptr_t>(info->si_addr), kind_of(context)};
        end_trapped(fault);
        describe_fault(fault);
    }
    hand_on(signal, info, context);
}

// A kernel may have blocked them, and a blocked fault ends the process.
void let_faults_in() noexcept {
    thread_local bool done = false;
    if (!done) {
        done = true;
        sigset_t faults;
        sigemptyset(&faults);
        sigaddset(&faults, SIGSEGV);
        sigaddset(&faults, SIGBUS);
        sigaddset(&faults, SIGFPE);
        pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
    }
}

} // namespace

void install_fault_handler(DescribeFault describe) {
    static std::once_flag once;
    std::call_once(once, [describe] {
        describe_fault = describe;
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigaction(SIGSEGV, &action, &previous_segv);
        sigaction(SIGBUS, &action, &previous_bus);
        sigaction(SIGFPE, &action, &previous_fpe);
    });
}

void end_trapped(const Fault& fault) {
    if (Trap* const trap = current_trap) {
        trap->fault = fault;
        siglongjmp(trap->back, 1);
    }
}

void write_error(const char* text, std::size_t bytes) noexcept {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, bytes);
}

bool trapped(void (*work)(void* context), void* context, Fault& fault) {
    let_faults_in();
    Trap trap;
    trap.outer = current_trap;
    struct Leave {
        Trap* outer;
        ~Leave() { current_trap = outer; }
    } const leave{trap.outer};
    if (sigsetjmp(trap.back, 0) != 0) {
        fault = trap.fault;
        return false;
    }
    current_trap = &trap;
    work(context);
    return true;
}

} // namespace ferry::detail
