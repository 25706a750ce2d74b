// SPDX-License-Identifier: Apache-2.0
#include "direct_access.cl.hpp"
#include "sample.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace {

using Word = std::uint32_t;

// One way to access a kernel's data from the host: write, launch and read, checked and timed.
template <class Write, class Launch, class Read>
void time_way(sample::Session& session, std::string_view way, Write write, Launch launch, Read read) {
    const auto bytes = static_cast<double>(session.size * sizeof(Word));
    double best[2] = {1e9, 1e9};
    for (Word round = 1; round <= 5; ++round) {
        const sample::Stopwatch writing;
        write(round);
        best[0] = std::min(best[0], writing.seconds());
        launch();
        const sample::Stopwatch reading;
        const std::optional<Word> wrong = read(round + 1);
        best[1] = std::min(best[1], reading.seconds());
        if (wrong) {
            throw sample::Failure(fmt::format("{}: an element is {}, expected {}", way, *wrong, round + 1));
        }
    }
    session.say("{:<34} host writes {:8.2f} GB/s, reads {:8.2f} GB/s", way, bytes / best[0] / 1e9,
                bytes / best[1] / 1e9);
    session.measured(fmt::format("{}_write_gb_s", way), bytes / best[0] / 1e9);
    session.measured(fmt::format("{}_read_gb_s", way), bytes / best[1] / 1e9);
}

std::optional<Word> first_other_than(Word wanted, std::span<const Word> words) {
    const auto wrong = std::find_if(words.begin(), words.end(), [&](Word word) { return word != wanted; });
    return wrong == words.end() ? std::nullopt : std::optional(*wrong);
}

void direct_access(sample::Session& session) {
    const ferry::Device& device = session.device;
    ferry::Queue queue{device};
    const ferry::Program program{device, kernels::direct_access_cl};
    const ferry::Kernel increment = program.kernel("increment");
    const auto n = static_cast<std::uint32_t>(session.size);
    const std::size_t group = std::min<std::size_t>(128, device.info().max_group_size);
    const ferry::Grid grid = ferry::Grid::covering(session.size, group);
    const auto launch = [&](const auto& memory) {
        queue.launch(increment, grid, memory, n);
        queue.finish();
    };

    // Memory kinds that the host accesses through a pointer. Check this first, because not every device has
    // them. A pointer works only if each side sees the other's writes after a kernel has ended.
    // Probe::declared asks the driver only; without it, the behaviour would also be measured, which takes 2 s
    // once.
    for (const ferry::MemoryKind kind : {ferry::MemoryKind::host, ferry::MemoryKind::shared}) {
        const std::string way = fmt::format("pointer to {} memory", ferry::to_string(kind));
        const ferry::MemoryCapabilities facts = device.capabilities(kind, ferry::Probe::declared);
        if (!facts.available) {
            session.say("{:<34} none: {}", way, facts.why_not);
            continue;
        }
        session.say("{:<34} reach {} ({}), coherence {} ({})", way, ferry::to_string(facts.reach.value),
                    facts.reach.source, ferry::to_string(facts.coherence.value), facts.coherence.source);
        if (facts.coherence.value < ferry::Coherence::kernel_boundary) {
            session.say("{:<34} not used: it takes a mapping for each turn", way);
            continue;
        }
        ferry::Buffer<Word> buffer{device, session.size, kind};
        time_way(
            session, way, [&](Word value) { std::ranges::fill(buffer.span(), value); },
            [&] { launch(buffer); }, [&](Word wanted) { return first_other_than(wanted, buffer.span()); });
    }

    // Device memory: a mapping is a pointer if the hardware has one, or else a copy in both directions.
    ferry::Buffer<Word> buffer{device, session.size};
    time_way(
        session, "mapping of device memory",
        [&](Word value) { std::ranges::fill(buffer.map(queue, ferry::Map::discard).span(), value); },
        [&] { launch(buffer); },
        [&](Word wanted) { return first_other_than(wanted, buffer.map(queue, ferry::Map::read).span()); });

    // Copies always work.
    std::vector<Word> host(session.size);
    time_way(
        session, "copies to and from device memory",
        [&](Word value) {
            std::ranges::fill(host, value);
            queue.copy_and_wait(host, buffer);
        },
        [&] { launch(buffer); },
        [&](Word wanted) {
            queue.copy_and_wait(buffer, host);
            return first_other_than(wanted, host);
        });

    // share() chooses among all of these.
    const auto shared = ferry::share(device, host, ferry::Access::device_updates);
    time_way(
        session, "share()",
        [&](Word value) { std::ranges::fill(shared.host(queue, ferry::HostAccess::write).span(), value); },
        [&] { launch(shared); },
        [&](Word wanted) { return first_other_than(wanted, shared.host(queue).span()); });
    session.say("{}", ferry::one_line(shared.explain()));
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"14_direct_access", "Device memory through a pointer, where the hardware allows it",
                    1 << 20, "elements"};
    return app.run(argc, argv, direct_access);
}
