// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

namespace fs = std::filesystem;

namespace sample {
namespace {

enum class Format { other, png, jpeg };

Format format_of(const fs::path& file) {
    std::ifstream stream{file, std::ios::binary};
    if (!stream) {
        throw std::runtime_error(fmt::format("{}: cannot be opened", file.string()));
    }
    std::array<char, 8> head{};
    stream.read(head.data(), head.size());
    const std::string_view bytes{head.data(), head.size()};
    if (bytes == "\x89PNG\r\n\x1a\n") {
        return Format::png;
    }
    return bytes.starts_with("\xff\xd8\xff") ? Format::jpeg : Format::other;
}

Image read_png(const fs::path& file) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&png, file.c_str()) == 0) {
        throw std::runtime_error(fmt::format("{}: {}", file.string(), png.message));
    }
    png.format = PNG_FORMAT_RGBA;
    Image image{png.width, png.height, std::vector<Pixel>(std::size_t{png.width} * png.height)};
    if (png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr) == 0) {
        throw std::runtime_error(fmt::format("{}: {}", file.string(), png.message));
    }
    return image;
}

void write(const fs::path& file, std::size_t width, std::size_t height, png_uint_32 format,
           const void* bytes) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(width);
    png.height = static_cast<png_uint_32>(height);
    png.format = format;
    png.flags = PNG_IMAGE_FLAG_FAST;
    if (png_image_write_to_file(&png, file.c_str(), 0, bytes, 0, nullptr) == 0) {
        throw std::runtime_error(fmt::format("{}: {}", file.string(), png.message));
    }
}

bool named_like_an_image(const fs::path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

} // namespace

Image read_image(const fs::path& file) {
    switch (format_of(file)) {
    case Format::png:
        return read_png(file);
    case Format::jpeg:
        return detail::read_jpeg(file);
    case Format::other:
        break;
    }
    throw std::runtime_error(fmt::format("{}: is neither a PNG nor a JPEG file", file.string()));
}

void write_png(const fs::path& file, std::size_t width, std::size_t height, std::span<const Pixel> pixels) {
    write(file, width, height, PNG_FORMAT_RGBA, pixels.data());
}

void write_png(const fs::path& file, std::size_t width, std::size_t height,
               std::span<const std::uint8_t> grey) {
    write(file, width, height, PNG_FORMAT_GRAY, grey.data());
}

std::vector<fs::path> find_images(std::span<const std::string> paths) {
    std::vector<fs::path> files;
    for (const fs::path path : paths) {
        if (!fs::exists(path)) {
            throw std::runtime_error(fmt::format("{}: does not exist", path.string()));
        }
        if (!fs::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        const auto first = static_cast<std::ptrdiff_t>(files.size());
        for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
            if (entry.is_regular_file() && named_like_an_image(entry.path())) {
                files.push_back(entry.path());
            }
        }
        std::sort(files.begin() + first, files.end());
    }
    if (files.empty()) {
        throw std::runtime_error("no .png, .jpg or .jpeg file was found");
    }
    return files;
}

} // namespace sample
