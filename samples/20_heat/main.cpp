// SPDX-License-Identifier: Apache-2.0
#include "field.hpp"
#include "image.hpp"
#include "sample.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <optional>

namespace mpi = ferry::interop::mpi;

namespace {

struct Run {
    double seconds = 0;
    std::vector<float> field; ///< the whole plate, on rank 0
};

class Heat {
public:
    Heat(sample::Session& session, std::size_t steps)
        : session_(session), steps_(steps), seed_(static_cast<unsigned>(session.random())) {
        // Every rank uses the seed of rank 0, and so the same plate.
        check(MPI_Bcast(&seed_, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD), "MPI_Bcast");
        check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
        check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    }

    std::vector<float> plate(std::size_t columns, std::size_t rows) const {
        return warm_plate(columns, rows, seed_);
    }
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }

    /// Runs a plate of that many rows on the first `ranks` ranks, while the other ranks wait. Stores the text
    /// of explain() in `why`.
    Run run(int ranks, std::size_t columns, std::size_t rows, std::string* why = nullptr) {
        MPI_Comm group = MPI_COMM_NULL;
        check(MPI_Comm_split(MPI_COMM_WORLD, rank_ < ranks ? 0 : MPI_UNDEFINED, rank_, &group),
              "MPI_Comm_split");
        Run result;
        if (group != MPI_COMM_NULL) {
            result = run_in(group, columns, rows, why);
            MPI_Comm_free(&group);
        }
        check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
        return result;
    }

private:
    static void check(int code, const char* call) {
        mpi::detail::check(code, call, ferry::SourceLocation::current());
    }

    Run run_in(MPI_Comm group, std::size_t columns, std::size_t rows, std::string* why) {
        mpi::Communicator world{group, session_.device};
        const auto first_of = [&](int rank) {
            return rows * static_cast<std::size_t>(rank) / static_cast<std::size_t>(world.size());
        };
        const std::size_t first = first_of(world.rank());
        Strip strip{world, plate(columns, rows), columns, first, first_of(world.rank() + 1) - first};
        check(MPI_Barrier(group), "MPI_Barrier");
        const sample::Stopwatch watch;
        for (std::size_t step = 0; step < steps_; ++step) {
            strip.step();
        }
        strip.finish();
        check(MPI_Barrier(group), "MPI_Barrier");
        Run result{watch.seconds(), {}};
        std::vector<int> counts;
        std::vector<int> places;
        for (int rank = 0; rank < world.size(); ++rank) {
            places.push_back(static_cast<int>(first_of(rank) * columns));
            counts.push_back(static_cast<int>(first_of(rank + 1) * columns) - places.back());
        }
        const std::vector<float> mine = strip.read();
        result.field.resize(world.rank() == 0 ? rows * columns : 0);
        check(MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_FLOAT, result.field.data(),
                          counts.data(), places.data(), MPI_FLOAT, 0, group),
              "MPI_Gatherv");
        if (why != nullptr) {
            *why = to_string(world.explain());
        }
        return result;
    }

    sample::Session& session_;
    std::size_t steps_;
    unsigned seed_;
    int rank_ = 0;
    int size_ = 1;
};

/// Compares the field of `ranks` ranks with that of one rank. If `ranks` is 0, compares the field of one rank
/// with the processor's.
void expect_same_bits(const std::vector<float>& field, const std::vector<float>& wanted, int ranks,
                      std::size_t columns) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (std::bit_cast<std::uint32_t>(field[i]) != std::bit_cast<std::uint32_t>(wanted[i])) {
            throw sample::Failure(fmt::format("row {}, column {} is {} on {} ranks, and {} {}", i / columns,
                                              i % columns, field[i], std::max(ranks, 1), wanted[i],
                                              ranks == 0 ? "on the processor" : "on one rank"));
        }
    }
}

/// The same steps on the processor, one cell after the other.
std::vector<float> reference(std::vector<float> plate, std::size_t columns, std::size_t rows,
                             std::size_t steps) {
    std::vector<float> next(plate.size());
    for (std::size_t step = 0; step < steps; ++step) {
        const auto at = [&](std::size_t x, std::size_t y) { // one cell further, so that -1 is index 0
            return x == 0 || y == 0 || x > columns || y > rows ? 1.0F : plate[(y - 1) * columns + x - 1];
        };
        for (std::size_t y = 1; y <= rows; ++y) {
            for (std::size_t x = 1; x <= columns; ++x) {
                const float across = at(x - 1, y) + at(x + 1, y);
                const float along = at(x, y - 1) + at(x, y + 1);
                next[(y - 1) * columns + x - 1] =
                    std::fma(rate, std::fma(-4.0F, at(x, y), across + along), at(x, y));
            }
        }
        plate.swap(next);
    }
    return plate;
}

void paint(const std::filesystem::path& file, const std::vector<float>& field, std::size_t columns) {
    std::vector<sample::Pixel> pixels(field.size());
    for (std::size_t i = 0; i < field.size(); ++i) {
        const float warmth = std::clamp(field[i] - 1.0F, 0.0F, 1.0F);
        const auto level = [&](float from) {
            return static_cast<std::uint8_t>(255.0F * std::clamp(3.0F * warmth - from, 0.0F, 1.0F));
        };
        pixels[i] = {level(0), level(1), level(2), 255};
    }
    sample::write_png(file, columns, field.size() / columns, pixels);
}

void heat(sample::Session& session, std::size_t steps) {
    Heat heat{session, steps};
    const std::size_t columns = session.size + 3; // an odd size, not a multiple of a tile
    const std::size_t rows = session.size;
    const std::size_t share = rows / static_cast<std::size_t>(heat.size());
    if (share == 0) {
        throw sample::Failure(fmt::format("{} rows are too few for {} ranks", rows, heat.size()));
    }
    std::optional<Run> alone;
    double weak_alone = 0;
    for (int ranks = 1;; ranks = std::min(2 * ranks, heat.size())) {
        std::string why;
        const Run strong = heat.run(ranks, columns, rows, &why);
        const Run weak = heat.run(ranks, columns, share * static_cast<std::size_t>(ranks));
        if (heat.rank() == 0) {
            if (ranks == 1) {
                alone = strong;
                weak_alone = weak.seconds;
                session.say("{} x {} cells, {} steps; weak: {} rows for each rank", columns, rows, steps,
                            share);
                session.say("ranks   strong ms  efficiency     weak ms  efficiency");
                expect_same_bits(strong.field, reference(heat.plate(columns, rows), columns, rows, steps), 0,
                                 columns);
            }
            expect_same_bits(strong.field, alone->field, ranks, columns);
            session.say("{:5}  {:10.2f}  {:9.0f} %  {:10.2f}  {:9.0f} %", ranks, 1e3 * strong.seconds,
                        100 * alone->seconds / (ranks * strong.seconds), 1e3 * weak.seconds,
                        100 * weak_alone / weak.seconds);
            session.measured(fmt::format("strong_ms_{}", ranks), 1e3 * strong.seconds);
            if (ranks == heat.size()) {
                session.say("rank 0: {}", why);
                const std::filesystem::path file = session.output_file("heat.png");
                paint(file, strong.field, columns);
                session.say("the field in {}", file.string());
            }
        }
        if (ranks == heat.size()) {
            break;
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    mpi::Environment environment{argc, argv};
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::size_t steps = 60;
    sample::App app{"20_heat", "The heat equation on a plate that is spread over ranks and their devices",
                    257, "rows of cells"};
    app.option("--steps", steps, "Steps of time");
    if (rank != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) {
        return 1;
    }
    std::vector<char*> arguments(argv, argv + argc);
    std::string device = "--device";
    std::string mine;
    if (std::none_of(argv, argv + argc,
                     [&](const char* word) { return std::string_view(word).starts_with(device); })) {
        mine = mpi::local_device(MPI_COMM_WORLD).id();
        arguments.insert(arguments.end(), {device.data(), mine.data()});
    }
    const int status =
        app.run(static_cast<int>(arguments.size()), arguments.data(), [&](sample::Session& session) {
            session.quiet = session.quiet || rank != 0;
            try {
                heat(session, steps);
            } catch (const std::exception& error) {
                if (rank != 0) {
                    fmt::print(stderr, "rank {}: {}\n", rank, error.what());
                }
                throw;
            }
        });
    if (status != 0) {
        std::fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, status); // the other ranks wait for this one
    }
    return status;
}
