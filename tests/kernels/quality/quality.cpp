// SPDX-License-Identifier: Apache-2.0
// Compares the CUDA that Ferry makes of OpenCL C with hand-written CUDA. Both kernels of each pair of this
// folder are compiled with the same compiler. Prints the table of docs/performance.md. Needs NVRTC and no
// GPU. See README.md.
#include "cuda/cuda_cubin.hpp"
#include "emit_cpp/emit.hpp"
#include "nvrtc.hpp"
#include "ptx_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::array pairs{"saxpy", "matmul", "reduce", "stencil", "nbody", "mandelbrot", "sha256"};
constexpr std::size_t usual_rounds = 9;

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("'" + path + "' cannot be read");
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

ferry::translate::Translation translate(const std::string& name, const std::string& text) {
    ferry::translate::Request request;
    request.dialect = ferry::translate::Dialect::cuda;
    request.name = name;
    request.text = text;
    ferry::translate::Translation result = ferry::emit_cpp::translate(request);
    if (!result.error.empty()) {
        throw std::runtime_error(result.error);
    }
    return result;
}

struct Pair {
    std::string name;
    quality::Nvrtc::Result hand;
    quality::Nvrtc::Result translated;
    double hand_time = 0;
    double translated_time = 0;
    double translation_time = 0;
};

// The three are timed in turn, so that other load affects them equally.
Pair measure(const quality::Nvrtc& nvrtc, const std::string& folder, const std::string& name,
             const std::vector<std::string>& options, std::size_t rounds) {
    std::vector<std::string> translated_options = options;
    if (!nvrtc.translated_option().empty()) {
        translated_options.push_back(nvrtc.translated_option());
    }
    const std::string by_hand = read(folder + "/" + name + ".cu");
    const std::string portable = read(folder + "/" + name + ".cl");
    Pair pair;
    pair.name = name;
    std::vector<double> hand;
    std::vector<double> translated;
    std::vector<double> translation;
    for (std::size_t i = 0; i < rounds; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const std::string text = translate(name + ".cl", portable).text;
        translation.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        pair.hand = nvrtc.compile(by_hand, name + ".cu", options);
        hand.push_back(pair.hand.milliseconds);
        pair.translated = nvrtc.compile(text, name + ".cl", translated_options);
        translated.push_back(pair.translated.milliseconds);
    }
    pair.hand_time = median(hand);
    pair.translated_time = median(translated);
    pair.translation_time = median(translation);
    return pair;
}

/// The kernels may differ by some instructions at their edges (docs/performance.md), but not in the width of
/// a load.
bool is_as_good(const ferry::cuda::CubinKernel& own, const ferry::cuda::CubinKernel& by_hand,
                const quality::Text& own_text, const quality::Text& text) {
    return own.registers <= by_hand.registers + 4 && own.stack <= by_hand.stack &&
           own.code_bytes <= by_hand.code_bytes + by_hand.code_bytes / 4 &&
           own_text.wide_loads >= text.wide_loads && own_text.wide_stores >= text.wide_stores;
}

/// Prints a comparison. Returns whether the translated code is as good as the hand-written code.
bool print_code(const Pair& pair) {
    bool good = true;
    const auto hand = ferry::cuda::read_cubin(pair.hand.cubin);
    const auto translated = ferry::cuda::read_cubin(pair.translated.cubin);
    const auto hand_text = quality::read_ptx(pair.hand.ptx);
    const auto translated_text = quality::read_ptx(pair.translated.ptx);
    for (const auto& [name, code] : hand) {
        const ferry::cuda::CubinKernel& own = translated.at(name);
        const quality::Text& h = hand_text.at(name);
        const quality::Text& t = translated_text.at(name);
        std::printf("| %s | %u / %u | %zu / %zu | %llu / %llu | %zu / %zu | %zu / %zu | %u / %u |\n",
                    name.c_str(), code.registers, own.registers, h.instructions, t.instructions,
                    static_cast<unsigned long long>(code.code_bytes / 16),
                    static_cast<unsigned long long>(own.code_bytes / 16), h.wide_loads, t.wide_loads,
                    h.wide_stores, t.wide_stores, code.stack, own.stack);
        if (!is_as_good(own, code, t, h)) {
            std::printf("%s is worse than by hand\n", name.c_str());
            good = false;
        }
    }
    return good;
}

int run(int argc, char** argv) {
    std::string folder = ".";
    std::string library;
    std::string architecture = "sm_90";
    std::string rounds = std::to_string(usual_rounds);
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        std::string* const value = option == "--nvrtc"    ? &library
                                   : option == "--arch"   ? &architecture
                                   : option == "--folder" ? &folder
                                   : option == "--rounds" ? &rounds
                                                          : nullptr;
        if (value == nullptr) {
            std::fprintf(stderr, "'%s' is none of --nvrtc, --arch, --folder and --rounds\n", argv[i]);
            return 2;
        }
        *value = argv[i + 1];
    }
    const quality::Nvrtc nvrtc(library);
    const std::vector<std::string> options{"--std=c++17", "--gpu-architecture=" + architecture};
    static_cast<void>(
        nvrtc.compile("extern \"C\" __global__ void first() {}", "first.cu", options)); // loads it
    std::vector<Pair> measured;
    for (const char* name : pairs) {
        measured.push_back(measure(nvrtc, folder, name, options, std::max(std::stoul(rounds), 1UL)));
    }
    std::printf("NVRTC %s, %s; by hand / translated\n\n", nvrtc.version().c_str(), architecture.c_str());
    std::printf(
        "| kernel | registers | PTX instructions | machine instructions | 128-bit loads | 128-bit stores | "
        "stack, bytes |\n|---|---|---|---|---|---|---|\n");
    bool good = true;
    for (const Pair& pair : measured) {
        good = print_code(pair) && good;
    }
    std::printf("\n| file | NVRTC by hand | NVRTC translated | Ferry |\n|---|---|---|---|\n");
    for (const Pair& pair : measured) {
        std::printf("| %s | %.1f ms | %.1f ms | %.2f ms |\n", pair.name.c_str(), pair.hand_time,
                    pair.translated_time, pair.translation_time);
    }
    return good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
