// SPDX-License-Identifier: Apache-2.0
// Hardware that two backends see. The simulated libcuda reports the PCI address of the first of HIP's two
// devices. That libcuda computes nothing.
#include "report.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

std::string ids(const std::vector<ferry::Device>& devices) {
    std::string text;
    for (const ferry::Device& device : devices) {
        text += (text.empty() ? "" : " ") + device.id();
    }
    return text;
}

std::string found(const std::string& selector) {
    return ferry::find_device(selector).id();
}

struct Backends {
    explicit Backends(const char* list) { ferry::configure({.backend = list}); }
    Backends(const Backends&) = delete;
    Backends& operator=(const Backends&) = delete;
    ~Backends() { ferry::configure({}); }
};

const std::string pci = "0000:c0:00.0"; ///< of hip:0, and in capitals of cuda:0

} // namespace

TEST_CASE("alternates: one piece of hardware is one device, under the backend that comes first") {
    for (const bool cuda_first : {true, false}) {
        const Backends backends(cuda_first ? "cuda,hip" : "hip,cuda");
        const std::string first = cuda_first ? "cuda:0" : "hip:0";
        const std::string second = cuda_first ? "hip:0" : "cuda:0";
        CAPTURE(first);
        CHECK(ids(ferry::devices()) == first + " hip:1");
        CHECK(ids(ferry::all_devices()) == (cuda_first ? "cuda:0 hip:0 hip:1" : "hip:0 hip:1 cuda:0"));
        CHECK(ferry::default_device().id() == first);

        CHECK(ids(ferry::find_device(first).alternates()) == second);
        CHECK(ids(ferry::find_device(second).alternates()) == first);
        CHECK(ferry::find_device("hip:1").alternates().empty());
        CHECK_FALSE(ferry::find_device(first) == ferry::find_device(second));

        CHECK(found("0") == first);
        CHECK(found("1") == "hip:1");
        CHECK(found(pci) == first);
        CHECK(found("c0:00.0") == first);
        CHECK(found(ferry::find_device("hip:0").info().uuid) == "hip:0"); // cuda:0 reports no UUID
        CHECK(found("Empty") == "cuda:0");
        try {
            found("2");
            FAIL_CHECK("there are two devices");
        } catch (const ferry::Error& error) {
            CHECK(std::string(error.what()).find("2 devices") != std::string::npos);
        }
    }
}

TEST_CASE(
    "alternates: the native backend comes first by default, and FERRY_BACKEND=hip shows all devices of HIP") {
    CHECK(ferry::devices().front().id() == "cuda:0");
    const Backends backends("hip");
    CHECK(ids(ferry::devices()) == "hip:0 hip:1");
    CHECK(found(pci) == "hip:0");
}

TEST_CASE("alternates: the hidden alternate works on request") {
    const ferry::Device device = ferry::find_device("hip:0");
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> data{device, 100};
    queue.fill(data, 7U);
    CHECK(queue.read(data) == std::vector<std::uint32_t>(100, 7U));
}

TEST_CASE("alternates: a UUID identifies hardware too, and different hardware stays separate") {
    const auto devices = [](const char* variable, const char* value) {
        loader::Variables variables{{"FERRY_BACKEND", "cuda,hip"},
                                    {"FERRY_CUDA_LIBRARY", loader::path("FERRY_CUDA_LIBRARY")},
                                    {"FERRY_HIP_LIBRARY", loader::path("FERRY_HIP_LIBRARY")},
                                    {"FERRY_DOUBLE_CUDA_PCI", std::nullopt}};
        variables.emplace_back(variable, value);
        return loader::report(std::move(variables));
    };
    const auto same = devices("FERRY_DOUBLE_CUDA_UUID", "ferry-double-001");
    INFO(same.describe());
    CHECK(same.says("devices: cuda:0 hip:0\n")); // hip:1 is an alternate of cuda:0
    const auto apart = devices("FERRY_DOUBLE_CUDA_PCI", "0000:c7:00.0");
    INFO(apart.describe());
    CHECK(apart.says("devices: cuda:0 hip:0 hip:1\n"));
}
