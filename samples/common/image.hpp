// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace sample {

/// uchar4 in kernels.
struct alignas(4) Pixel {
    std::uint8_t r = 0;
    std::uint8_t g = 0;
    std::uint8_t b = 0;
    std::uint8_t a = 255;
    friend bool operator==(const Pixel&, const Pixel&) = default;
};

/// Rows from top to bottom, pixels from left to right, without gaps.
struct Image {
    std::size_t width = 0;
    std::size_t height = 0;
    std::vector<Pixel> pixels;
};

/// Reads a PNG or JPEG file, told apart by its first bytes. Throws std::runtime_error naming the file.
Image read_image(const std::filesystem::path& file);

/// Writes a PNG file, colours or grey levels. Throws std::runtime_error naming the file.
void write_png(const std::filesystem::path& file, std::size_t width, std::size_t height,
               std::span<const Pixel> pixels);
void write_png(const std::filesystem::path& file, std::size_t width, std::size_t height,
               std::span<const std::uint8_t> grey);

/// The PNG and JPEG files, by their names, among `paths` and in the folders among them; sorted within a
/// folder. Throws std::runtime_error if a path does not exist or nothing is found.
std::vector<std::filesystem::path> find_images(std::span<const std::string> paths);

namespace detail {
Image read_jpeg(const std::filesystem::path& file);
}

} // namespace sample
