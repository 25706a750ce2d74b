// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace ferry::host {

/// The bytes of a buffer that nothing has written since it was made. Thread-safe.
class UndefinedBytes {
public:
    /// One element for each byte: 1 if nothing has written it.
    using Marks = std::vector<unsigned char>;

    /// `bytes`: of the buffer; 0 if all of it counts as written.
    explicit UndefinedBytes(std::size_t bytes)
        : bytes_(bytes), marks_(bytes, 1), undefined_(static_cast<std::ptrdiff_t>(bytes)) {}

    void define(std::size_t offset, std::size_t bytes);
    /// For the bytes from `offset` on. Not for a buffer that counts as written.
    void assign(std::size_t offset, const Marks& marks);
    /// Empty if all of them are written.
    Marks marks(std::size_t offset, std::size_t bytes) const;
    /// No byte was ever written.
    bool untouched() const;

private:
    void drop_if_defined();

    const std::size_t bytes_;
    mutable std::mutex mutex_; // the rest
    Marks marks_;              ///< empty once all are written
    std::ptrdiff_t undefined_; ///< marks that are 1
    bool touched_ = false;
};

/// Fewer marked bytes in a row may be padding of a vector, or have been written with the value that was
/// there.
constexpr std::size_t shortest_certain = 16;
/// Length of the run of marked bytes that holds `at`.
std::size_t run_length(const UndefinedBytes::Marks& marks, std::size_t at) noexcept;
/// Removes the runs of fewer than `bytes` bytes.
void drop_short_runs(UndefinedBytes::Marks& marks, std::size_t bytes) noexcept;

} // namespace ferry::host
