// SPDX-License-Identifier: Apache-2.0
#include "modules.hpp"

#include "forward.hpp"

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace vulkan_double {
namespace {

using Words = std::vector<std::uint32_t>;
using Ids = std::set<std::uint32_t>;

enum Op : std::uint32_t {
    name = 5,
    member_name = 6,
    entry_point = 15,
    execution_mode = 16,
    first_type = 19,
    last_type = 39,
    function = 54,
    function_end = 56,
    function_call = 57,
    variable = 59,
    load = 61,
    access_chain = 65,
    last_access_chain = 67,
    in_bounds_ptr_access_chain = 70,
    decorate = 71,
    label = 248,
    execution_mode_id = 331,
    decorate_id = 332,
};

struct Instruction {
    std::span<const std::uint32_t> words;

    Op op() const { return static_cast<Op>(words[0] & 0xFFFFU); }
    /// Of an instruction that has a result.
    std::uint32_t result() const {
        const bool first = op() == label || (op() >= first_type && op() <= last_type);
        return words.size() <= 2 || first ? words[1] : words[2];
    }
};

constexpr std::size_t header_words = 5;
// Storage classes.
constexpr std::uint32_t workgroup = 4;
constexpr std::uint32_t push_constants = 9;

std::vector<Instruction> instructions_of(std::span<const std::uint32_t> words) {
    std::vector<Instruction> list;
    for (std::size_t at = header_words; at < words.size();) {
        const std::size_t length = words[at] >> 16U;
        if (length == 0 || at + length > words.size()) {
            stop("a SPIR-V module is damaged at word " + std::to_string(at));
        }
        list.push_back({words.subspan(at, length)});
        at += length;
    }
    return list;
}

std::string_view text_at(std::span<const std::uint32_t> words) {
    return reinterpret_cast<const char*>(words.data());
}

/// The parts of a module that one entry point uses.
class Uses {
public:
    Uses(const std::vector<Instruction>& all, std::string_view entry) {
        find_bodies(all, entry);
        for (std::vector<std::uint32_t> open{entry_}; !open.empty();) {
            const std::uint32_t one = open.back();
            open.pop_back();
            if (functions_.insert(one).second) {
                add_body(bodies_[one], open);
            }
        }
        find_unused();
    }

    bool keeps(const Instruction& one, std::uint32_t in_function) const {
        if (in_function != 0) {
            return functions_.contains(in_function);
        }
        switch (one.op()) {
        case entry_point:
            return one.words[2] == entry_;
        case execution_mode:
        case execution_mode_id:
            return one.words[1] == entry_;
        case name:
        case decorate:
        case decorate_id:
            return !unused_.contains(one.words[1]);
        case variable:
            return !unused_.contains(one.words[2]);
        default:
            return true;
        }
    }

private:
    void find_bodies(const std::vector<Instruction>& all, std::string_view entry) {
        std::uint32_t in = 0;
        for (const Instruction& one : all) {
            if (one.op() == function) {
                in = one.words[2];
            }
            if (in != 0) {
                bodies_[in].push_back(one);
            } else if (one.op() == entry_point && text_at(one.words.subspan(3)) == entry) {
                entry_ = one.words[2];
            } else if (one.op() >= first_type && one.words.size() > 1) {
                globals_.insert(one.result());
                if (one.op() == variable && one.words[3] == push_constants) {
                    pushed_.insert(one.words[2]);
                } else if (one.op() == variable && one.words[3] == workgroup) {
                    shared_.insert(one.words[2]);
                }
            }
            if (one.op() == function_end) {
                in = 0;
            }
        }
        if (entry_ == 0) {
            stop("a module has no entry point " + std::string(entry));
        }
    }

    void add_body(const std::vector<Instruction>& body, std::vector<std::uint32_t>& open) {
        for (const Instruction& one : body) {
            mentioned_.insert(one.words.begin() + 1, one.words.end());
            if (one.op() == function_call) {
                open.push_back(one.words[3]);
                used_.insert(one.words.begin() + 4, one.words.end());
            } else if (one.op() == load || (one.op() >= access_chain && one.op() <= last_access_chain) ||
                       one.op() == in_bounds_ptr_access_chain) {
                used_.insert(one.words[3]);
            }
        }
    }

    void find_unused() {
        for (const std::uint32_t one : pushed_) {
            if (!used_.contains(one)) {
                unused_.insert(one);
            }
        }
        for (const std::uint32_t one : shared_) {
            if (!mentioned_.contains(one)) {
                unused_.insert(one);
            }
        }
        for (const auto& [id, body] : bodies_) {
            if (functions_.contains(id)) {
                continue;
            }
            for (const Instruction& one : body) {
                if (one.words.size() > 1 && !globals_.contains(one.result())) {
                    unused_.insert(one.result());
                }
            }
        }
    }

    std::map<std::uint32_t, std::vector<Instruction>> bodies_;
    std::uint32_t entry_ = 0;
    Ids globals_, pushed_, shared_;
    Ids functions_; ///< That the entry point reaches.
    Ids used_;      ///< Variables that these functions access. Push constants have no other uses.
    Ids mentioned_; ///< By these functions, and some of their literals.
    Ids unused_;
};

/// A module that the driver has not seen. It gets one of its entry points with each pipeline.
struct Module {
    Words words;
};

/// For a test that looks at all modules. The name of the file is a digest of its contents.
void write_module(const Words& words) {
    static const std::string folder = setting("FERRY_DOUBLE_VULKAN_MODULE_FOLDER");
    if (folder.empty()) {
        return;
    }
    const std::string bytes(reinterpret_cast<const char*>(words.data()),
                            words.size() * sizeof(std::uint32_t));
    const std::string file = folder + "/" + std::to_string(std::hash<std::string>()(bytes)) + ".spv";
    if (!(std::ofstream(file, std::ios::binary) << bytes)) {
        stop("the file " + file + " cannot be written");
    }
}

Result create_module(Device, const ShaderModuleCreateInfo* info, const AllocationCallbacks*,
                     ShaderModule* module) {
    auto* const kept = new Module{{info->words, info->words + info->bytes / sizeof(std::uint32_t)}};
    write_module(kept->words);
    *module = reinterpret_cast<ShaderModule>(kept);
    return constant::success;
}

void destroy_module(Device, ShaderModule module, const AllocationCallbacks*) {
    delete reinterpret_cast<Module*>(module);
}

Result create_pipelines(Device device, PipelineCache cache, std::uint32_t count,
                        const ComputePipelineCreateInfo* infos, const AllocationCallbacks* callbacks,
                        Pipeline* pipelines) {
    if (count != 1) {
        stop("vkCreateComputePipelines makes " + std::to_string(count) + " pipelines at once");
    }
    ComputePipelineCreateInfo info = *infos;
    const Words words =
        only_entry(reinterpret_cast<const Module*>(info.stage.module)->words, info.stage.name);
    ShaderModuleCreateInfo module_info;
    module_info.bytes = words.size() * sizeof(std::uint32_t);
    module_info.words = words.data();
    if (const Result result =
            real().vkCreateShaderModule(device, &module_info, callbacks, &info.stage.module);
        result != constant::success) {
        return result;
    }
    const Result result = real().vkCreateComputePipelines(device, cache, count, &info, callbacks, pipelines);
    real().vkDestroyShaderModule(device, info.stage.module, callbacks);
    return result;
}

} // namespace

std::vector<std::uint32_t> only_entry(std::span<const std::uint32_t> words, std::string_view entry) {
    const std::vector<Instruction> all = instructions_of(words);
    const Uses uses(all, entry);
    Words kept(words.begin(), words.begin() + header_words);
    std::uint32_t in = 0;
    for (const Instruction& one : all) {
        if (one.op() == function) {
            in = one.words[2];
        }
        if (uses.keeps(one, in)) {
            kept.insert(kept.end(), one.words.begin(), one.words.end());
        }
        if (one.op() == function_end) {
            in = 0;
        }
    }
    return kept;
}

std::span<const Override> module_functions() {
    static const bool wanted = setting("FERRY_DOUBLE_VULKAN_MODULES") == "entries";
    static const Override list[] = {replacing(real().vkCreateShaderModule, create_module),
                                    replacing(real().vkDestroyShaderModule, destroy_module),
                                    replacing(real().vkCreateComputePipelines, create_pipelines)};
    return wanted ? std::span<const Override>(list) : std::span<const Override>();
}

} // namespace vulkan_double
