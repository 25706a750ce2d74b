// SPDX-License-Identifier: Apache-2.0
#include "one_allocation.cl.hpp"
#include "sample.hpp"

#include <optional>
#include <utility>

namespace {

using Word = std::uint32_t;

constexpr Word first_seed = 12345;
constexpr Word second_seed = 67890;

/// One device with its queue and kernel.
struct Side {
    explicit Side(const ferry::Device& on)
        : device(on), queue(on), kernel(ferry::Program{on, kernels::one_allocation_cl}.kernel("step")) {}

    template <class Data>
    void step(Data&& data, std::size_t count, Word seed) {
        queue.launch(kernel, ferry::Grid::covering(count, 64), data, static_cast<Word>(count), seed);
    }

    ferry::Device device;
    ferry::Queue queue;
    ferry::Kernel kernel;
};

std::vector<Word> expected(std::vector<Word> values, const std::vector<Word>& seeds) {
    for (const Word seed : seeds) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = values[i] * 1664525U + seed + static_cast<Word>(i);
        }
    }
    return values;
}

/// Memory of a Vulkan device, and the same memory on a device of CUDA or HIP.
struct Both {
    Side vulkan, other;
    ferry::Exported<Word> memory;
    ferry::Buffer<Word> seen;
};

/// Tries the pair. If it cannot share memory, adds the reason.
std::optional<Both> try_pair(const ferry::Device& vulkan, const ferry::Device& other, std::size_t count,
                             std::string& why) {
    try {
        ferry::Exported<Word> memory{vulkan, count};
        ferry::Buffer<Word> seen = memory.on(other);
        return Both{Side{vulkan}, Side{other}, std::move(memory), std::move(seen)};
    } catch (const ferry::Error& error) {
        if (error.code() != ferry::Code::unsupported) {
            throw;
        }
        why = error.what();
        return std::nullopt;
    }
}

std::optional<Both> find_pair(std::size_t count, std::string& why) {
    const std::vector<ferry::Device> devices = ferry::all_devices();
    for (const ferry::Device& vulkan : devices) {
        for (const ferry::Device& other : devices) {
            const bool fits =
                vulkan.backend() == ferry::Backend::vulkan &&
                (other.backend() == ferry::Backend::cuda || other.backend() == ferry::Backend::hip);
            if (fits) {
                if (auto both = try_pair(vulkan, other, count, why)) {
                    return both;
                }
            }
        }
    }
    return std::nullopt;
}

/// Both devices work on one allocation, in turn.
void in_place(sample::Session& session, Both& both, const std::vector<Word>& random) {
    both.vulkan.queue.copy(random, both.memory.view());
    both.vulkan.step(both.memory.view(), random.size(), first_seed);
    both.other.queue.wait(both.vulkan.queue.record());
    both.other.step(both.seen, random.size(), second_seed);
    both.vulkan.queue.wait(both.other.queue.record());
    both.vulkan.step(both.memory.view(), random.size(), first_seed);
    const std::vector<Word> result = both.vulkan.queue.read(both.memory.view());
    sample::expect_equal(result, expected(random, {first_seed, second_seed, first_seed}), "one allocation");
    session.say("{} and {} used one allocation of {} bytes in turn: 0 bytes copied between them",
                both.vulkan.device.id(), both.other.device.id(), both.memory.size_bytes());
}

/// The program and a device work on memory of the program, in turn. This works on every device.
void shared(sample::Session& session, const std::vector<Word>& random) {
    Side side{session.device};
    std::vector<Word> data = random;
    {
        const auto share = ferry::share(session.device, data, ferry::Access::device_updates);
        side.step(share, data.size(), first_seed);
        {
            const auto host = share.host(side.queue, ferry::HostAccess::read_write);
            for (std::size_t i = 0; i < host.size(); ++i) {
                host[i] = host[i] * 1664525U + second_seed + static_cast<Word>(i);
            }
        }
        side.step(share, data.size(), first_seed);
        const auto result = share.host(side.queue);
        sample::expect_equal(std::vector<Word>(result.begin(), result.end()),
                             expected(random, {first_seed, second_seed, first_seed}), "share()");
        const ferry::Explanation why = share.explain();
        session.say("share() instead, with the processor: {}", ferry::one_line(why));
        session.say("{} bytes copied", why.bytes_up + why.bytes_down);
        session.measured("bytes_copied", static_cast<double>(why.bytes_up + why.bytes_down));
    }
}

void one_allocation(sample::Session& session) {
    const std::vector<Word> random = session.random_values<Word>(session.size);
    std::string why;
    if (auto both = find_pair(session.size, why)) {
        in_place(session, *both, random);
        return;
    }
    session.say("One allocation for Vulkan and CUDA or HIP needs a GPU with the drivers of both.");
    if (!why.empty()) {
        session.say("  {}", why);
    }
    shared(session, random);
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"21_one_allocation",
                    "One allocation that Vulkan and CUDA or HIP use in turn, without a copy", 1 << 18,
                    "elements"};
    return app.run(argc, argv, one_allocation);
}
