// SPDX-License-Identifier: Apache-2.0
#include "bands.cl.hpp"
#include "life.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <iostream>
#include <span>

namespace {

// Rows of the field on one device, with a copy of the row before them and of the row after them.
struct Part {
    Part(const ferry::Device& device, std::uint32_t width, std::uint32_t first_row,
         std::uint32_t row_count)
        : queue(device),
          kernel(ferry::Program{device, kernels::bands_cl}.kernel("life_band")),
          first(first_row),
          rows(row_count),
          fields{ferry::Buffer<life::Cell>{device, std::size_t{width} * (row_count + 2)},
                 ferry::Buffer<life::Cell>{device, std::size_t{width} * (row_count + 2)}} {}

    ferry::Queue queue;
    ferry::Kernel kernel;
    std::uint32_t first;
    std::uint32_t rows;
    std::array<ferry::Buffer<life::Cell>, 2> fields; // this generation and the next one, in turn
    ferry::Event computed;
};

// A part for each device, or three parts on the only one, and never more than there are rows.
std::deque<Part> divide(const life::Options& options) {
    const std::vector<ferry::Device> devices = ferry::devices();
    const std::size_t wanted = devices.size() > 1 ? devices.size() : 3;
    const std::size_t parts = std::min<std::size_t>(wanted, options.height);
    std::deque<Part> all;
    for (std::size_t i = 0; i < parts; ++i) {
        const auto first = static_cast<std::uint32_t>(options.height * i / parts);
        const auto end = static_cast<std::uint32_t>(options.height * (i + 1) / parts);
        all.emplace_back(devices[i % devices.size()], options.width, first, end - first);
    }
    return all;
}

// Gives each part the last row of the part before it and the first row of the part after it. The
// copies wait on the devices; the host does not wait.
void exchange_edges(std::deque<Part>& parts, std::size_t field, std::uint32_t width) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Part& part = parts[i];
        Part& before = parts[(i + parts.size() - 1) % parts.size()];
        Part& after = parts[(i + 1) % parts.size()];
        const auto row = [&](Part& of, std::size_t number) {
            return of.fields[field].subview(number * width, width);
        };
        part.queue.wait(before.computed);
        part.queue.copy(row(before, before.rows), row(part, 0));
        part.queue.wait(after.computed);
        part.queue.copy(row(after, 1), row(part, part.rows + 1));
    }
}

life::Cells several_devices(const life::Options& options, const life::Cells& start) {
    const std::uint32_t width = options.width;
    std::deque<Part> parts = divide(options);
    for (Part& part : parts) {
        const std::span<const life::Cell> rows = std::span(start).subspan(
            std::size_t{part.first} * width, std::size_t{part.rows} * width);
        part.queue.copy(rows, part.fields[0].subview(width, rows.size()));
        part.computed = part.queue.record();
    }
    exchange_edges(parts, 0, width);

    const life::Stopwatch watch;
    for (std::uint32_t i = 0; i < options.generations; ++i) {
        for (Part& part : parts) {
            part.queue.launch(part.kernel, ferry::Grid::covering({width, part.rows}),
                              part.fields[i % 2], part.fields[(i + 1) % 2], width, part.rows);
            part.computed = part.queue.record();
        }
        exchange_edges(parts, (i + 1) % 2, width);
    }
    for (Part& part : parts) {
        part.queue.finish();
    }
    watch.report(std::to_string(parts.size()) + " parts", options);

    life::Cells result;
    std::vector<life::Band> bands;
    for (Part& part : parts) {
        const auto rows = part.queue.read(
            part.fields[options.generations % 2].subview(width, std::size_t{part.rows} * width));
        result.insert(result.end(), rows.begin(), rows.end());
        bands.push_back(
            {0, part.first, width, part.rows, bands.size() % 2 == 0 ? "#dbe4f5" : "#fbe7c6"});
        std::cout << "rows " << part.first << " to " << part.first + part.rows - 1 << ": "
                  << part.queue.device().id() << "\n";
    }
    life::write_picture(result, options, bands);
    return result;
}

} // namespace

int main(int argc, char** argv) {
    return life::play(argc, argv, several_devices);
}
