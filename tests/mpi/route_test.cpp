// SPDX-License-Identifier: Apache-2.0
// The path of memory to MPI, and the choice of a rank's device.
#include "mpi_test.hpp"

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace {

bool host_reaches(const ferry::Device& device) {
    return device.backend() == ferry::Backend::host &&
           device.info().name.find(", strict") == std::string::npos;
}

class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        const char* const old = std::getenv(name);
        had_ = old != nullptr;
        old_ = had_ ? old : "";
        setenv(name, value, 1);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() {
        if (had_) {
            setenv(name_, old_.c_str(), 1);
        } else {
            unsetenv(name_);
        }
    }

private:
    const char* name_;
    bool had_;
    std::string old_;
};

} // namespace

TEST_CASE("mpi: FERRY_MPI_DEVICE_ADDRESSES decides if the program does not") {
    const ferry::Device device = world().device();
    {
        const Variable never("FERRY_MPI_DEVICE_ADDRESSES", "never");
        const mpi::Explanation told = mpi::Communicator(MPI_COMM_WORLD, device).explain();
        CHECK(told.route != mpi::Route::device);
        CHECK((told.route == mpi::Route::host || told.why == "device addresses were not asked for"));
    }
    const Variable often("FERRY_MPI_DEVICE_ADDRESSES", "often");
    try {
        const mpi::Communicator refused(MPI_COMM_WORLD, device);
        FAIL_CHECK("a value that says nothing was taken");
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::invalid_argument);
        CHECK(std::string(error.what()).find("'often'") != std::string::npos);
    }
}

TEST_CASE("mpi: explain() reports the route, and counts the bytes that took it") {
    const ferry::Device device = world().device();
    ferry::Queue queue{device};
    mpi::Communicator fresh{MPI_COMM_WORLD, device, {.chunk_bytes = 1024}};
    ferry::Buffer<Word> from{device, 1000};
    ferry::Buffer<Word> to{device, 1000};
    queue.fill(from, 4U);
    const mpi::Request arriving = fresh.irecv(queue, to, previous());
    fresh.send(queue, from, next());
    arriving.wait();
    CHECK(queue.read(to) == std::vector<Word>(1000, 4));
    const mpi::Explanation told = fresh.explain();
    CHECK(told.messages == 2);
    CHECK(told.chunk_bytes == 1024);
    CHECK_FALSE(told.why.empty());
    CHECK(told.bytes_host == (told.route == mpi::Route::host ? 8000 : 0));
    CHECK(told.bytes_device == (told.route == mpi::Route::device ? 8000 : 0));
    CHECK(told.bytes_staged == (told.route == mpi::Route::staged ? 8000 : 0));
    CHECK((told.route == mpi::Route::host) == host_reaches(device));
    if (const char* const route = std::getenv("FERRY_EXPECT_ROUTE");
        route != nullptr && !host_reaches(device)) {
        CHECK(std::string(mpi::to_string(told.route)) == route);
    }
    const std::string text = to_string(told);
    CHECK_MESSAGE(text.find(mpi::to_string(told.route)) == 0, text);
    CHECK_MESSAGE(text.find("8000 bytes") != std::string::npos, text);
}

TEST_CASE("mpi: device addresses that are not wanted are not used, and required ones are or it is an error") {
    const ferry::Device device = world().device();
    const mpi::Communicator never{MPI_COMM_WORLD, device, {.device_addresses = mpi::DeviceAddresses::never}};
    CHECK(never.explain().route != mpi::Route::device);
    const mpi::Route best = mpi::Communicator{MPI_COMM_WORLD, device}.explain().route;
    const int staged = best == mpi::Route::staged ? 1 : 0;
    int any = 0;
    REQUIRE(MPI_Allreduce(&staged, &any, 1, MPI_INT, MPI_MAX, world().native()) == MPI_SUCCESS);
    try {
        const mpi::Communicator required{
            MPI_COMM_WORLD, device, {.device_addresses = mpi::DeviceAddresses::required}};
        CHECK(any == 0);
    } catch (const ferry::Error& error) { // all ranks throw if one does
        CHECK(any == 1);
        CHECK(error.code() == ferry::Code::unsupported);
        CHECK(std::string(error.what()).find(staged == 1 ? device.id() : "rank 0") != std::string::npos);
    }
}

TEST_CASE("mpi: chunks that differ or cannot be are refused on every rank") {
    const auto code_of = [](std::size_t bytes) {
        try {
            const mpi::Communicator made{MPI_COMM_WORLD, world().device(), {.chunk_bytes = bytes}};
        } catch (const ferry::Error& error) {
            return error.code();
        }
        return ferry::Code::internal;
    };
    CHECK(code_of(255) == ferry::Code::invalid_argument);
    CHECK(code_of((std::size_t{1} << 30) + 1) == ferry::Code::invalid_argument);
    if (world().size() > 1) {
        CHECK(code_of(world().rank() == 0 ? 1024 : 2048) == ferry::Code::invalid_argument);
    }
}

TEST_CASE("mpi: the ranks of a machine take the devices of the list in turn") {
    {
        const Variable list{"FERRY_MPI_DEVICES", "host:0,,host"};
        CHECK(mpi::local_device(MPI_COMM_WORLD).id() == "host:0");
    }
    {
        const Variable list{"FERRY_MPI_DEVICES", ","};
        CHECK_THROWS_AS(static_cast<void>(mpi::local_device(MPI_COMM_WORLD)), ferry::Error);
    }
    {
        const Variable list{"FERRY_MPI_DEVICES", "no such device"};
        CHECK_THROWS_AS(static_cast<void>(mpi::local_device(MPI_COMM_WORLD)), ferry::Error);
    }
    const std::string wanted = std::getenv("FERRY_MPI_DEVICES");
    std::vector<std::string> names;
    std::istringstream list_wanted(wanted);
    for (std::string name; std::getline(list_wanted, name, ',');) {
        names.push_back(name);
    }
    if (names.size() > 1) {
        const std::string backend(ferry::to_string(world().device().backend()));
        CHECK(names[static_cast<std::size_t>(world().rank()) % names.size()].find(backend) == 0);
    }
    {
        const Variable list{"FERRY_MPI_DEVICES", ""};
        const std::vector<ferry::Device> present = ferry::devices();
        CHECK(mpi::local_device(MPI_COMM_WORLD).info().kind == present.front().info().kind);
    }
    {
        const Variable list{"FERRY_MPI_DEVICES", "no such device"};
        const ferry::Settings before = ferry::settings();
        ferry::Settings mine = before;
        mine.device = "host:0";
        ferry::configure(mine); // the program's setting overrides the variable
        CHECK(mpi::local_device(MPI_COMM_WORLD).id() == "host:0");
        ferry::configure(before);
    }
}
