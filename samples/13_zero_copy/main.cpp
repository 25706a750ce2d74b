// SPDX-License-Identifier: Apache-2.0
#include "memories.hpp"
#include "sample.hpp"
#include "zero_copy.cl.hpp"

#include <algorithm>
#include <string_view>

namespace {

using Word = std::uint32_t;

// Runs the kernel with both its input and its output shared, and checks the result.
void check(sample::Session& session, ferry::Queue& queue, const ferry::Kernel& kernel, const Memory& memory,
           ferry::Placements allowed, std::string_view what) {
    const std::span<const Word> in = memory.words();
    std::vector<Word> out(in.size());
    std::string explained;
    {
        const ferry::ShareOptions options{.allowed = allowed};
        const auto shared_in = ferry::share(session.device, in, ferry::Access::device_reads, options);
        const auto shared_out = ferry::share(session.device, out, ferry::Access::device_writes);
        const std::size_t group = std::min<std::size_t>(128, session.device.info().max_group_size);
        queue.launch(kernel, ferry::Grid::covering(in.size(), group), shared_in, shared_out,
                     static_cast<std::uint32_t>(in.size()));
        const auto result = shared_out.host(queue); // waits, and copies the result back if it is elsewhere
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (result[i] != 2 * in[i] + 1) {
                throw sample::Failure(
                    fmt::format("{}: element {} is {}, expected {}", what, i, result[i], 2 * in[i] + 1));
            }
        }
        const ferry::Explanation why = shared_in.explain();
        explained = ferry::one_line(why);
        for (const std::string& hint : why.hints) {
            explained += "\n  hint: " + hint;
        }
    }
    session.say("{:<22} {}", what, explained);
}

void zero_copy(sample::Session& session) {
    const ferry::Device& device = session.device;
    ferry::Queue queue{device};
    const ferry::Program program{device, kernels::zero_copy_cl};
    const ferry::Kernel kernel = program.kernel("twice_plus_one");
    const std::vector<Word> random = session.random_values<Word>(session.size);

    // The same lines serve every kind of memory. share() takes the cheapest correct placement for it.
    for (const auto& memory : all_memories(device, random)) {
        check(session, queue, kernel, *memory, ferry::Placements::all(), memory->name());
    }

    // Forces each placement in turn. It is taken, or refused with the reason.
    const std::unique_ptr<Memory> memory = vector_memory(random);
    for (const ferry::Placement placement :
         {ferry::Placement::alias, ferry::Placement::link, ferry::Placement::migrate, ferry::Placement::copy,
          ferry::Placement::stage}) {
        const std::string what = fmt::format("{} only", ferry::to_string(placement));
        try {
            check(session, queue, kernel, *memory, placement, what);
        } catch (const ferry::Error& error) {
            if (error.code() != ferry::Code::unsupported) {
                throw;
            }
            session.say("{:<22} {}", what, error.what());
        }
    }

    // The level below share(): the caller's memory as a kernel argument, if the device accepts it.
    try {
        std::vector<Word> data = random;
        const ferry::Imported<Word> imported{device, data};
        queue.launch(kernel, ferry::Grid::covering(data.size(), 64), imported, imported,
                     static_cast<std::uint32_t>(data.size()));
        queue.finish();
        std::vector<Word> wanted = random;
        std::for_each(wanted.begin(), wanted.end(), [](Word& word) { word = 2 * word + 1; });
        sample::expect_equal(data, wanted, "imported memory");
        session.say("{:<22} used in place", "imported by hand");
    } catch (const ferry::Error& error) {
        if (error.code() != ferry::Code::unsupported) {
            throw;
        }
        session.say("{:<22} {}", "imported by hand", error.what());
    }
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"13_zero_copy", "The processor's memory, mapped into a device, with every fallback",
                    1 << 18, "elements"};
    return app.run(argc, argv, zero_copy);
}
