// SPDX-License-Identifier: Apache-2.0
// Compiles every HIP kernel of the samples, of the tests and of Ferry, with AMD's own run-time compiler, for
// each given architecture. No device is needed. It is a separate process, because that compiler and an OpenCL
// driver's, both based on LLVM, crash each other.
//
//   hiprtc_check LIBRARY ARCHITECTURE[,ARCHITECTURE...] FILE...
#include "../../conformance/kernel_texts.hpp"
#include "../hip_library.hpp"
#include "driver/driver_helpers.hpp"
#include "hip/hip_metadata.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Text {
    std::string name, text;
};

std::vector<Text> texts_of(int count, char** files) {
    std::vector<Text> texts{{"conformance", conformance::cuda_hip_text},
                            {"conformance (double)", conformance::cuda_hip_double_text},
                            {"conformance (half)", conformance::cuda_hip_half_text},
                            {"Ferry's own kernels", ferry::driver::helper_text}};
    for (int i = 0; i < count; ++i) {
        std::ifstream file(files[i]);
        if (!file) {
            throw std::runtime_error(std::string("cannot read ") + files[i]);
        }
        texts.push_back({files[i], {std::istreambuf_iterator<char>(file), {}}});
    }
    return texts;
}

/// Prints a line, and after a failure also the log.
bool check(const ferry_double::HipCompiler& rtc, const Text& text, const std::string& architecture) {
    void* program = nullptr;
    const std::string option = "--gpu-architecture=" + architecture;
    const char* options[] = {option.c_str()};
    if (rtc.hiprtcCreateProgram(&program, text.text.c_str(), text.name.c_str(), 0, nullptr, nullptr) != 0) {
        return false;
    }
    const int code = rtc.hiprtcCompileProgram(program, 1, static_cast<const char**>(options));
    std::size_t bytes = 0;
    std::string image;
    if (code == 0 && rtc.hiprtcGetCodeSize(program, &bytes) == 0) {
        image.resize(bytes);
        rtc.hiprtcGetCode(program, image.data());
    }
    const ferry::hip::CodeObject object = ferry::hip::parse_code_object(image);
    const bool good = code == 0 && !object.kernels.empty() && object.architecture.find(architecture) == 0;
    std::printf("%-9s %-40s %zu kernels  %s\n", architecture.c_str(),
                text.name.substr(text.name.rfind('/') + 1).c_str(), object.kernels.size(),
                good ? "ok" : rtc.hiprtcGetErrorString(code));
    if (!good && rtc.hiprtcGetProgramLogSize(program, &bytes) == 0) {
        std::string log(bytes, '\0');
        rtc.hiprtcGetProgramLog(program, log.data());
        std::printf("%s\n", log.c_str());
    }
    rtc.hiprtcDestroyProgram(&program);
    return good;
}

} // namespace

int main(int count, char** arguments) {
    if (count < 3) {
        std::fprintf(stderr, "usage: hiprtc_check LIBRARY ARCHITECTURE[,...] [FILE...]\n");
        return 2;
    }
    try {
        const ferry_double::HipCompiler rtc = ferry_double::open_compiler(arguments[1]);
        int failed = 0;
        std::istringstream architectures(arguments[2]);
        for (std::string architecture; std::getline(architectures, architecture, ',');) {
            for (const Text& text : texts_of(count - 3, arguments + 3)) {
                failed += check(rtc, text, architecture) ? 0 : 1;
            }
        }
        return failed == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "hiprtc_check: %s\n", error.what());
        return 2;
    }
}
