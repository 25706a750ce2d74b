// SPDX-License-Identifier: Apache-2.0
#include "hip/hip_comgr.hpp"

#include "driver/driver_symbols.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace ferry::hip {
namespace {

struct ComgrSymbols {
#define FERRY_COMGR_SYMBOL(tier, member, name, parameters) driver::Symbol<int parameters> member{#name};
#include "hip/comgr.def"
    template <class F>
    void visit(F&& f) {
#define FERRY_COMGR_SYMBOL(tier, member, name, parameters) f(#tier, member);
#include "hip/comgr.def"
    }
};

constexpr std::size_t most_architectures = 1000;

} // namespace

std::vector<std::string> known_architectures(const std::string& compiler) {
    const std::string file =
        compiler.find(".so.7") != std::string::npos ? "libamd_comgr.so.3" : "libamd_comgr.so.2";
    // The compiler uses the comgr next to it. A compiler without one is not AMD's.
    const std::string beside = compiler.substr(0, compiler.rfind('/') + 1) + file;
    const std::array names{beside.c_str()};
    std::vector<BackendReason> reasons;
    const auto library = backend::Library::open(names, {}, "", reasons);
    ComgrSymbols comgr;
    std::size_t count = 0;
    if (!library || !driver::load(library, comgr).required.empty() || comgr.isa_count(&count) != 0) {
        return {};
    }
    std::vector<std::string> known;
    for (std::size_t i = 0; i < std::min(count, most_architectures); ++i) {
        const char* name = nullptr; // "amdgcn-amd-amdhsa--gfx90a".
        if (comgr.isa_name(i, &name) == 0 && name != nullptr) {
            const std::string text = name;
            known.push_back(text.substr(text.rfind("--") == std::string::npos ? 0 : text.rfind("--") + 2));
        }
    }
    return known;
}

void check_architecture(const std::string& architecture, const std::vector<std::string>& known) {
    const std::string plain = architecture.substr(0, architecture.find(':'));
    if (known.empty() || std::find(known.begin(), known.end(), plain) != known.end()) {
        return;
    }
    std::string list;
    for (const std::string& name : known) {
        list += (list.empty() ? "" : ", ") + name;
    }
    throw Error(Code::build_failed, "hipRTC does not know the architecture '" + architecture +
                                        "', and may end the process over it; it knows " + list);
}

} // namespace ferry::hip
