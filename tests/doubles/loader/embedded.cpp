// SPDX-License-Identifier: Apache-2.0
#include "embedded.hpp"

#include <ferry/ferry.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace loader {
namespace {

constexpr std::string_view text = "__kernel void value(__global uint* out) { out[0] = 4711; }\n";

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

void make_code_objects(const std::string& folder, const std::vector<std::string>& architectures) {
    ferry::CompileRequest request;
    request.backends = {ferry::Backend::hip};
    request.architectures = architectures;
    for (const ferry::CompileResult& result : ferry::compile(ferry::Source::opencl_c(text), request)) {
        if (!result.ok || result.language != ferry::Language::code_object) {
            throw std::runtime_error(result.architecture + ": " + result.compiler + result.diagnostics);
        }
        std::ofstream file(folder + "/" + result.architecture, std::ios::binary);
        file.write(reinterpret_cast<const char*>(result.binary.data()),
                   static_cast<std::streamsize>(result.binary.size()));
        std::printf("made: %s\n", result.architecture.c_str());
    }
}

void run_embedded(const std::vector<std::string>& forms) {
    std::vector<std::string> names;
    std::vector<std::string> contents;
    std::vector<ferry::EmbeddedBinary> binaries;
    for (const std::string& form : forms) {
        const std::size_t colon = form.find(':');
        names.push_back(form.substr(0, colon));
        contents.push_back(read(form.substr(colon + 1)));
    }
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const bool ptx = names[i] == "ptx";
        binaries.push_back({ptx ? ferry::Language::ptx : ferry::Language::code_object,
                            ptx ? std::string_view("compute_75") : std::string_view(names[i]), contents[i]});
    }
    const ferry::EmbeddedKernels kernels{"value.cl", text, {}, binaries};
    const ferry::Device device = ferry::devices().front();
    std::printf("compiles: %s\n", device.info().compiles ? "yes" : "no");
    const ferry::Program program{device, kernels};
    std::printf("form: %s\n%s\n", std::string(ferry::to_string(program.language())).c_str(),
                program.explain().c_str());
    if (device.backend() == ferry::Backend::cuda) {
        return; // the simulated libcuda computes nothing
    }
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 1};
    queue.fill(out, 0xdeadbeefU);
    queue.launch(program.kernel("value"), {1, 1}, out);
    std::printf("value: %u\n", queue.read(out).at(0));
}

} // namespace loader
