// SPDX-License-Identifier: Apache-2.0
#include "cost.hpp"
#include "growth.hpp"
#include "methods.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "sample.hpp"
#include "system_calls.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace {

constexpr std::size_t smallest = 4 << 10;
constexpr int counted_copies = 4;
constexpr const char* to_be_counted = "--to-be-counted"; // the sample starts itself again with this option

struct Row {
    std::size_t bytes;
    Cost cost;
    std::optional<double> system_calls;
};

struct Series {
    Methods::Method method;
    std::vector<Row> rows;
};

std::vector<std::size_t> sizes_up_to(std::size_t largest) {
    std::vector<std::size_t> sizes;
    for (std::size_t bytes = smallest; bytes <= largest; bytes *= 4) {
        sizes.push_back(bytes);
    }
    return sizes;
}

// The program watched by count_system_calls(). Its arguments are DEVICE LARGEST.
int be_counted(const std::string& device, std::size_t largest) {
    Methods methods{ferry::find_device(device), largest};
    for (const Methods::Method& method : methods.all()) {
        for (const std::size_t bytes : sizes_up_to(largest)) {
            methods.copy(method.way, bytes);
            mark();
            for (int i = 0; i < counted_copies; ++i) {
                methods.copy(method.way, bytes);
            }
            mark();
        }
    }
    return 0;
}

void count(sample::Session& session, std::vector<Series>& all, std::size_t largest) {
    std::string why_not;
    const auto counts = count_system_calls(
        {"sample_12", to_be_counted, session.device.id(), std::to_string(largest)}, why_not);
    std::size_t rows = 0;
    for (const Series& series : all) {
        rows += series.rows.size();
    }
    if (!counts || counts->size() != rows) {
        session.say(
            "System calls could not be counted ({}); switches are times a thread waited, by getrusage",
            counts ? "marks are missing" : why_not);
        return;
    }
    auto next = counts->begin();
    for (Series& series : all) {
        for (Row& row : series.rows) {
            row.system_calls = static_cast<double>(*next++) / counted_copies;
        }
    }
    session.say("System calls were counted with ptrace, in a run of their own");
}

void print(const sample::Session& session, const Series& series) {
    session.say("\n{:<16} {:>11} {:>11} {:>11} {:>12} {:>13} {:>10}", series.method.name, "wall us",
                "user us", "system us", "page faults", "system calls", "switches");
    for (const Row& row : series.rows) {
        session.say("{:>16} {:>11.1f} {:>11.1f} {:>11.2f} {:>12.1f} {:>13} {:>10.1f}",
                    plot::bytes_text(static_cast<double>(row.bytes)), row.cost.wall_us, row.cost.user_us,
                    row.cost.system_us, row.cost.page_faults,
                    row.system_calls ? fmt::format("{:.1f}", *row.system_calls) : "-", row.cost.switches);
    }
}

// The growth of one value of the rows; up to `noise` it cannot be distinguished from 0.
template <typename Noise, typename Value>
Growth growth(const Series& series, Noise noise, Value value) {
    std::vector<Sample> samples;
    for (const Row& row : series.rows) {
        samples.push_back({static_cast<double>(row.bytes), value(row), noise(row)});
    }
    return growth_of(samples);
}

Growth growth_of_system_time(const Series& series) {
    const auto noise = [](const Row& row) { return row.cost.noise_us; };
    return growth(series, noise, [](const Row& row) { return row.cost.system_us; });
}

void conclude(sample::Session& session, const std::vector<Series>& all) {
    for (const Series& series : all) {
        const Row& first = series.rows.front();
        const Row& last = series.rows.back();
        if (series.rows.size() < 2) {
            continue;
        }
        const auto half = [](const Row&) { return 0.5; };
        session.say("\n{}, for one copy of {} to {}:", series.method.name,
                    plot::bytes_text(static_cast<double>(first.bytes)),
                    plot::bytes_text(static_cast<double>(last.bytes)));
        session.say("  microseconds in the kernel: {}", growth_of_system_time(series).text);
        const Growth faults = growth(series, half, [](const Row& row) { return row.cost.page_faults; });
        session.say("  page faults: {}", faults.text);
        if (first.system_calls && last.system_calls) {
            const Growth calls = growth(series, half, [](const Row& row) { return *row.system_calls; });
            session.say("  system calls: {}", calls.text);
        }
        const std::string name = series.method.name == "pageable, fresh" ? "fresh" : series.method.name;
        session.measured(name + "_system_us", last.cost.system_us);
        session.measured(name + "_page_faults", last.cost.page_faults);
        session.measured(name + "_wall_us", last.cost.wall_us);
    }
}

void draw(sample::Session& session, const std::vector<Series>& all) {
    plot::Plot picture{.title = "Processor time in the kernel for one copy",
                       .subtitle =
                           session.device.info().name + "; times in the kernel below two ticks are not drawn",
                       .x_label = "size of one copy, bytes",
                       .y_label = "time, us",
                       .lines = {}};
    for (const Series& series : all) {
        const Growth growth = growth_of_system_time(series);
        plot::Line system{series.method.name + (growth.points.empty() ? ": none measurable" : ""),
                          growth.points};
        plot::Line wall{"time on the clock", {}, plot::Style::dashed};
        for (const Row& row : series.rows) {
            wall.points.push_back({static_cast<double>(row.bytes), row.cost.wall_us});
        }
        picture.lines.push_back(system);
        picture.lines.push_back(wall);
    }
    const std::filesystem::path file = session.output_file("anatomy.svg");
    picture.write_svg(file);
    session.say("wrote {}", file.string());
}

void anatomy(sample::Session& session) {
    const bool processor = session.device.info().kind == ferry::DeviceKind::cpu;
    const std::size_t wanted = session.size != 0 ? session.size : std::size_t{processor ? 16U : 256U} << 20;
    const std::size_t largest = std::bit_floor(std::max(wanted, smallest));
    const std::vector<std::size_t> sizes = sizes_up_to(largest);
    Methods methods{session.device, largest};

    const auto data = session.random_values<Methods::Byte>(std::min<std::size_t>(largest, 1 << 20));
    std::vector<Series> all;
    {
        sample::Progress progress{"copies", methods.all().size() * sizes.size(), session.quiet};
        for (const Methods::Method& method : methods.all()) {
            sample::expect_equal(methods.copied(method.way, data), data, method.name + " copy");
            all.push_back({method, {}});
            for (const std::size_t bytes : sizes) {
                const auto copy = [&] { methods.copy(method.way, bytes); };
                all.back().rows.push_back({bytes, measure(copy, 0.2, 1), std::nullopt});
                progress.step();
            }
        }
    }
    count(session, all, sizes.back());
    for (const Series& series : all) {
        print(session, series);
    }
    conclude(session, all);
    draw(session, all);
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 4 && argv[1] == std::string_view{to_be_counted}) {
        return be_counted(argv[2], std::stoull(argv[3]));
    }
    sample::App app{"12_transfer_anatomy", "Where the time of a copy goes: wall, user, system, faults, calls",
                    0, "bytes of the largest copy; 0 is 256 MiB, or 16 MiB for a processor"};
    return app.run(argc, argv, anatomy);
}
