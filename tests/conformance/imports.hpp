// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace conformance {

inline bool says_whole_pages(const ferry::Error& error) {
    return error.code() == ferry::Code::unsupported &&
           std::string(error.what()).find("whole pages only") != std::string::npos;
}

/// An import of any elements. If a device accepts only whole pages, this imports the pages around the
/// elements, and the elements are a part of that import.
template <class T>
class Import {
public:
    Import(const ferry::Device& device, std::span<T> elements) {
        try {
            elements_ = ferry::Imported<T>(device, elements);
        } catch (const ferry::Error& error) {
            if (!says_whole_pages(error)) {
                throw;
            }
            CHECK(matches(device, ", strict"));
            const auto facts = device.capabilities(ferry::MemoryKind::imported, ferry::Probe::declared);
            const std::size_t page = facts.pointer_alignment.value;
            CHECK(facts.size_granularity.value == page);
            const auto address = reinterpret_cast<std::uintptr_t>(elements.data());
            const std::size_t before = address % page;
            const std::size_t bytes = (before + elements.size_bytes() + page - 1) / page * page;
            around_ = ferry::Imported<T>(device, {elements.data() - before / sizeof(T), bytes / sizeof(T)});
            elements_ = ferry::Imported<T>(device, elements);
        }
    }
    const ferry::Imported<T>* operator->() const { return &elements_; }
    const ferry::Imported<T>& operator*() const { return elements_; }

private:
    ferry::Imported<T> around_;
    ferry::Imported<T> elements_;
};
template <class C>
Import(const ferry::Device&, C&) -> Import<typename C::value_type>;

/// The device computes data[i] += value; the host checks it.
inline void check_adds(ferry::Queue& queue, const ferry::Imported<std::uint32_t>& imported,
                       std::uint32_t value) {
    const std::span<std::uint32_t> span = imported.span();
    std::vector<std::uint32_t> wanted(span.begin(), span.end());
    for (std::uint32_t& v : wanted) {
        v += value;
    }
    queue.launch(kernel(queue.device(), "add"), ferry::Grid::covering(span.size(), 32), imported,
                 static_cast<std::uint32_t>(span.size()), value);
    queue.finish();
    check_same(std::vector<std::uint32_t>(span.begin(), span.end()), wanted);
}

} // namespace conformance
