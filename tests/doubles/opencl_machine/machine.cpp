// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>

namespace machine {
namespace {

struct Number {
    std::string_view name;
    cl_device_info what;
    std::size_t bytes;
};
#define FERRY_NUMBER(name, type)  \
    Number {                      \
#name, name, sizeof(type) \
    }
constexpr Number numbers[] = {
    FERRY_NUMBER(CL_DEVICE_TYPE, cl_device_type),
    FERRY_NUMBER(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool),
    FERRY_NUMBER(CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities),
    // If the list lacks these, they are 0, because newer drivers of processors have such memory themselves.
    FERRY_NUMBER(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, cl_bitfield),
    FERRY_NUMBER(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, cl_bitfield),
    FERRY_NUMBER(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, cl_bitfield),
    FERRY_NUMBER(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, cl_bitfield),
};
#undef FERRY_NUMBER

struct Text {
    std::string_view name;
    cl_uint what;
    bool platform;
};
constexpr Text texts[] = {{"CL_DEVICE_NAME", CL_DEVICE_NAME, false},
                          {"CL_DEVICE_VENDOR", CL_DEVICE_VENDOR, false},
                          {"CL_PLATFORM_NAME", CL_PLATFORM_NAME, true},
                          {"CL_PLATFORM_VENDOR", CL_PLATFORM_VENDOR, true}};

[[noreturn]] void refuse(const std::string& answer) {
    std::fprintf(stderr, "FERRY_DOUBLE_OPENCL_ANSWERS is not understood: %s\n", answer.c_str());
    std::abort();
}

struct Answers {
    std::map<cl_device_info, cl_ulong> values;
    /// The key has true for a query of the platform, and the number of the query.
    std::map<std::pair<bool, cl_uint>, std::string> words;

    void add(const std::string& answer) {
        const std::size_t end = answer.find('=');
        const std::string_view name = std::string_view(answer).substr(0, end);
        const std::string value = end != std::string::npos ? answer.substr(end + 1) : "";
        for (const Number& known : numbers) {
            if (known.name == name) {
                char* rest = nullptr;
                values[known.what] = std::strtoull(value.c_str(), &rest, 0);
                if (value.empty() || *rest != '\0') {
                    refuse(answer);
                }
                return;
            }
        }
        for (const Text& known : texts) {
            if (known.name == name) {
                words[{known.platform, known.what}] = value;
                return;
            }
        }
        refuse(answer);
    }
};

const Answers& answers() {
    static const Answers& all = []() -> const Answers& {
        auto* const made = new Answers; // never destroyed, because calls may come while the process ends
        const char* const said = std::getenv("FERRY_DOUBLE_OPENCL_ANSWERS");
        std::istringstream list(said != nullptr ? said : "");
        for (std::string answer; std::getline(list, answer, ',');) {
            made->add(answer);
        }
        return *made;
    }();
    return all;
}

cl_ulong value_of(cl_device_info what) {
    std::size_t bytes = 0;
    return number(what, bytes).value_or(0);
}

std::optional<std::string> text(bool platform, cl_uint what) {
    const auto found = answers().words.find({platform, what});
    return found != answers().words.end() ? std::optional(found->second) : std::nullopt;
}

} // namespace

std::optional<cl_ulong> number(cl_device_info what, std::size_t& bytes) {
    const auto* const known = std::find_if(std::begin(numbers), std::end(numbers),
                                           [what](const Number& n) { return n.what == what; });
    if (known == std::end(numbers)) {
        return std::nullopt;
    }
    bytes = known->bytes;
    const auto found = answers().values.find(what);
    if (found != answers().values.end()) {
        return found->second;
    }
    return known->name.ends_with("INTEL") ? std::optional<cl_ulong>(0) : std::nullopt;
}

std::optional<std::string> device_text(cl_device_info what) {
    return text(false, what);
}

std::optional<std::string> platform_text(cl_platform_info what) {
    return text(true, what);
}

bool is_gpu() {
    return (value_of(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
}

bool has_usm() {
    return (value_of(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL) & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL) != 0;
}

bool copies_in_secret() {
    static const bool lies = [] {
        const char* const lie = std::getenv("FERRY_DOUBLE_LIE");
        if (lie != nullptr && std::string_view(lie) != "shadow") {
            std::fprintf(stderr, "FERRY_DOUBLE_LIE is not understood: %s\n", lie);
            std::abort();
        }
        return lie != nullptr;
    }();
    return lies;
}

bool leaves_pages_in_place() {
    return is_gpu() && value_of(CL_DEVICE_HOST_UNIFIED_MEMORY) != 0 &&
           platform_text(CL_PLATFORM_NAME).value_or("").find("Intel") != std::string::npos;
}

} // namespace machine
