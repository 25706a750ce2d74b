// SPDX-License-Identifier: Apache-2.0
#include "builtin_run.hpp"

#include <cmath>
#include <map>

namespace kernels {
namespace {

/// The error of the references themselves, see builtin_math.cpp.
constexpr long double limits_slack = 1 + 0x1p-8L;

bool accept_float(Type type, const Wanted& wanted, long double want, long double got, bool flushes,
                  long double& error) {
    error = 0;
    if (std::isnan(want) || std::isnan(got)) {
        return std::isnan(want) && std::isnan(got);
    }
    if (want == got) {
        return want != 0 || !wanted.sign || std::signbit(want) == std::signbit(got);
    }
    if (flushes && got == 0 && std::fabs(want) <= least_normal(type)) {
        return true;
    }
    if (std::isinf(want)) {
        error = want;
        return false;
    }
    const long double unit = ulp_at(type, want);
    if (std::isinf(got)) {
        const long double first_beyond = largest(type) + ulp_at(type, largest(type)) / 2;
        error = (std::copysign(first_beyond, got) - want) / unit;
        return std::signbit(got) == std::signbit(want) &&
               std::fabs(want) >= first_beyond - wanted.ulps * unit;
    }
    error = (got - want) / unit;
    return std::fabs(error) <= wanted.ulps * limits_slack || std::fabs(got - want) <= wanted.absolute;
}

bool measure(const ferry::Device& device, const std::string& type, double tiny) {
    const bool is_double = type == "double";
    const std::string text =
        std::string(is_double ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "") +
        "__kernel void habit(__global const " + type + "* in, __global int* out) {\n" +
        "    out[0] = in[0] * in[1] == 0 || in[0] + in[2] == 0 || in[3] * in[4] == 0;\n}\n";
    ferry::Queue queue{device};
    const ferry::Kernel kernel = ferry::Program{device, text}.kernel("habit");
    ferry::Buffer<int> out{device, 1};
    const double values[] = {tiny / 4, 1, 0, tiny, 0.25};
    if (is_double) {
        ferry::Buffer<double> in{device, 5};
        queue.copy(values, in);
        queue.launch(kernel, {1, 1}, in, out);
        return queue.read(out).at(0) != 0;
    }
    std::vector<float> floats;
    for (const double value : values) {
        floats.push_back(static_cast<float>(value));
    }
    ferry::Buffer<float> in{device, 5};
    queue.copy(floats, in);
    queue.launch(kernel, {1, 1}, in, out);
    return queue.read(out).at(0) != 0;
}

} // namespace

bool accept(Type type, const Wanted& wanted, const Value& got, bool flushes, long double& error) {
    error = 0;
    if (wanted.any) {
        return true;
    }
    if (!is_float(type)) {
        if (wanted.low_bits >= 0) {
            const Wide low = (got.i < 0 ? -got.i : got.i) & wanted.low_bits;
            return low == (wanted.value.i < 0 ? -wanted.value.i : wanted.value.i) &&
                   (low == 0 || (got.i < 0) == (wanted.value.i < 0));
        }
        return got.i == wanted.value.i || (wanted.two && got.i == wanted.other.i);
    }
    return accept_float(type, wanted, wanted.value.f, got.f, flushes, error);
}

const Habits& habits(const ferry::Device& device) {
    static std::map<std::string, Habits> known;
    const auto found = known.find(device.id());
    if (found != known.end()) {
        return found->second;
    }
    Habits result;
    result.flushes_float = measure(device, "float", 0x1p-126);
    result.flushes_double = device.info().fp64 && measure(device, "double", 0x1p-1022);
    return known.emplace(device.id(), result).first->second;
}

} // namespace kernels
