// SPDX-License-Identifier: Apache-2.0
#include <ferry/source.hpp>

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

} // namespace ferry
