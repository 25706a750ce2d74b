// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include <fmt/format.h>

#include <stdexcept>

#ifdef FERRY_SAMPLES_HAVE_JPEG
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <memory>
#endif

namespace sample::detail {

#ifdef FERRY_SAMPLES_HAVE_JPEG

namespace {

struct Errors : jpeg_error_mgr {
    std::jmp_buf back{};
    std::array<char, JMSG_LENGTH_MAX> message{};
};

void on_error(j_common_ptr jpeg) {
    auto* errors = static_cast<Errors*>(jpeg->err);
    errors->format_message(jpeg, errors->message.data());
    std::longjmp(errors->back, 1);
}

// This function has no objects with destructors, because libjpeg leaves it by longjmp.
bool decode(jpeg_decompress_struct& jpeg, Errors& errors, std::FILE* stream, Image& image,
            std::vector<std::uint8_t>& row) {
    if (setjmp(errors.back) != 0) {
        return false;
    }
    jpeg_create_decompress(&jpeg);
    jpeg_stdio_src(&jpeg, stream);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg);
    image.width = jpeg.output_width;
    image.height = jpeg.output_height;
    image.pixels.resize(image.width * image.height);
    row.resize(image.width * 3);
    while (jpeg.output_scanline < jpeg.output_height) {
        Pixel* pixel = image.pixels.data() + jpeg.output_scanline * image.width;
        std::uint8_t* line = row.data();
        jpeg_read_scanlines(&jpeg, &line, 1);
        for (std::size_t x = 0; x < image.width; ++x) {
            pixel[x] = {line[3 * x], line[3 * x + 1], line[3 * x + 2], 255};
        }
    }
    jpeg_finish_decompress(&jpeg);
    return true;
}

} // namespace

Image read_jpeg(const std::filesystem::path& file) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream{std::fopen(file.c_str(), "rb"),
                                                                 &std::fclose};
    if (!stream) {
        throw std::runtime_error(fmt::format("{}: cannot be opened", file.string()));
    }
    Errors errors;
    jpeg_decompress_struct jpeg{};
    jpeg.err = jpeg_std_error(&errors);
    errors.error_exit = on_error;
    Image image;
    std::vector<std::uint8_t> row;
    const bool good = decode(jpeg, errors, stream.get(), image, row);
    jpeg_destroy_decompress(&jpeg);
    if (!good) {
        throw std::runtime_error(fmt::format("{}: {}", file.string(), errors.message.data()));
    }
    return image;
}

#else

Image read_jpeg(const std::filesystem::path& file) {
    throw std::runtime_error(
        fmt::format("{}: is a JPEG file, and these samples were built without libjpeg; "
                    "install it (Debian, Ubuntu: apt-get install libjpeg-dev) and build again",
                    file.string()));
}

#endif

} // namespace sample::detail
