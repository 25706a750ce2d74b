// SPDX-License-Identifier: Apache-2.0
// Unstaged copies from or to host memory that is unmapped or write-protected. Ferry does not check this in
// advance. Either the driver rejects the copy, or the copying thread faults and the program's own handler
// runs.
#include "children.hpp"
#include "devices.hpp"
#include "system/pages.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <span>

namespace host_pages_test {

using namespace conformance;

namespace {

const std::size_t page = ferry::detail::page_size();
const std::size_t size = 5 * page;
constexpr int told = 60;
const std::uint8_t* pages = nullptr;

void handle(int /*signal*/, siginfo_t* info, void* /*context*/) {
    const auto* const at = static_cast<const std::uint8_t*>(info->si_addr);
    _exit(at >= pages + 2 * page && at < pages + 3 * page ? told : 1);
}

enum class Kind : std::uint8_t { range, box, batch };

/// Exits with `told` if the handler gets a fault in the third page, or if the queue throws an Error.
int copy(const ferry::Device& device, Kind kind, bool up) {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> buffer{device, size};
    auto* const data = static_cast<std::uint8_t*>(
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (static_cast<void*>(data) == MAP_FAILED) {
        return 2;
    }
    const std::span<std::uint8_t> host(data, size);
    const auto enqueue = [&] {
        const ferry::Extent extent{255, size / 256};
        const ferry::Pitches pitches{.row = 256};
        ferry::Batch batch;
        switch (kind) {
        case Kind::range:
            up ? queue.copy(host, buffer) : queue.copy(buffer, host);
            break;
        case Kind::box:
            up ? queue.copy(ferry::HostBox{host, extent, pitches}, ferry::Box{buffer.view(), extent, pitches})
               : queue.copy(ferry::Box{buffer.view(), extent, pitches},
                            ferry::HostBox{host, extent, pitches});
            break;
        case Kind::batch:
            for (std::size_t at = 0; at < size; at += page) {
                up ? batch.copy(host.subspan(at, page), buffer.subview(at, page))
                   : batch.copy(buffer.subview(at, page), host.subspan(at, page));
            }
            queue.copy(batch);
            break;
        }
        queue.finish();
    };
    queue.fill(buffer, std::uint8_t{1});
    enqueue(); // a copy without a fault loads everything first, so that no later mapping fills the hole
    pages = data;
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
    if (mprotect(data + 2 * page, page, up ? PROT_NONE : PROT_READ) != 0) {
        return 3;
    }
    try {
        enqueue();
    } catch (const ferry::Error&) {
        return told;
    }
    return 4;
}

template <Kind kind, bool up>
int copy_body(const ferry::Device& device) {
    return copy(device, kind, up);
}

const ChildRegistration bodies[] = {
    {"pages range up", copy_body<Kind::range, true>}, {"pages range down", copy_body<Kind::range, false>},
    {"pages box up", copy_body<Kind::box, true>},     {"pages box down", copy_body<Kind::box, false>},
    {"pages batch up", copy_body<Kind::batch, true>}, {"pages batch down", copy_body<Kind::batch, false>},
};

} // namespace

FERRY_TEST(
    "host pages: a source that must not be read is a fault that the program's handler sees, or an error") {
    for (const char* const kind : {"pages range up", "pages box up", "pages batch up"}) {
        check_child(kind, device, told);
    }
}

FERRY_TEST("host pages: so is a destination that must not be written") {
    for (const char* const kind : {"pages range down", "pages box down", "pages batch down"}) {
        check_child(kind, device, told);
    }
}

} // namespace host_pages_test
