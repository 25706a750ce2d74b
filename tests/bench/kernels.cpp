// SPDX-License-Identifier: Apache-2.0
// Measures the run times and build times of the pairs of tests/kernels/quality, on every device in turn: the
// OpenCL C kernels, and the hand-written ones on devices that accept CUDA C++. Compares the results. Prints
// one line for each kernel and device. It also prints the speed of a host device relative to an OpenCL
// device, and of a Vulkan device relative to a CUDA device:
//     cuda:0    matmul    OpenCL C 0.512 ms  by hand 0.514 ms  speed 1.004  build 31.0 ms, by hand 29.1 ms
//     host:0    stencil   OpenCL C 0.104 ms  speed against opencl:0 0.950
// A speed is the median, over the turns, of the other device's time divided by this device's time.
#include "commands.hpp"
#include "mandelbrot.cl.hpp"
#include "mandelbrot.cu.hpp"
#include "matmul.cl.hpp"
#include "matmul.cu.hpp"
#include "nbody.cl.hpp"
#include "nbody.cu.hpp"
#include "reduce.cl.hpp"
#include "reduce.cu.hpp"
#include "saxpy.cl.hpp"
#include "saxpy.cu.hpp"
#include "sha256.cl.hpp"
#include "sha256.cu.hpp"
#include "stencil.cl.hpp"
#include "stencil.cu.hpp"

#include <ferry/ferry.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Vector4 {
    float x, y, z, w;
};

/// A kernel of the folder with its arguments. `run` enqueues one launch, and `result` returns its output.
struct Work {
    std::function<void(ferry::Queue&, const ferry::Kernel&)> run;
    std::function<std::vector<float>(ferry::Queue&)> result;
};

struct Pair {
    const char* name;
    std::string_view opencl_c, cuda;
    std::function<Work(const ferry::Device&, ferry::Queue&, unsigned scale)> prepare;
};

std::vector<float> random_floats(std::size_t count) {
    std::mt19937 random(7); // the same for both kernels
    std::uniform_real_distribution<float> between(-1.0f, 1.0f);
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return between(random); });
    return values;
}

template <class T>
std::shared_ptr<ferry::Buffer<T>> filled(const ferry::Device& device, ferry::Queue& queue,
                                         std::size_t count) {
    const std::vector<float> floats = random_floats(count * sizeof(T) / sizeof(float));
    std::vector<T> values(count);
    std::memcpy(values.data(), floats.data(), count * sizeof(T));
    auto buffer = std::make_shared<ferry::Buffer<T>>(device, count);
    queue.copy_and_wait(values, *buffer);
    return buffer;
}

template <class T>
std::function<std::vector<float>(ferry::Queue&)> reader(std::shared_ptr<ferry::Buffer<T>> out) {
    return [out](ferry::Queue& queue) {
        const std::vector<T> values = queue.read(*out);
        std::vector<float> floats(values.size() * sizeof(T) / sizeof(float));
        std::memcpy(floats.data(), values.data(), values.size() * sizeof(T));
        return floats;
    };
}

Work saxpy(const ferry::Device& device, ferry::Queue& queue, unsigned scale) {
    const std::uint32_t n = 1U << scale;
    auto x = filled<float>(device, queue, n);
    auto y = filled<float>(device, queue, n);
    return {[=](ferry::Queue& q, const ferry::Kernel& k) {
                q.launch(k, ferry::Grid::covering(n, 256), 0.001f, *x, *y, n);
            },
            reader(y)};
}

Work matmul(const ferry::Device& device, ferry::Queue& queue, unsigned scale) {
    const std::uint32_t n = 16U << (scale / 4);
    auto a = filled<float>(device, queue, std::size_t{n} * n);
    auto b = filled<float>(device, queue, std::size_t{n} * n);
    auto c = filled<float>(device, queue, std::size_t{n} * n);
    return {[=](ferry::Queue& q, const ferry::Kernel& k) {
                q.launch(k, {{n / 16, n / 16}, {16, 16}}, *a, *b, *c, static_cast<std::int32_t>(n));
            },
            reader(c)};
}

Work reduce(const ferry::Device& device, ferry::Queue& queue, unsigned scale) {
    const std::uint32_t n = 1U << scale;
    auto in = filled<float>(device, queue, n);
    auto out = filled<float>(device, queue, 512);
    return {[=](ferry::Queue& q, const ferry::Kernel& k) {
                q.launch(k, {512, 256}, *in, *out, ferry::local<float>(256), n);
            },
            reader(out)};
}

Work stencil(const ferry::Device& device, ferry::Queue& queue, unsigned scale) {
    const std::uint32_t n = 1U << (scale / 3);
    auto in = filled<float>(device, queue, std::size_t{n} * n * n);
    auto out = filled<float>(device, queue, std::size_t{n} * n * n);
    return {[=](ferry::Queue& q, const ferry::Kernel& k) {
                const auto side = static_cast<std::int32_t>(n);
                q.launch(k, ferry::Grid::covering({n, n, n}, {32, 4, 2}), *in, *out, side, side, side, 0.5f,
                         0.08f);
            },
            reader(out)};
}

Work nbody(const ferry::Device& device, ferry::Queue& queue, unsigned scale) {
    const std::uint32_t n = 128U << (scale / 4);
    auto body = filled<Vector4>(device, queue, n);
    auto force = filled<Vector4>(device, queue, n);
    return {[=](ferry::Queue& q, const ferry::Kernel& k) {
                q.launch(k, {n / 128, 128}, *body, *force, n, 0.01f);
            },
            reader(force)};
}

Work sha256(const ferry::Device& device, ferry::Queue& queue, unsigned scale) {
    const std::uint32_t n = 1U << (scale - 4);
    std::vector<std::uint32_t> words(std::size_t{n} * 16);
    std::mt19937 random(7);
    std::generate(words.begin(), words.end(), std::ref(random));
    auto in = std::make_shared<ferry::Buffer<std::uint32_t>>(device, words.size());
    auto out = std::make_shared<ferry::Buffer<std::uint32_t>>(device, std::size_t{n} * 8);
    queue.copy_and_wait(words, *in);
    return {[=](ferry::Queue& q, const ferry::Kernel& k) {
                q.launch(k, ferry::Grid::covering(n, 256), *in, *out, n);
            },
            [=](ferry::Queue& q) {
                const std::vector<std::uint32_t> digests = q.read(*out);
                return std::vector<float>(digests.begin(), digests.end());
            }};
}

// Sums of a thousand pixels, because rounding can change single pixels.
Work mandelbrot(const ferry::Device& device, ferry::Queue&, unsigned scale) {
    const std::uint32_t width = 1U << ((scale + 1) / 2);
    const std::uint32_t height = 1U << (scale / 2);
    auto out = std::make_shared<ferry::Buffer<std::uint8_t>>(device, std::size_t{width} * height);
    return {[=](ferry::Queue& q, const ferry::Kernel& k) {
                q.launch(k, ferry::Grid::covering({width, height}, {16, 16}), *out, width, height,
                         std::uint32_t{100});
            },
            [=](ferry::Queue& q) {
                const std::vector<std::uint8_t> counts = q.read(*out);
                std::vector<float> sums((counts.size() + 1023) / 1024);
                for (std::size_t i = 0; i < counts.size(); ++i) {
                    sums[i / 1024] += static_cast<float>(counts[i]);
                }
                return sums;
            }};
}

const Pair pairs[] = {{"saxpy", kernels::saxpy_cl, kernels::saxpy_cu, saxpy},
                      {"matmul", kernels::matmul_cl, kernels::matmul_cu, matmul},
                      {"reduce", kernels::reduce_cl, kernels::reduce_cu, reduce},
                      {"stencil", kernels::stencil_cl, kernels::stencil_cu, stencil},
                      {"nbody", kernels::nbody_cl, kernels::nbody_cu, nbody},
                      {"mandelbrot", kernels::mandelbrot_cl, kernels::mandelbrot_cu, mandelbrot},
                      {"sha256", kernels::sha256_cl, kernels::sha256_cu, sha256}};

double time_of(ferry::Queue& queue, const Work& work, const ferry::Kernel& kernel) {
    constexpr int launches = 10;
    work.run(queue, kernel); // a GPU may have to switch to this queue's context
    queue.finish();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < launches; ++i) {
        work.run(queue, kernel);
    }
    queue.finish();
    return milliseconds_since(start) / launches;
}

// The time of a build that the disk cache cannot satisfy, because the name differs every time.
double build_time(const ferry::Device& device, std::string_view text, bool by_hand) {
    static int number = 0;
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) {
        const std::string name =
            "times" + std::to_string(++number) + "_" + std::to_string(std::random_device{}());
        const Clock::time_point start = Clock::now();
        const ferry::Program program(device, by_hand ? ferry::Source::cuda(text, name + ".cu")
                                                     : ferry::Source::opencl_c(text, name + ".cl"));
        times.push_back(milliseconds_since(start));
    }
    return median(times);
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
    float most = 0.0f;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(a[i] - b[i]) / (1.0f + std::abs(a[i])));
    }
    return a.size() == b.size() && most < 1e-3f;
}

/// A pair on one device.
class Subject {
public:
    Subject(const ferry::Device& device, const Pair& pair, unsigned scale)
        : device_(device),
          pair_(&pair),
          queue_(device),
          cuda_(device.info().backend == ferry::Backend::cuda),
          translated_(
              ferry::Program(device, ferry::Source::opencl_c(pair.opencl_c, std::string(pair.name) + ".cl"))
                  .kernel(pair.name)),
          first_(pair.prepare(device, queue_, scale)) {
        time_of(queue_, first_, translated_);
        if (cuda_) {
            by_hand_ = ferry::Program(device, ferry::Source::cuda(pair.cuda, std::string(pair.name) + ".cu"))
                           .kernel(pair.name);
            second_ = pair.prepare(device, queue_, scale);
            time_of(queue_, second_, by_hand_);
        }
    }

    void turn() {
        ours_.push_back(time_of(queue_, first_, translated_));
        if (cuda_) {
            theirs_.push_back(time_of(queue_, second_, by_hand_));
        }
    }

    bool print(const Subject* other) {
        std::printf("%-9s %-10s  OpenCL C %8.4f ms", device_.id().c_str(), pair_->name, median(ours_));
        bool right = true;
        if (cuda_) {
            right = same(first_.result(queue_), second_.result(queue_));
            std::printf("  by hand %8.4f ms  speed %.3f  build %6.1f ms, by hand %6.1f ms%s", median(theirs_),
                        speed(theirs_, ours_), build_time(device_, pair_->opencl_c, false),
                        build_time(device_, pair_->cuda, true), right ? "" : "  RESULTS DIFFER");
        }
        if (other != nullptr) {
            std::printf("  speed against %s %.3f", other->device_.id().c_str(), speed(other->ours_, ours_));
        }
        std::printf("\n");
        std::fflush(stdout);
        return right;
    }

    ferry::Backend backend() const { return device_.info().backend; }

private:
    static double speed(const std::vector<double>& theirs, const std::vector<double>& ours) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < ours.size(); ++i) {
            ratios.push_back(theirs[i] / ours[i]);
        }
        return median(ratios);
    }

    ferry::Device device_;
    const Pair* pair_;
    ferry::Queue queue_;
    bool cuda_;
    ferry::Kernel translated_;
    ferry::Kernel by_hand_;
    Work first_;
    Work second_;
    std::vector<double> ours_;
    std::vector<double> theirs_;
};

bool run(const std::vector<ferry::Device>& devices, const Pair& pair, unsigned scale) {
    std::vector<Subject> subjects;
    for (const ferry::Device& device : devices) {
        subjects.emplace_back(device, pair, scale);
    }
    for (int i = 0; i < 15; ++i) {
        for (Subject& subject : subjects) {
            subject.turn();
        }
    }
    const auto first_of = [&](ferry::Backend backend) -> const Subject* {
        const auto found = std::find_if(subjects.begin(), subjects.end(),
                                        [=](const Subject& s) { return s.backend() == backend; });
        return found == subjects.end() ? nullptr : &*found;
    };
    bool right = true;
    for (Subject& subject : subjects) {
        const Subject* const other =
            subject.backend() == ferry::Backend::host     ? first_of(ferry::Backend::opencl)
            : subject.backend() == ferry::Backend::vulkan ? first_of(ferry::Backend::cuda)
                                                          : nullptr;
        right = subject.print(other) && right;
    }
    return right;
}

} // namespace

int bench::kernels(unsigned scale, const std::string& only) {
    const std::vector<ferry::Device> devices = ferry::all_devices();
    for (const ferry::Device& device : devices) {
        std::printf("%s: %s\n", device.id().c_str(), device.info().name.c_str());
    }
    bool right = true;
    bool any = false;
    for (const Pair& pair : pairs) {
        if (only.empty() || only == pair.name) {
            any = true;
            right = run(devices, pair, scale) && right;
        }
    }
    if (!any) {
        throw std::runtime_error("There is no kernel '" + only + "' in tests/kernels/quality.");
    }
    return right ? 0 : 1;
}
