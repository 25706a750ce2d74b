// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "random.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace conformance {

/// Memory of the operating system, unmapped at the end of the scope.
class Pages {
public:
    explicit Pages(std::size_t bytes, int rights = PROT_READ | PROT_WRITE)
        : bytes_(bytes), data_(mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        REQUIRE(data_ != MAP_FAILED);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { munmap(data_, bytes_); }
    template <class T = std::uint32_t>
    std::span<T> span() const {
        return {static_cast<T*>(data_), bytes_ / sizeof(T)};
    }
    void* data() const { return data_; }

private:
    std::size_t bytes_;
    void* data_;
};

/// Makes a new file of random bytes. The caller removes it.
inline std::string file_of(std::size_t bytes) {
    std::string name = "/tmp/ferry-import-XXXXXX";
    const int file = mkstemp(name.data());
    REQUIRE(file >= 0);
    const auto data = random_values<std::uint8_t>(bytes);
    REQUIRE(write(file, data.data(), bytes) == static_cast<ssize_t>(bytes));
    close(file);
    return name;
}

} // namespace conformance
