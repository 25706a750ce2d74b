// SPDX-License-Identifier: Apache-2.0
// A sound OpenCL driver and one that ends the process, both opened by the system's loader.
#include "fixture.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace isolation;

namespace {

struct Drivers : Folder {
    std::string sound = std::getenv("OCL_ICD_FILENAMES"); // NOLINT(concurrency-mt-unsafe)
    std::string evil = library_of("cuda");
    std::string vendors = path() + "/vendors";

    Drivers() {
        std::filesystem::create_directory(vendors);
        std::ofstream(vendors + "/a_evil.icd") << evil << '\n';
    }
    void add_sound() const { std::ofstream(vendors + "/b_sound.icd") << sound << '\n'; }
    support::ChildResult open(const std::string& fault) const {
        return use(*this, "opencl", fault,
                   {{"FERRY_OPENCL_LIBRARY", std::nullopt},
                    {"OCL_ICD_VENDORS", vendors},
                    {"OCL_ICD_FILENAMES", std::nullopt}});
    }
};

} // namespace

TEST_CASE("isolation: an OpenCL driver that ends the process costs only its own devices") {
    Drivers drivers;
    drivers.add_sound();
    CHECK(drivers.open("").says("opencl is available")); // a sound library that is not a driver
    for (const int expected : {2, 0}) {
        drivers.opened();
        const auto result = drivers.open("constructor:crash");
        CHECK_MESSAGE(survived(result), result.describe());
        CHECK_MESSAGE(result.says("opencl is available"), result.describe());
        CHECK_MESSAGE(result.says("The OpenCL driver " + drivers.evil + " (" + drivers.vendors +
                                  "/a_evil.icd) is left out"),
                      result.describe());
        CHECK(result.says("ended by signal 11 in its initialisation (clGetPlatformIDs)"));
        CHECK(drivers.opened() == expected);
    }
}

TEST_CASE("isolation: the only OpenCL driver ends the process: it is named, and OpenCL is not available") {
    Drivers drivers;
    for (const int expected : {2, 0}) {
        drivers.opened();
        const auto result = drivers.open("constructor:abort");
        CHECK_MESSAGE(survived(result), result.describe());
        CHECK_MESSAGE(result.says("opencl is not available"), result.describe());
        CHECK_MESSAGE(result.says("ended by signal 6 in its initialisation (clGetPlatformIDs). The OpenCL "
                                  "driver at fault is " +
                                  drivers.evil),
                      result.describe());
        CHECK(drivers.opened() == expected);
    }
}

TEST_CASE("isolation: an OpenCL driver that is installed later is tested") {
    Drivers drivers;
    std::filesystem::remove(drivers.vendors + "/a_evil.icd");
    drivers.add_sound();
    CHECK(drivers.open("constructor:crash").says("opencl is available"));
    std::ofstream(drivers.vendors + "/z_evil.icd") << drivers.evil << '\n';
    const auto result = drivers.open("constructor:crash");
    CHECK_MESSAGE(survived(result), result.describe());
    CHECK_MESSAGE(result.says("z_evil.icd) is left out"), result.describe());
}
