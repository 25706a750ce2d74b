// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "imports.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

using namespace conformance;

namespace {

/// 4 MiB of pages of 2 MiB: reserved huge pages, or transparent ones.
class HugePages {
public:
    static constexpr std::size_t page = std::size_t{2} << 20;
    static constexpr std::size_t bytes = 2 * page;
    explicit HugePages(bool reserved)
        : whole_bytes_(reserved ? bytes : bytes + page),
          whole_(mmap(nullptr, whole_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | (reserved ? MAP_HUGETLB : 0), -1, 0)) {
        if (whole_ == MAP_FAILED) {
            return;
        }
        const auto address = reinterpret_cast<std::uintptr_t>(whole_);
        data_ = static_cast<std::byte*>(whole_) + (page - address % page) % page;
        if (!reserved) {
            madvise(data_, bytes, MADV_HUGEPAGE); // the system may ignore it
        }
    }
    HugePages(const HugePages&) = delete;
    HugePages& operator=(const HugePages&) = delete;
    ~HugePages() {
        if (whole_ != MAP_FAILED) {
            munmap(whole_, whole_bytes_);
        }
    }
    bool there() const { return data_ != nullptr; }
    std::span<std::uint32_t> words() const {
        return {reinterpret_cast<std::uint32_t*>(data_), bytes / sizeof(std::uint32_t)};
    }

private:
    std::size_t whole_bytes_;
    void* whole_;
    std::byte* data_ = nullptr;
};

} // namespace

FERRY_TEST("import: huge pages, whole and parts of them that cross from one to the next") {
    ferry::Queue queue{device};
    for (const bool reserved : {true, false}) {
        INFO("reserved: ", reserved);
        const HugePages pages(reserved);
        if (!pages.there()) {
            MESSAGE("the system has no huge page reserved; those it makes itself are tested");
            continue;
        }
        const std::span<std::uint32_t> all = pages.words();
        const auto values = random_values<std::uint32_t>(all.size());
        std::copy(values.begin(), values.end(), all.begin());
        constexpr std::size_t border = HugePages::page / sizeof(std::uint32_t);
        for (const auto& range : {std::pair<std::size_t, std::size_t>{0, all.size()},
                                  {border - 5, border + 2},
                                  {0, border},
                                  {1 + random_below(border), border + 1 + random_below(border - 1)}}) {
            const std::size_t begin = range.first;
            const std::size_t end = range.second;
            INFO("words ", begin, " to ", end);
            const std::span<std::uint32_t> part = all.subspan(begin, end - begin);
            const std::uint32_t beside = all[end % all.size()];
            {
                const Import<std::uint32_t> imported{device, part};
                check_adds(queue, *imported, 11);
            }
            const std::vector<std::uint32_t> before(part.begin(), part.end());
            {
                auto shared = ferry::share(device, part, ferry::Access::device_updates);
                queue.launch(kernel(device, "add"), ferry::Grid::covering(part.size(), 32), shared,
                             static_cast<std::uint32_t>(part.size()), 3U);
            }
            CHECK(std::equal(before.begin(), before.end(), part.begin(),
                             [](std::uint32_t was, std::uint32_t is) { return is == was + 3; }));
            if (part.size() != all.size()) {
                CHECK(all[end % all.size()] == beside);
            }
        }
    }
}
