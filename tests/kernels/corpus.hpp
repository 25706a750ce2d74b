// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../conformance/random.hpp"
#include "kernel_devices.hpp"
#include "neighbour.h.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

inline bool is_strict(const ferry::Device& device) {
    return conformance::matches(device, ", strict");
}

/// One program of the corpus on one device.
class Corpus {
public:
    Corpus(const ferry::Device& device, std::string_view text, const ferry::BuildOptions& options = {})
        : device_(device), queue_(device), program_(device, text, with_headers(options)) {}

    /// A buffer with these values.
    template <class T>
    ferry::Buffer<T> in(const std::vector<T>& values) {
        ferry::Buffer<T> buffer{device_, values.size()};
        queue_.copy_and_wait(values, buffer);
        return buffer;
    }
    /// A buffer with arbitrary contents, so that an unwritten element is detected. On the strict device no
    /// command writes it before the kernel, so that a kernel that reads it is reported.
    template <class T>
    ferry::Buffer<T> out(std::size_t size) {
        return is_strict(device_) ? ferry::Buffer<T>{device_, size} : poisoned<T>(size);
    }
    /// A buffer of conformance::poison(), for kernels that leave elements alone.
    template <class T>
    ferry::Buffer<T> poisoned(std::size_t size) {
        return in(conformance::poison<T>(size));
    }
    template <class... Arguments>
    void run(const char* kernel, const ferry::Grid& grid, const Arguments&... arguments) {
        queue_.launch(program_.kernel(kernel), grid, arguments...);
    }
    ferry::ParameterInfo parameter(const char* kernel, std::size_t index) {
        return program_.kernel(kernel).parameters()[index];
    }
    std::vector<std::string> names() const { return program_.kernel_names(); }
    template <class T>
    std::vector<T> read(ferry::Buffer<T>& buffer) {
        return queue_.read(buffer);
    }

private:
    static ferry::BuildOptions with_headers(ferry::BuildOptions options) {
        options.headers.emplace("neighbour.h", neighbour_h);
        return options;
    }

    ferry::Device device_;
    ferry::Queue queue_;
    ferry::Program program_;
};

/// Compares, and reports the position of the first difference.
template <class T>
void check_equal(const std::vector<T>& seen, const std::vector<T>& wanted, const char* what = "out") {
    REQUIRE(seen.size() == wanted.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (!(seen[i] == wanted[i])) {
            FAIL_CHECK(std::string(what), "[", i, "] of ", seen.size(), " is ", +seen[i], " where ",
                       +wanted[i], " was expected");
            return;
        }
    }
}

/// Compares floating-point numbers. The device may round them in its own way.
template <class T>
void check_near(const std::vector<T>& seen, const std::vector<T>& wanted, double relative,
                double absolute = 0) {
    REQUIRE(seen.size() == wanted.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const double error = std::fabs(static_cast<double>(seen[i]) - static_cast<double>(wanted[i]));
        if (!(error <= relative * std::fabs(static_cast<double>(wanted[i])) + absolute)) {
            FAIL_CHECK("out[", i, "] of ", seen.size(), " is ", seen[i], " where ", wanted[i],
                       " was expected within ", relative, " of itself");
            return;
        }
    }
}

inline std::vector<float> floats_between(std::size_t size, double low, double high) {
    std::vector<float> result(size);
    for (float& value : result) {
        value = static_cast<float>(
            std::uniform_real_distribution<double>(low, high)(conformance::random_engine()));
    }
    return result;
}

template <class T>
std::vector<T> integers_below(std::size_t size, std::size_t limit) {
    std::vector<T> result(size);
    for (T& value : result) {
        value = static_cast<T>(conformance::random_below(limit));
    }
    return result;
}

} // namespace kernels
