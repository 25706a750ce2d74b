// SPDX-License-Identifier: Apache-2.0
#include "assembler.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace amd_gpu {
namespace {

// The output of llvm-mc for INPUT.
std::vector<std::string> output_of(const std::string& input, const std::string& arguments) {
    char name[] = "/tmp/amd_gpu_XXXXXX";
    const int file = mkstemp(name);
    REQUIRE(file >= 0);
    close(file);
    std::ofstream(name) << input;
    const std::string command =
        std::string(FERRY_LLVM_MC) + " -triple=amdgcn " + arguments + " " + name + " 2>&1";
    std::vector<std::string> lines;
    std::FILE* const pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    char line[1024];
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
        lines.emplace_back(line);
    }
    pclose(pipe);
    unlink(name);
    return lines;
}

constexpr char encoding_mark[] = "encoding: [";
constexpr char padding[] = "\ts_nop 0"; // a literal that the instruction asks for
constexpr char separator[] = "\ts_nop 1";

std::string bytes_of(u32 word) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%02x 0x%02x 0x%02x 0x%02x ", word & 255, word >> 8 & 255,
                  word >> 16 & 255, word >> 24);
    return text;
}

} // namespace

std::vector<std::vector<u32>> assemble(const std::vector<std::string>& texts, const std::string& processor) {
    std::string input;
    for (const std::string& text : texts) {
        input += text + "\n";
    }
    std::vector<std::vector<u32>> all;
    for (const std::string& line : output_of(input, "-show-encoding -mcpu=" + processor)) {
        INFO(line);
        CHECK(line.find("error:") == std::string::npos);
        const auto mark = line.find(encoding_mark);
        if (mark == std::string::npos) {
            continue;
        }
        std::istringstream bytes(line.substr(mark + sizeof encoding_mark - 1));
        std::vector<u32> words;
        std::string byte;
        for (unsigned i = 0; std::getline(bytes, byte, ','); ++i) {
            if (i % 4 == 0) {
                words.push_back(0);
            }
            words.back() |= static_cast<u32>(std::strtoul(byte.c_str(), nullptr, 16)) << (i % 4 * 8);
        }
        all.push_back(words);
    }
    REQUIRE(all.size() == texts.size());
    return all;
}

std::vector<std::string> disassemble(const std::vector<std::vector<u32>>& code,
                                     const std::string& processor) {
    std::string input;
    for (const std::vector<u32>& words : code) {
        for (const u32 word : words) {
            input += bytes_of(word);
        }
        input += "\n" + bytes_of(0xbf800000) + "\n" + bytes_of(0xbf800001) + "\n"; // s_nop 0, s_nop 1
    }
    std::vector<std::string> texts;
    std::string current;
    for (const std::string& line : output_of(input, "-disassemble -mcpu=" + processor)) {
        if (line.rfind(separator, 0) == 0) {
            texts.push_back(current);
            current.clear();
        } else if (line.rfind(padding, 0) != 0 && line[0] == '\t' && line.find('.') != 1 && current.empty()) {
            current = line.substr(1);
        }
    }
    REQUIRE(texts.size() == code.size());
    return texts;
}

} // namespace amd_gpu
