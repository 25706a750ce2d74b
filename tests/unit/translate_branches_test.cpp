// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/emit.hpp"
#include "translate/flatten.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

namespace translate_branches_test {

using namespace ferry::translate;

namespace {

using Headers = std::map<std::string, std::string>;

/// Writes random headers with definitions, conditions and includes. Headers with odd numbers are guarded.
class Writer {
public:
    explicit Writer(std::uint64_t seed) : random_(seed) {}

    /// The text of the header `file`, or of the main text for -1. It includes headers with higher numbers and
    /// guarded ones.
    std::string of(int file, int lines) {
        file_ = file;
        includes_ = 0;
        return text(0, lines);
    }

private:
    std::string text(int depth, int lines) {
        std::string result;
        while (lines-- > 0) {
            result += line(depth);
        }
        return result;
    }

    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
    std::string name() { return std::string(1, "ABCDE"[below(5)]); }

    std::string line(int depth) {
        switch (below(depth < 2 ? 7 : 4)) {
        case 0:
            return "#undef " + name() + "\n";
        case 1: {
            const int header = static_cast<int>(below(4));
            const bool ends = header > file_ || header % 2 == 1;
            return ends && ++includes_ <= 4 ? "#include \"h" + std::to_string(header) + "\"\n" : "";
        }
        case 2: {
            const std::string macro = name();
            return "#undef " + macro + "\n#define " + macro + " " + std::to_string(below(3)) + "\n";
        }
        case 3:
            return "t" + std::to_string(below(9)) + " A __LINE__\n";
        default:
            return conditional(depth);
        }
    }

    std::string conditional(int depth) {
        const std::string first[] = {"#ifdef " + name(), "#ifndef " + name(), "#if " + condition(0)};
        std::string result = first[below(3)] + "\n" + text(depth + 1, 3);
        for (std::size_t others = below(3); others > 0; --others) {
            result += "#elif " + condition(0) + "\n" + text(depth + 1, 2);
        }
        return result + (below(2) == 0 ? "" : "#else\n" + text(depth + 1, 2)) + "#endif\n";
    }

    std::string condition(int depth) {
        const std::string inner = depth < 2 ? condition(depth + 1) : "1";
        switch (below(8)) {
        case 0:
            return "!defined(" + name() + ")";
        case 1:
            return "defined " + name();
        case 2:
            return name() + " == " + std::to_string(below(3));
        case 3:
            return std::to_string(below(3)) + " >= " + name();
        case 4:
            return "(" + inner + ") && " + name();
        case 5:
            return "!(" + inner + ") || " + name() + " < 1";
        case 6:
            return "(" + inner + ") + 1 == 2";
        default:
            return std::to_string(below(2));
        }
    }

    std::mt19937_64 random_;
    int file_ = -1;
    int includes_ = 0; ///< small, because each include multiplies the text
};

std::string preprocessed(const std::string& text, const Headers& headers) {
    Request request;
    request.name = "k.cl";
    request.text = text;
    request.preprocess.defines = {"A=1", "C=0"};
    for (const auto& [name, contents] : headers) {
        request.preprocess.headers.push_back({name, contents});
    }
    const ferry::emit_cpp::Unit unit(request);
    REQUIRE_FALSE(unit.failed());
    return unit.spelling();
}

} // namespace

TEST_CASE("flatten: random conditions and headers mean the same") {
    const std::uint64_t base = std::random_device()();
    for (std::uint64_t seed = base; seed < base + 200; ++seed) {
        CAPTURE(seed);
        Writer writer(seed);
        Headers headers;
        for (int i = 0; i < 4; ++i) {
            const std::string name = "h" + std::to_string(i);
            const std::string body = writer.of(i, 2);
            const std::string guard = "#ifndef G" + name + "\n#define G" + name + "\n";
            headers[name] = i % 2 == 0 ? body : guard + body + "#endif\n";
        }
        const std::string text = writer.of(-1, 4);
        const std::string flat = flatten(text, "k.cl", {}, headers, true);
        REQUIRE(preprocessed(flat, {}) == preprocessed(text, headers));
    }
}

} // namespace translate_branches_test
