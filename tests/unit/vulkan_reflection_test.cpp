// SPDX-License-Identifier: Apache-2.0
// The reading of a kernel's interface from the words of a module, of sound modules and of damaged ones.
#include "emit_spirv/emit.hpp"
#include "emit_spirv/vulkan_interface.hpp"
#include "opencl_c/check.hpp"
#include "vulkan/vulkan_module.hpp"
#include "vulkan/vulkan_program.hpp"
#include "vulkan/vulkan_reflection.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace vulkan_reflection_test {

using namespace ferry;
using Words = std::vector<std::uint32_t>;

Words compiled(const std::string& text) {
    const opencl_c::Checked checked = opencl_c::check(text, {});
    INFO(checked.messages());
    REQUIRE(checked.tree->checked);
    const emit_spirv::Emitted made = emit_spirv::emit(*checked.tree, emit_spirv::Flavour::vulkan);
    REQUIRE(made.refused.empty());
    return made.words;
}

const Words& sound() {
    static const Words words = compiled(R"(
        typedef struct { char tag; long number; } Pair;
        __kernel void values(__global float* out, char a, float3 b, Pair c, ulong d) {
            out[get_global_id(0)] = a + b.y + c.number + d;
        }
        __kernel void locals(__local int* first, __global int* out, __local double2* second) {
            __local int own[5];
            own[get_local_id(0) % 5] = 1;
            first[0] = own[0];
            second[0] = (double2)(first[0]);
            out[get_group_id(1)] = (int)second[0].x;
        }
        __kernel void many(__global int* out, long16 a, long b) { out[get_global_id(0)] = (int)(a.s3 + b); }
        __kernel void prints(__global int* out) { printf("%d and %s", out[0], "text"); }
        __kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(__global int* out) {
            out[get_global_id(0)] = 2;
        }
    )");
    return words;
}

vulkan::EntryLayout find(const std::vector<vulkan::EntryLayout>& all, const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    REQUIRE(found != all.end());
    return *found;
}

void check_member(const vulkan::MemberLayout& member, const char* name, std::uint32_t offset,
                  std::uint32_t bytes, bool may_point) {
    INFO(std::string(name));
    CHECK(member.name == name);
    CHECK(member.offset == offset);
    CHECK(member.bytes == bytes);
    CHECK(member.may_point == may_point);
}

/// The message if the module is refused, otherwise empty. Nothing else may happen.
std::string refusal(const Words& words) {
    try {
        static_cast<void>(vulkan::reflect(words));
        return {};
    } catch (const Error& error) {
        CHECK(error.code() == Code::build_failed);
        return error.what();
    }
}

TEST_CASE("vulkan reflection: values and pointers have the places of OpenCL C") {
    const auto all = vulkan::reflect(sound());
    REQUIRE(all.size() == 5);
    const vulkan::EntryLayout values = find(all, "values");
    REQUIRE(values.members.size() == 5);
    check_member(values.members[0], "out", 0, 8, true);
    check_member(values.members[1], "a", 8, 1, false);
    CHECK(values.members[2].offset == 16);
    CHECK(values.members[3].offset == 32);
    check_member(values.members[4], "d", 48, 8, true);
    CHECK(!values.has_block);
    REQUIRE(values.launch_offset);
    CHECK(*values.launch_offset == 56);
    CHECK(values.push_bytes >= 56 + emit_spirv::vulkan::launch_bytes);
    CHECK(values.locals.empty());
    CHECK(values.fixed_group == std::array<std::uint32_t, 3>{});
    CHECK_FALSE(values.prints);
    CHECK(find(all, "prints").prints);
}

TEST_CASE("vulkan reflection: local parameters are found by their SpecId, and local variables counted") {
    const vulkan::EntryLayout locals = find(vulkan::reflect(sound()), "locals");
    CHECK(locals.locals == std::vector<std::uint32_t>{0, 2});
    REQUIRE(locals.members.size() == 1);
    CHECK(locals.members[0].name == "out");
    CHECK(locals.local_bytes == 20);
}

TEST_CASE("vulkan reflection: capabilities that a device lacks are named") {
    vulkan::Traits device;
    CHECK(vulkan::missing_capabilities(vulkan::Module(compiled("kernel void k(global int* o) { o[0] = 1; }")),
                                       device)
              .empty());
    const Words words = compiled("kernel void k(global double* o, global char* p) { o[0] += p[0]; }");
    CHECK(vulkan::missing_capabilities(vulkan::Module(words), device) ==
          "Float64, Int8, StorageBuffer8BitAccess");
    device.fp64 = device.int8 = device.storage_8 = true;
    CHECK(vulkan::missing_capabilities(vulkan::Module(words), device).empty());
}

TEST_CASE("vulkan reflection: long argument lists are in a block") {
    const vulkan::EntryLayout many = find(vulkan::reflect(sound()), "many");
    CHECK(many.has_block);
    REQUIRE(many.members.size() == 3);
    check_member(many.members[0], "out", 0, 8, true);
    CHECK(many.members[1].offset == 128);
    CHECK(many.members[2].offset == 256);
    CHECK(many.block_bytes >= 264);
    REQUIRE(many.launch_offset);
    CHECK(*many.launch_offset == 8);
    CHECK(many.push_bytes <= emit_spirv::vulkan::push_constant_bytes);
}

TEST_CASE("vulkan reflection: a module that is cut off is refused at each length") {
    const Words& whole = sound();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        INFO("the first ", length, " of ", whole.size(), " words");
        CHECK(!refusal({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}).empty());
    }
    CHECK(refusal(whole).empty());
}

TEST_CASE("vulkan reflection: damaged words are refused or read, and nothing else") {
    std::mt19937 random(std::random_device{}()); // NOLINT(cert-msc51-cpp)
    const Words& whole = sound();
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        Words words = whole;
        for (unsigned i = 0; i <= random() % 4; ++i) {
            std::uint32_t& word = words[random() % words.size()];
            switch (random() % 4) {
            case 0:
                word = static_cast<std::uint32_t>(random());
                break;
            case 1:
                word ^= 1U << random() % 32;
                break;
            case 2:
                word = words[random() % words.size()];
                break;
            default:
                word = 0xFFFFFFFFU;
            }
        }
        refused += refusal(words).empty() ? 0 : 1;
    }
    CHECK(refused > 100);
}

TEST_CASE("vulkan reflection: messages name the fault") {
    const auto says = [](const Words& words, const char* part) {
        const std::string message = refusal(words);
        INFO(message);
        CHECK(message.find(part) != std::string::npos);
    };
    says({}, "magic number 0x07230203");
    says({0x03022307, 0, 0, 0, 0}, "magic number 0x07230203");
    const Words header{0x07230203, 0x00010500, 0, 10, 0};
    const auto with = [&](std::initializer_list<std::uint32_t> rest) {
        Words words = header;
        words.insert(words.end(), rest);
        return words;
    };
    says(header, "no entry point for compute");
    says(with({0x00030011}), "word 5 has 3 words, but 1 are left");
    says(with({0x00000011}), "word 5 has 0 words");
    says(with({0x0003000E, 2, 2}), "for OpenCL");
    says(with({0x00010015}), "needs at least 3");
    says(with({0x0005000F, 5, 1, 0x6C6C6B61, 0}), "no function for its kernel 'akll'");
    says(with({0x0004000F, 5, 1, 0x6C6C6B61}), "has no end");
    says(with({0x00050036, 2, 1, 0, 3}), "ends within a function");
    says(with({0x00010038}), "ends a function, and there is none");
}

} // namespace vulkan_reflection_test
