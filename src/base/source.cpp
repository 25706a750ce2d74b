// SPDX-License-Identifier: Apache-2.0
#include <ferry/embedded_kernels.hpp>
#include <ferry/source.hpp>

#include <algorithm>
#include <utility>

namespace ferry {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

Source::Source(Language language, std::string contents, std::string_view name, std::string_view architecture)
    : language_(language), contents_(std::move(contents)), name_(name), architecture_(architecture) {}

Source Source::opencl_c(std::string_view text, std::string_view name) {
    return {Language::opencl_c, std::string(text), name, {}};
}
Source Source::cuda(std::string_view text, std::string_view name) {
    return {Language::cuda, std::string(text), name, {}};
}
Source Source::hip(std::string_view text, std::string_view name) {
    return {Language::hip, std::string(text), name, {}};
}
std::vector<Source> Source::cuda_and_hip(std::string_view text, std::string_view name) {
    return {cuda(text, name), hip(text, name)};
}
Source Source::ptx(std::string_view text, std::string_view name) {
    return {Language::ptx, std::string(text), name, {}};
}
Source Source::cubin(std::span<const std::byte> bytes, std::string_view architecture) {
    return {Language::cubin, text_of(bytes), "cubin", architecture};
}
Source Source::code_object(std::span<const std::byte> bytes, std::string_view architecture) {
    return {Language::code_object, text_of(bytes), "code object", architecture};
}
Source Source::opencl_binary(std::span<const std::byte> bytes, std::string_view architecture) {
    return {Language::opencl_binary, text_of(bytes), "OpenCL binary", architecture};
}
Source Source::spirv(std::span<const std::byte> bytes) {
    return {Language::spirv, text_of(bytes), "SPIR-V", {}};
}
Source Source::host(std::span<const HostKernel> kernels) {
    Source source{Language::host, {}, "host functions", {}};
    source.host_kernels_ = kernels;
    return source;
}

Source Source::host_module(const void* module) {
    Source source{Language::host, {}, "compiled kernels", {}};
    source.host_module_ = module;
    return source;
}
Source Source::compiled_from(std::string_view text, std::string_view name) const {
    Source source = *this;
    source.text_ = text;
    source.name_ = name;
    return source;
}
Source Source::with_global_offsets() const {
    Source source = *this;
    source.global_offsets_ = true;
    return source;
}

std::vector<Source> EmbeddedKernels::sources() const {
    std::vector<Source> all;
    for (const EmbeddedBinary& binary : binaries) {
        const std::span bytes{reinterpret_cast<const std::byte*>(binary.bytes.data()), binary.bytes.size()};
        const Source code = binary.language == Language::ptx ? Source::ptx(binary.bytes, name)
                            : binary.language == Language::spirv
                                ? Source::spirv(bytes)
                                : Source::code_object(bytes, binary.architecture);
        all.push_back(code.compiled_from(text, name));
    }
    all.push_back(Source::opencl_c(text, name));
    for (const HostCode& code : host) {
        if (code.usable == nullptr || code.usable()) {
            all.push_back(Source::host_module(code.module()));
            break;
        }
    }
    if (global_offsets) {
        std::transform(all.begin(), all.end(), all.begin(),
                       [](const Source& source) { return source.with_global_offsets(); });
    }
    return all;
}

} // namespace ferry
