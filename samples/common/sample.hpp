// SPDX-License-Identifier: Apache-2.0
#pragma once

// Code shared by the samples: command line, verdict, random data, a stopwatch.

#include <ferry/ferry.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sample {

/// One run of a sample: the choices of the command line, and the destination of its text and figures.
class Session {
public:
    ferry::Device device; ///< --device, or the default device
    std::size_t size = 0; ///< --size
    std::mt19937 random;  ///< seeded with --seed, or at random
    bool quiet = false;   ///< --quiet or --json

    explicit Session(const ferry::Device& chosen) : device(chosen) {}

    /// Prints one line.
    template <class... Args>
    void say(fmt::format_string<Args...> format, Args&&... args) const {
        if (!quiet) {
            fmt::print("{}\n", fmt::format(format, std::forward<Args>(args)...));
        }
    }
    /// The path for an output file in the folder --output. Creates the folders.
    std::filesystem::path output_file(const std::filesystem::path& name) const;
    /// Adds a figure to the output of --json.
    void measured(std::string name, double value) { figures.emplace_back(std::move(name), value); }

    /// `count` random integers of T's whole range.
    template <class T>
    std::vector<T> random_values(std::size_t count) {
        std::vector<T> values(count);
        for (T& value : values) {
            value = static_cast<T>(random());
        }
        return values;
    }

    std::filesystem::path output;
    std::vector<std::pair<std::string, double>> figures;
};

/// A wrong result. The verdict becomes FAIL with this message.
class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Throws Failure unless both ranges hold the same values.
template <class A, class B>
void expect_equal(const A& result, const B& reference, std::string_view what) {
    if (std::size(result) != std::size(reference)) {
        throw Failure(
            fmt::format("{}: {} elements, expected {}", what, std::size(result), std::size(reference)));
    }
    std::size_t first = std::size(result);
    std::size_t wrong = 0;
    for (std::size_t i = std::size(result); i-- > 0;) {
        if (result[i] != reference[i]) {
            first = i;
            ++wrong;
        }
    }
    if (wrong > 0) {
        throw Failure(fmt::format("{}: element {} is {}, expected {}; {} of {} elements are wrong", what,
                                  first, result[first], reference[first], wrong, std::size(result)));
    }
}

/// Host memory for copies: page-locked if the device has such memory, otherwise ordinary.
template <class T>
class HostArray {
public:
    HostArray() = default;
    HostArray(const ferry::Device& device, std::size_t size) {
        if (device.has(ferry::MemoryKind::host)) {
            pinned_ = ferry::Buffer<T>{device, size, ferry::MemoryKind::host};
            span_ = pinned_.span();
        } else {
            plain_.resize(size);
            span_ = plain_;
        }
    }
    std::span<T> span() const noexcept { return span_; }
    T& operator[](std::size_t i) const noexcept { return span_[i]; }
    std::size_t size() const noexcept { return span_.size(); }

private:
    ferry::Buffer<T> pinned_;
    std::vector<T> plain_;
    std::span<T> span_;
};

class Stopwatch {
public:
    double ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }
    double seconds() const { return ms() / 1000; }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

/// The program around a sample. It reads the command line, runs the sample's body and prints the verdict:
/// PASS, or FAIL with the reason. The exit status is the same verdict.
class App {
public:
    /// `size` is the default of --size, `unit` is its unit.
    App(std::string name, std::string summary, std::size_t size, std::string unit);
    App(const App&) = delete;
    App& operator=(const App&) = delete;
    ~App();

    /// Adds an option of this sample; the given value is the default.
    App& option(const std::string& name, std::size_t& value, const std::string& help);
    App& option(const std::string& name, double& value, const std::string& help);
    /// Collects the arguments that belong to no option.
    App& arguments(std::vector<std::string>& values, const std::string& name, const std::string& help);

    int run(int argc, char** argv, const std::function<void(Session&)>& body);

private:
    struct Options;
    std::unique_ptr<Options> options_;
};

} // namespace sample
