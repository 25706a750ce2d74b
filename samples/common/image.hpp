// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace sample {

/// The type uchar4 of kernels.
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

/// Reads a PNG or JPEG file; its first bytes decide which. Throws std::runtime_error with the file's name.
Image read_image(const std::filesystem::path& file);

/// Writes a PNG file in colours or grey levels. Throws std::runtime_error with the file's name.
void write_png(const std::filesystem::path& file, std::size_t width, std::size_t height,
               std::span<const Pixel> pixels);
void write_png(const std::filesystem::path& file, std::size_t width, std::size_t height,
               std::span<const std::uint8_t> grey);

/// The PNG and JPEG files among `paths` and in the folders among them, recognised by their names. They are
/// sorted within a folder. Throws std::runtime_error if a path does not exist or no file is found.
std::vector<std::filesystem::path> find_images(std::span<const std::string> paths);

namespace detail {
Image read_jpeg(const std::filesystem::path& file);
}

} // namespace sample
