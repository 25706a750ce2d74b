// SPDX-License-Identifier: Apache-2.0
#include "life.cl.hpp"
#include "life.hpp"

#include <array>

namespace {

// Computes all generations on one queue and copies each of them to the host on the other one.
std::vector<life::Cells> make_film(ferry::Queue& compute, ferry::Queue& download,
                                   const life::Options& options, const life::Cells& start) {
    const ferry::Device device = compute.device();
    const ferry::Kernel kernel = ferry::Program{device, kernels::life_cl}.kernel("life");
    const auto grid = ferry::Grid::covering({options.width, options.height});
    std::array<ferry::Buffer<life::Cell>, 3> fields;
    for (ferry::Buffer<life::Cell>& field : fields) {
        field = ferry::Buffer<life::Cell>{device, options.cells()};
    }
    std::vector<life::Cells> film(options.generations + 1, life::Cells(options.cells()));
    film[0] = start;

    compute.copy(start, fields[0]);
    compute.finish();
    const ferry::Range range(&compute == &download ? "one queue" : "two queues");
    const life::Stopwatch watch;
    std::array<ferry::Event, 3> downloaded; // the last download of each field
    downloaded.fill(download.record());     // there was none: complete at once
    for (std::uint32_t i = 0; i < options.generations; ++i) {
        const ferry::Buffer<life::Cell>& now = fields[i % 3];
        ferry::Buffer<life::Cell>& next = fields[(i + 1) % 3];
        compute.wait(downloaded[(i + 1) % 3]); // before `next` is overwritten
        compute.launch(kernel, grid, now, next, options.width, options.height);
        download.wait(compute.record()); // before `next` is copied
        download.copy(next, film[i + 1]);
        downloaded[(i + 1) % 3] = download.record();
    }
    download.finish(); // every generation is in the film
    watch.report(device.id() + (&compute == &download ? ", one queue" : ", two queues"), options);
    return film;
}

life::Cells two_queues(const life::Options& options, const life::Cells& start) {
    const ferry::Device device = ferry::default_device();
    ferry::Queue compute{device};
    ferry::Queue download{device};
    const std::vector<life::Cells> slow = make_film(compute, compute, options, start);
    const std::vector<life::Cells> film = make_film(compute, download, options, start);
    for (std::uint32_t i = 0; i < options.generations; ++i) {
        life::expect_equal(film[i + 1], life::next_generation(film[i], options), options);
        life::expect_equal(slow[i + 1], film[i + 1], options);
    }
    life::write_picture(film.back(), options);
    return film.back();
}

} // namespace

int main(int argc, char** argv) {
    return life::play(argc, argv, two_queues);
}
