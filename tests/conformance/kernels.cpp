// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "kernel_texts.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace conformance {
namespace {

using ferry::HostGroup;
using ferry::HostLocal;
using uint = std::uint32_t;

/// Calls `item(i)` for the work-items of a one-dimensional group that are below `n`.
template <class Item>
void each(const HostGroup& g, std::size_t n, Item item) {
    const std::size_t end = std::min(g.end_x(), n);
    for (std::size_t i = g.begin_x(); i < end; ++i) {
        item(static_cast<uint>(i));
    }
}

void saxpy(const HostGroup& g, float a, const float* x, float* y, uint n) {
    each(g, n, [&](uint i) { y[i] += a * x[i]; });
}
void iota(const HostGroup& g, uint* out, uint n, uint base) {
    each(g, n, [&](uint i) { out[i] = base + i; });
}
void add(const HostGroup& g, uint* data, uint n, uint value) {
    each(g, n, [&](uint i) { data[i] += value; });
}
void stir(const HostGroup& g, uint* data, uint n, uint salt) {
    each(g, n, [&](uint i) { data[i] = stir_result(data[i], i, salt); });
}
void combine(const HostGroup& g, const uint* a, const uint* b, uint* out, uint n) {
    each(g, n, [&](uint i) { out[i] = a[i] * 3 + b[i]; });
}
void spin(const HostGroup& g, uint* out, uint rounds) {
    each(g, g.end_x(), [&](uint i) { out[i] = spin_result(i, rounds); });
}
void shape(const HostGroup& g, uint* out) {
    const std::size_t width = g.groups.x * g.local.x;
    const std::size_t height = g.groups.y * g.local.y;
    for (std::size_t z = g.begin_z(); z < g.end_z(); ++z) {
        for (std::size_t y = g.begin_y(); y < g.end_y(); ++y) {
            for (std::size_t x = g.begin_x(); x < g.end_x(); ++x) {
                uint* cell = out + 6 * ((z * height + y) * width + x);
                const std::size_t six[] = {x - g.begin_x(), y - g.begin_y(), z - g.begin_z(),
                                           g.group.x,       g.group.y,       g.group.z};
                std::transform(std::begin(six), std::end(six), cell,
                               [](std::size_t v) { return static_cast<uint>(v); });
            }
        }
    }
}
void reverse_groups(const HostGroup& g, const uint* in, uint* out, HostLocal<uint> t) {
    for (std::size_t l = 0; l < g.local.x; ++l) {
        t[l] = in[g.begin_x() + l];
    }
    for (std::size_t l = 0; l < g.local.x; ++l) {
        out[g.begin_x() + l] = t[g.local.x - 1 - l];
    }
}
void two_locals(const HostGroup& g, uint* out, HostLocal<std::uint8_t> b, HostLocal<uint> w) {
    const std::size_t n = g.local.x;
    for (std::size_t l = 0; l < n; ++l) {
        b[l] = static_cast<std::uint8_t>(l * 3);
        w[l] = static_cast<uint>(l * 5);
    }
    for (std::size_t l = 0; l < n; ++l) {
        out[g.begin_x() + l] = w[n - 1 - l] + b[(l + 1) % n];
    }
}
void group_sum(const HostGroup& g, const uint* in, uint* out) {
    uint sum = 0;
    each(g, g.end_x(), [&](uint i) { sum += in[i]; });
    out[g.group.x] = sum;
}
void histogram(const HostGroup& g, const uint* in, uint* bins, uint n) {
    each(g, n, [&](uint i) { std::atomic_ref(bins[in[i] % 16]).fetch_add(1); });
}
void scalars(const HostGroup&, std::int64_t* out, std::int8_t a, std::uint8_t b, std::int16_t c,
             std::uint16_t d, std::int32_t e, uint f, std::int64_t g, std::uint64_t h, float r) {
    const std::int64_t all[] = {
        a, b, c, d, e, f, g, static_cast<std::int64_t>(h), static_cast<std::int64_t>(r * 4)};
    std::copy(std::begin(all), std::end(all), out);
}
void structs(const HostGroup&, std::uint64_t* out, Mixed m) {
    out[0] = static_cast<std::uint64_t>(m.tag);
    out[1] = static_cast<std::uint64_t>(m.number);
    out[2] = static_cast<std::uint64_t>(m.real * 8);
    out[3] = static_cast<std::uint64_t>(m.bytes[0] + 256 * m.bytes[4]);
    out[4] = m.big;
}
void vectors(const HostGroup&, float* out, Float4 a, Float2 b) {
    const float all[] = {a.x, a.y, a.z, a.w, b.x, b.y};
    std::copy(std::begin(all), std::end(all), out);
}
void sixteen(const HostGroup&, uint* out, uint a0, uint a1, uint a2, uint a3, uint a4, uint a5, uint a6,
             uint a7, uint a8, uint a9, uint a10, uint a11, uint a12, uint a13, uint a14, uint a15) {
    const uint all[] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15};
    std::copy(std::begin(all), std::end(all), out);
}
void is_null(const HostGroup&, const uint* p, uint* out) {
    out[0] = p == nullptr ? 1 : 0;
}
void noop(const HostGroup&) {}
void twice(const HostGroup& g, double* data, uint n) {
    each(g, n, [&](uint i) { data[i] *= 2.0; });
}

constexpr ferry::HostKernel functions[] = {
    ferry::host_kernel<saxpy>("saxpy"),
    ferry::host_kernel<iota>("iota"),
    ferry::host_kernel<add>("add"),
    ferry::host_kernel<stir>("stir"),
    ferry::host_kernel<combine>("combine"),
    ferry::host_kernel<spin>("spin"),
    ferry::host_kernel<shape>("shape"),
    ferry::host_kernel<reverse_groups>("reverse_groups"),
    ferry::host_kernel<two_locals>("two_locals"),
    ferry::host_kernel<group_sum>("group_sum"),
    ferry::host_kernel<histogram>("histogram"),
    ferry::host_kernel<scalars>("scalars"),
    ferry::host_kernel<structs>("structs"),
    ferry::host_kernel<vectors>("vectors"),
    ferry::host_kernel<sixteen>("sixteen"),
    ferry::host_kernel<is_null>("is_null"),
    ferry::host_kernel<noop>("noop"),
};
constexpr ferry::HostKernel double_functions[] = {ferry::host_kernel<twice>("twice")};

std::vector<ferry::Source> variants(const char* opencl, const char* cuda_hip,
                                    std::span<const ferry::HostKernel> host) {
    std::vector<ferry::Source> result = ferry::Source::cuda_and_hip(cuda_hip, "kernels.cu");
    result.push_back(ferry::Source::opencl_c(opencl, "kernels.cl"));
    if (!host.empty()) {
        result.push_back(ferry::Source::host(host));
    }
    return result;
}

} // namespace

const std::vector<ferry::Source>& sources() {
    static const std::vector<ferry::Source> all = variants(opencl_text, cuda_hip_text, functions);
    return all;
}

const std::vector<ferry::Source>& double_sources() {
    static const std::vector<ferry::Source> all =
        variants(opencl_double_text, cuda_hip_double_text, double_functions);
    return all;
}

const std::vector<ferry::Source>& half_sources() {
    static const std::vector<ferry::Source> all = variants(opencl_half_text, cuda_hip_half_text, {});
    return all;
}

const ferry::Program& program(const ferry::Device& device) {
    static std::mutex mutex;
    static std::map<std::string, ferry::Program> built;
    const std::scoped_lock lock(mutex);
    const std::string id = device.id();
    auto found = built.find(id);
    if (found == built.end()) {
        found = built.emplace(id, ferry::Program{device, sources()}).first;
    }
    return found->second;
}

ferry::Kernel kernel(const ferry::Device& device, std::string_view name) {
    return program(device).kernel(name);
}

} // namespace conformance
