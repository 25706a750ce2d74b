// SPDX-License-Identifier: Apache-2.0
#include "life.hpp"

#include <fstream>
#include <stdexcept>

namespace life {
namespace {

constexpr std::size_t pixels = 7; // for each cell

void rectangle(std::ostream& out, const Band& band) {
    out << "<rect x=\"" << band.x * pixels << "\" y=\"" << band.y * pixels << "\" width=\""
        << band.width * pixels << "\" height=\"" << band.height * pixels << "\" ";
    if (band.filled) {
        out << "fill=\"" << band.colour << "\"/>\n";
    } else {
        out << "fill=\"none\" stroke=\"" << band.colour << "\" stroke-width=\"2\"/>\n";
    }
}

} // namespace

void write_picture(const Cells& cells, const Options& options, const std::vector<Band>& bands) {
    if (options.picture.empty()) {
        return;
    }
    std::ofstream out(options.picture);
    const std::size_t width = options.width * pixels;
    const std::size_t height = options.height * pixels;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height
        << "\" width=\"" << width << "\" height=\"" << height << "\">\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"#f6f7f9\"/>\n";
    for (const Band& band : bands) {
        if (band.filled) {
            rectangle(out, band);
        }
    }
    out << "<path fill=\"#26418f\" d=\""; // one piece for each run of living cells in a row
    for (std::size_t y = 0; y < options.height; ++y) {
        for (std::size_t x = 0; x < options.width; ++x) {
            const std::size_t first = x;
            while (x < options.width && cells[y * options.width + x] != 0) {
                ++x;
            }
            if (x > first) {
                out << 'M' << first * pixels << ' ' << y * pixels << 'h' << (x - first) * pixels
                    << 'v' << pixels << 'H' << first * pixels << 'z';
            }
        }
        out << '\n';
    }
    out << "\"/>\n";
    for (const Band& band : bands) {
        if (!band.filled) {
            rectangle(out, band);
        }
    }
    out << "</svg>\n";
    if (!out.flush()) {
        throw std::runtime_error("the picture " + options.picture + " cannot be written");
    }
}

} // namespace life
