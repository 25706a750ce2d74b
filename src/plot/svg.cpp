// SPDX-License-Identifier: Apache-2.0
#include "svg.hpp"

#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace plot::svg {
namespace {

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '&':
            result += "&amp;";
            break;
        default:
            result += c;
        }
    }
    return result;
}

} // namespace

std::string print(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::array<char, 512> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    return text.data();
}

std::string text(double x, double y, const char* anchor, const std::string& words, const std::string& more) {
    return print("<text x='%.1f' y='%.1f' text-anchor='%s' %s>", x, y, anchor, more.c_str()) +
           escaped(words) + "</text>\n";
}

std::string rule(double x1, double y1, double x2, double y2, const char* colour) {
    return print("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>\n", x1, y1, x2, y2, colour);
}

std::string head(double height, double left, const std::string& title, const std::string& subtitle) {
    return print("<svg xmlns='http://www.w3.org/2000/svg' width='%g' height='%g' viewBox='0 0 %g %g' "
                 "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#222'>\n"
                 "<rect width='100%%' height='100%%' fill='white'/>\n",
                 width, height, width, height) +
           text(left, 28, "start", title, "font-size='17' font-weight='bold'") +
           text(left, 49, "start", subtitle, "fill='#555'");
}

std::string legend(const std::vector<Entry>& entries, double left, double& bottom) {
    constexpr double line = 20;
    constexpr double letter = 6.8;
    std::string svg;
    double x = left;
    for (const Entry& entry : entries) {
        const double wide = 56 + letter * static_cast<double>(entry.name.size());
        if (x > left && x + wide > width - right) {
            x = left;
            bottom += line;
        }
        if (entry.pen.weight > 0) {
            svg +=
                print("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='%.1f' "
                      "stroke-dasharray='%s'/>\n",
                      x, bottom - 4, x + 26, bottom - 4, entry.pen.colour, entry.pen.weight, entry.pen.dash);
        } else {
            svg += print("<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n", x + 13, bottom - 4,
                         entry.pen.colour);
        }
        svg += text(x + 32, bottom, "start", entry.name);
        x += wide;
    }
    bottom += line;
    return svg;
}

void write(const std::filesystem::path& file, const std::function<std::string()>& make) {
    std::string document;
    try {
        document = make();
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
    std::ofstream stream{file};
    stream << document;
    stream.close();
    if (!stream) {
        throw std::runtime_error(file.string() + ": cannot be written");
    }
}

} // namespace plot::svg
