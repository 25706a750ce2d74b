// SPDX-License-Identifier: Apache-2.0
// A buffer may be destroyed while a command of any kind still reads or writes it. Its memory must not be
// reused before that command is complete.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "memory/memory_state.hpp"
#include "queue/queue_state.hpp"
#include "random.hpp"
#include "staged.hpp"

#include <ferry/file.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace pool_late_test {

using namespace conformance;
using ferry::Box;
using ferry::Buffer;
using ferry::HostBox;

namespace {

constexpr std::uint32_t columns = 61;
constexpr std::uint32_t rows = 1009;
constexpr std::uint32_t size = columns * rows; // elements
constexpr std::size_t staged_size =
    2 * Staged::slot / sizeof(std::uint32_t) + 7; // fits into 3 slots; every ring has as many
static_assert(staged_size < size);
using Values = std::vector<std::uint32_t>;

/// Host memory whose copies do not block in the call that enqueues them, if the device has such memory.
class HostValues {
public:
    explicit HostValues(const ferry::Device& device) : ordinary_(size) {
        if (device.backend() != ferry::Backend::opencl && device.has(ferry::MemoryKind::host)) {
            locked_.emplace(device, size, ferry::MemoryKind::host);
        }
    }
    std::span<std::uint32_t> span() { return locked_ ? locked_->span() : std::span(ordinary_); }
    void set(const Values& values) { std::ranges::copy(values, span().begin()); }
    Values get() { return {span().begin(), span().end()}; }

private:
    Values ordinary_;
    std::optional<Buffer<std::uint32_t>> locked_;
};

/// A temporary file, removed at the end.
class Path {
public:
    Path() { close(mkstemp(name_)); }
    Path(const Path&) = delete;
    Path& operator=(const Path&) = delete;
    ~Path() { unlink(name_); }
    const char* get() const { return name_; }

private:
    char name_[sizeof "/tmp/ferry-pool-XXXXXX"] = "/tmp/ferry-pool-XXXXXX";
};

/// Slow work for a queue.
class Delay {
public:
    explicit Delay(const ferry::Device& device) : scratch_(device, 64) {}
    void operator()(ferry::Queue& queue) const {
        queue.launch(kernel(queue.device(), "spin"), {1, 64}, scratch_, rounds_);
    }
    void shortest() { rounds_ = first_rounds; }
    /// Up to about 0.1 s with a compiler that makes vectors of the 64 work-items, 1 s without, so that a
    /// thread that waits for a busy processor is not later.
    void longer() { rounds_ = std::min(rounds_ * 2, 16'000'000U); }

private:
    static constexpr std::uint32_t first_rounds = 40'000;

    mutable Buffer<std::uint32_t> scratch_;
    std::uint32_t rounds_ = first_rounds;
};

/// While it is shut, enqueued commands wait on the host.
class Gate {
public:
    explicit Gate(const ferry::Device& device) : scratch_(device, 1) {}
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    ~Gate() { open(); }
    void shut(ferry::Queue& queue) {
        open_ = std::make_shared<std::atomic<bool>>(false);
        const auto wait = [open = open_](const auto&, std::uint64_t) {
            while (!*open) {
                std::this_thread::yield();
            }
        };
        queue.state(ferry::SourceLocation::current())
            .carry(scratch_.region(), wait, ferry::SourceLocation::current());
    }
    void open() const {
        if (open_ != nullptr) {
            *open_ = true;
        }
    }

private:
    Buffer<std::uint32_t> scratch_;
    std::shared_ptr<std::atomic<bool>> open_;
};

/// The objects used by a command.
struct Scene {
    /// The destroyed buffers are on `of`, the late queue is on `at`, and its other buffers are on `other`.
    Scene(const ferry::Device& of, const ferry::Device& at, const ferry::Device& other)
        : device(of),
          late(at),
          queue(of),
          there(other),
          source(other, size),
          target(other, size),
          host(of),
          back(of),
          delay(at),
          gate(at) {}

    /// Call this once before the command. Everything enqueued afterwards is late.
    void hold() {
        if (held_back) {
            gate.shut(late);
        }
        delay(late);
    }

    ferry::Device device;
    ferry::Queue late;
    ferry::Queue queue;
    ferry::Queue there;
    Values data;
    Buffer<std::uint32_t> source; ///< holds the data
    Buffer<std::uint32_t> target;
    HostValues host; ///< holds the data
    HostValues back;
    Values ordinary; ///< a copy of the data
    Values ordinary_back;
    Path file;
    Path file_back;
    Delay delay;
    Gate gate;
    bool held_back = false;
    // These two are destroyed after the command was enqueued.
    std::optional<Buffer<std::uint32_t>> read; ///< holds the data
    std::optional<Buffer<std::uint32_t>> written;
    std::optional<ferry::Recording> recording;
    std::vector<Buffer<std::uint32_t>> others;
};

/// When a command releases its buffers. The device may still use them then.
enum class Leaves : std::uint8_t {
    at_once,
    soon,  ///< a thread of the library enqueues it first
    never, ///< a thread of the library waits for its end
};

struct Kind {
    const char* name;
    Leaves leaves;
    void (*enqueue)(Scene&);
    /// If the command reads `read`: returns its result, which is the data times `factor`. Otherwise null.
    Values (*seen)(Scene&) = nullptr;
    std::uint32_t factor = 1;
    /// Whether a call waits for the command, so that it is not late.
    bool (*waits)(const ferry::Device&) = [](const ferry::Device&) { return false; };
};

Values seen_in_target(Scene& s) {
    return s.there.read(s.target);
}
Values seen_in_back(Scene& s) {
    return s.back.get();
}
Values seen_in_ordinary(Scene& s) {
    return s.ordinary_back;
}
Values seen_in_file(Scene& s) {
    Values values(size);
    std::ifstream in(s.file_back.get(), std::ios::binary);
    in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(size * sizeof(values[0])));
    return values;
}

void launch(Scene& s) {
    s.hold();
    const auto grid = ferry::Grid::covering(size, 64);
    s.late.launch(kernel(s.device, "iota"), grid, *s.written, size, 1U);
    s.late.launch(kernel(s.device, "combine"), grid, *s.read, *s.read, s.target, size);
}

void fill(Scene& s) {
    s.hold();
    s.late.fill(*s.written, 4711U);
}

void copy_buffers(Scene& s) {
    s.hold();
    s.late.copy(s.source, *s.written);
    s.late.copy(*s.read, s.target);
}

void copy_host(Scene& s) {
    s.hold();
    s.late.copy(s.host.span(), *s.written);
    s.late.copy(*s.read, s.back.span());
}

/// All columns except the last, so that a box differs from a range.
template <template <class> class Box, class End>
auto box(End&& end) {
    return Box<std::uint32_t>{end, {columns - 1, rows}, {.row = columns * sizeof(std::uint32_t)}};
}

void copy_box_host(Scene& s) {
    s.hold();
    s.late.copy(box<HostBox>(s.host.span()), box<Box>(s.written->view()));
    s.late.copy(box<Box>(s.read->view()), box<HostBox>(s.back.span()));
}

void copy_box_buffers(Scene& s) {
    s.hold();
    s.late.copy(box<Box>(s.source.view()), box<Box>(s.written->view()));
    s.late.copy(box<Box>(s.read->view()), box<Box>(s.target.view()));
}

void copy_batch(Scene& s) {
    s.hold();
    ferry::Batch batch;
    constexpr std::size_t pieces = 7;
    for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t first = i * size / pieces;
        const std::size_t count = (i + 1) * size / pieces - first;
        if (i % 2 == 0) {
            batch.copy(s.host.span().subspan(first, count), s.written->subview(first, count));
        } else {
            batch.copy(s.source.subview(first, count), s.written->subview(first, count));
        }
        batch.copy(s.read->subview(first, count), s.target.subview(first, count));
    }
    s.late.copy(batch);
}

template <class Commands>
void replay(Scene& s, const Commands& commands) {
    s.recording.emplace(s.device, commands);
    s.hold();
    s.late.replay(*s.recording);
}

/// The recording then gets other buffers.
void replay_launch(Scene& s) {
    const auto grid = ferry::Grid::covering(size, 64);
    ferry::Step writes;
    ferry::Step reads;
    replay(s, [&](ferry::Recorder& record) {
        writes = record.launch(kernel(s.device, "iota"), grid, *s.written, size, 1U);
        reads = record.launch(kernel(s.device, "combine"), grid, *s.read, *s.read, s.target, size);
    });
    s.recording->set(writes, 0, s.target);
    s.recording->set(reads, 0, s.source);
    s.recording->set(reads, 1, s.source);
}

void replay_fill(Scene& s) {
    replay(s, [&](ferry::Recorder& record) { record.fill(*s.written, 4711U); });
}

void replay_copy(Scene& s) {
    replay(s, [&](ferry::Recorder& record) {
        record.copy(s.source, *s.written);
        record.copy(*s.read, s.target);
    });
}

void replay_host(Scene& s) {
    replay(s, [&](ferry::Recorder& record) {
        record.copy(s.host.span(), *s.written);
        record.copy(*s.read, s.back.span());
    });
}

void unmap(Scene& s) {
    auto mapping = s.written->map(s.late, ferry::Map::discard);
    std::ranges::copy(s.data, mapping.begin());
    s.hold();
    mapping.unmap();
}

constexpr Kind straight_kinds[] = {
    {"a launch", Leaves::at_once, launch, seen_in_target, 4},
    {"a fill", Leaves::at_once, fill},
    {"a copy within the device", Leaves::at_once, copy_buffers, seen_in_target},
    {"a copy of host memory", Leaves::at_once, copy_host, seen_in_back},
    {"a box within the device", Leaves::at_once, copy_box_buffers, seen_in_target},
    {"a box of host memory", Leaves::at_once, copy_box_host, seen_in_back},
    {"a batch", Leaves::at_once, copy_batch, seen_in_target},
    {"a recorded launch", Leaves::at_once, replay_launch, seen_in_target, 4},
    {"a recorded fill", Leaves::at_once, replay_fill},
    {"a recorded copy", Leaves::at_once, replay_copy, seen_in_target, 1,
     // because of the graph
     [](const ferry::Device& device) { return device.backend() == ferry::Backend::hip; }},
    {"a recorded copy of host memory", Leaves::at_once, replay_host, seen_in_back},
    {"the end of a mapping", Leaves::at_once, unmap, nullptr, 1,
     [](const ferry::Device& device) {
         return device.backend() == ferry::Backend::hip || device.backend() == ferry::Backend::cuda;
     }},
};

constexpr Kind kinds_between[] = {
    {"a copy", Leaves::never, copy_buffers, seen_in_target},
    {"a box", Leaves::never, copy_box_buffers, seen_in_target},
};

constexpr Kind carried_kinds[] = {
    {"a staged copy to the device", Leaves::soon,
     [](Scene& s) {
         s.hold();
         s.late.copy(std::span(s.ordinary).first(staged_size), s.written->first(staged_size));
     }},
    {"a staged copy from the device", Leaves::never,
     [](Scene& s) {
         s.hold();
         s.late.copy(*s.read, s.ordinary_back);
     },
     seen_in_ordinary},
    {"a recorded staged copy", Leaves::soon,
     [](Scene& s) {
         replay(s, [&](ferry::Recorder& record) {
             record.copy(std::span(s.ordinary).first(staged_size), s.written->first(staged_size));
         });
     }},
    {"a file to the device", Leaves::never,
     [](Scene& s) {
         std::ofstream(s.file.get(), std::ios::binary)
             .write(reinterpret_cast<const char*>(s.data.data()),
                    static_cast<std::streamsize>(size * sizeof(s.data[0])));
         s.hold();
         ferry::read_file(s.late, s.file.get(), *s.written);
     }},
    {"a file from the device", Leaves::never,
     [](Scene& s) {
         s.hold();
         ferry::write_file(s.late, *s.read, s.file_back.get(), {.offset = 0});
     },
     seen_in_file},
};

enum class Seen : std::uint8_t {
    over,  ///< complete before other commands used memory
    begun, ///< not complete when the other commands began
    late,  ///< not complete when the other commands were done
};

/// Allocates other buffers of that size and fills them on another queue.
Seen fill_others(Scene& s) {
    Buffer<std::uint32_t> one{s.device, size};
    Buffer<std::uint32_t> other{s.device, size};
    s.queue.fill(one, 7U);
    s.queue.fill(other, 8U);
    s.queue.flush();
    const bool begun = !s.late.idle();
    s.queue.finish();
    const bool late = !s.late.idle();
    s.others.push_back(std::move(one));
    s.others.push_back(std::move(other));
    return late ? Seen::late : begun ? Seen::begun : Seen::over;
}

Seen run(Scene& s, const Kind& kind) {
    s.device.pool().trim(); // makes the buffers' memory the best fit once it is free
    s.data = random_values<std::uint32_t>(size);
    s.ordinary = s.data;
    s.host.set(s.data);
    s.ordinary_back.assign(size, 0xa5a5a5a5);
    s.back.set(s.ordinary_back);
    s.read.emplace(s.device, size);
    s.written.emplace(s.device, size);
    s.queue.copy(s.data, *s.read);
    s.queue.fill(*s.written, 5U);
    s.queue.finish();
    s.there.copy(s.data, s.source);
    s.there.fill(s.target, 0xa5a5a5a5U);
    s.there.finish();
    kind.enqueue(s);
    s.late.flush();
    if (s.recording && kind.enqueue != replay_launch) {
        s.recording.reset();
    }
    const std::weak_ptr<ferry::detail::Memory> gone[] = {s.read->region().memory->weak_from_this(),
                                                         s.written->region().memory->weak_from_this()};
    s.read.reset();
    s.written.reset();
    const auto is_free = [&] { return gone[0].expired() && gone[1].expired(); };
    if (s.held_back) {
        if (kind.leaves != Leaves::at_once || s.device.pool().enabled()) {
            CHECK(!is_free());
        }
        fill_others(s);
        s.gate.open();
    }
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    // no sleep, because it might be longer than the delay
    while (kind.leaves != Leaves::never && !is_free()) {
        REQUIRE(std::chrono::steady_clock::now() < patience);
        std::this_thread::yield();
    }
    const Seen result = fill_others(s);
    s.late.finish();
    std::uint32_t wanted = 7;
    for (const Buffer<std::uint32_t>& other : s.others) {
        check_same(s.queue.read(other), Values(size, wanted));
        wanted = 15 - wanted;
    }
    s.others.clear();
    if (kind.seen != nullptr) {
        Values seen = kind.seen(s);
        for (std::uint32_t i = 0; i < size; ++i) {
            s.data[i] *= kind.factor;
            if (std::string_view(kind.name).find("a box") == 0 && i % columns == columns - 1) {
                CHECK(seen[i] == 0xa5a5a5a5);
                seen[i] = s.data[i];
            }
        }
        check_same(seen, s.data);
    }
    return result;
}

void check_kinds(Scene& scene, std::span<const Kind> kinds) {
    const ferry::Device& device = scene.device;
    for (const Kind& kind : kinds) {
        INFO(std::string(kind.name));
        // Without a pool, the end of a buffer waits for the device.
        const bool may_be = device.pool().enabled() && !kind.waits(device);
        scene.delay.shortest();
        constexpr int enough = 4; // a processor may do the work of both queues one after the other
        int late = 0;
        for (int round = 0; round < (may_be ? 30 : 1) && late < enough; ++round) {
            const Seen seen = run(scene, kind);
            late += seen == Seen::late ? enough : seen == Seen::begun ? 1 : 0;
            if (seen == Seen::over && may_be) {
                scene.delay.longer();
            }
        }
        CHECK_MESSAGE((late > 0 || !may_be), "it was never late, so nothing was tested");
    }
}

} // namespace

FERRY_TEST("pool, late: a command of any kind keeps the memory of destroyed buffers") {
    Scene scene{device, device, device};
    check_kinds(scene, straight_kinds);
}

FERRY_TEST("pool, late: so does one that was held back on the host before") {
    Scene scene{device, device, device};
    scene.held_back = true;
    check_kinds(scene, straight_kinds);
}

FERRY_TEST("pool, late: so does one that a thread of the library carries out") {
    const Staged staged;
    Scene scene{device, device, device};
    check_kinds(scene, carried_kinds);
}

FERRY_PAIR_TEST("pool between devices: so does a copy or a box, whichever of the two carries it") {
    Scene here{from, from, to};
    check_kinds(here, kinds_between);
    Scene there{from, to, to};
    check_kinds(there, kinds_between);
}

} // namespace pool_late_test
