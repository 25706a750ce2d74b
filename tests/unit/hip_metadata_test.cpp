// SPDX-License-Identifier: Apache-2.0
#include "hip/hip_metadata.hpp"
#include "hip/hip_msgpack.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace hip_metadata_test {

using namespace ferry;

namespace {

std::string fixed_text(const std::string& text) {
    return static_cast<char>(0xa0 + text.size()) + text;
}
std::string pair(const std::string& key, const std::string& value) {
    return fixed_text(key) + value;
}
std::string map(int count, const std::string& content) {
    return static_cast<char>(0x80 + count) + content;
}
std::string array(int count, const std::string& content) {
    return static_cast<char>(0x90 + count) + content;
}
std::string wide_text(const std::string& text) {
    return std::string("\xd9") + static_cast<char>(text.size()) + text;
}

std::string argument(const std::string& kind, int bytes) {
    return map(2, pair(".value_kind", fixed_text(kind)) +
                      pair(".size", std::string(1, static_cast<char>(bytes))));
}

template <class T>
void append(std::string& to, const T& value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// A code object that contains only metadata.
std::string code_object(const std::string& target) {
    const std::string kernel =
        map(3, pair(".name", fixed_text("scale")) +
                   pair(".args", array(4, argument("global_buffer", 8) + argument("by_value", 4) +
                                              argument("by_value", 16) + argument("hidden_none", 8))) +
                   pair(".reqd_workgroup_size", array(3, std::string("\xcc\x80\x01\x01"))));
    const std::string metadata = map(2, pair("amdhsa.target", wide_text("amdgcn-amd-amdhsa--" + target)) +
                                            pair("amdhsa.kernels", array(1, kernel)));
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = EM_AMDGPU;
    header.e_phoff = sizeof(Elf64_Ehdr);
    header.e_phnum = 1;
    Elf64_Nhdr note{};
    note.n_namesz = 7;
    note.n_descsz = static_cast<std::uint32_t>(metadata.size());
    note.n_type = 32;
    Elf64_Phdr segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    segment.p_filesz = sizeof(Elf64_Nhdr) + 8 + metadata.size();
    std::string image;
    append(image, header);
    append(image, segment);
    append(image, note);
    image.append("AMDGPU\0\0", 8);
    return image + metadata;
}

std::string bundle(const std::string& first, const std::string& second) {
    const std::string host = "host-x86_64-unknown-linux--";
    const std::string a = "hipv4-amdgcn-amd-amdhsa--gfx1030";
    const std::string b = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-";
    std::string image = "__CLANG_OFFLOAD_BUNDLE__";
    append(image, std::uint64_t{3});
    std::uint64_t offset = image.size() + std::size_t{3} * 24 + host.size() + a.size() + b.size();
    const auto entry = [&](const std::string& triple, std::size_t bytes) {
        append(image, offset);
        append(image, static_cast<std::uint64_t>(bytes));
        append(image, static_cast<std::uint64_t>(triple.size()));
        image += triple;
        offset += bytes;
    };
    entry(host, 0);
    entry(a, first.size());
    entry(b, second.size());
    return image + first + second;
}

} // namespace

TEST_CASE("kernels and parameters from a code object's metadata") {
    const hip::CodeObject object = hip::parse_code_object(code_object("gfx90a:sramecc+"));
    CHECK(object.architecture == "gfx90a:sramecc+");
    REQUIRE(object.kernels.size() == 1);
    const KernelInfo& kernel = object.kernels[0];
    CHECK(kernel.name == "scale");
    CHECK(kernel.parameters_known);
    CHECK(kernel.required_local == std::array<std::size_t, 3>{128, 1, 1});
    REQUIRE(kernel.parameters.size() == 3); // the caller does not pass the hidden one
    CHECK(kernel.parameters[0].kind == ParameterKind::buffer);
    CHECK(kernel.parameters[0].bytes == 8);
    CHECK(kernel.parameters[1].kind == ParameterKind::unknown); // it may be the offset of a local array
    CHECK(kernel.parameters[2].kind == ParameterKind::value);
    CHECK(kernel.parameters[2].bytes == 16);
}

TEST_CASE("the entry of an offload bundle that suits the device") {
    const std::string image = bundle(code_object("gfx1030"), code_object("gfx90a:xnack-"));
    CHECK(hip::parse_code_object(image, "gfx1030").architecture == "gfx1030");
    CHECK(hip::parse_code_object(image, "gfx90a:sramecc+:xnack-").architecture == "gfx90a:xnack-");
    CHECK(hip::parse_code_object(image, "gfx906").kernels.empty());
}

TEST_CASE("damaged code objects give less, and read nothing outside") {
    for (const std::string& whole :
         {code_object("gfx90a"), bundle(code_object("gfx1030"), code_object("gfx90a:xnack-"))}) {
        for (std::size_t length = 0; length < whole.size(); ++length) {
            hip::parse_code_object(std::string(whole, 0, length), "gfx90a");
        }
        for (std::size_t i = 0; i < whole.size(); ++i) {
            for (const int value : {0x00, 0x7f, 0x80, 0xc1, 0xdb, 0xdd, 0xdf, 0xff}) {
                std::string damaged = whole;
                damaged[i] = static_cast<char>(value);
                hip::parse_code_object(damaged, "gfx90a");
            }
        }
    }
    CHECK(hip::parse_code_object("").kernels.empty());
    CHECK(hip::parse_code_object("no code object at all").kernels.empty());
}

TEST_CASE("nesting without end is refused") {
    hip::MessagePack pack(std::string_view("\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91"
                                           "\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91"
                                           "\x91\x91\x91\x91\x91\x91\x91\x91\x01"));
    pack.skip();
    CHECK(pack.failed());
}

TEST_CASE("which devices run code built for an architecture") {
    CHECK(hip::runs_on("gfx90a", "gfx90a:sramecc+:xnack-"));
    CHECK(hip::runs_on("gfx90a:xnack-", "gfx90a:sramecc+:xnack-"));
    CHECK(hip::runs_on("gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-"));
    CHECK(!hip::runs_on("gfx90a:xnack+", "gfx90a:sramecc+:xnack-"));
    CHECK(!hip::runs_on("gfx90a:xnack-", "gfx90a"));
    CHECK(!hip::runs_on("gfx908", "gfx90a"));
    CHECK(hip::runs_on("gfx1030", "gfx1030"));
}

} // namespace hip_metadata_test
