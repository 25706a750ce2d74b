// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"
#include "float_controls.hpp"
#include "opencl_c/call_graph.hpp"
#include "vulkan/vulkan_emitter.hpp"

#include <memory>

namespace ferry::emit_spirv {

Emitted emit(const Tree& tree, Flavour flavour, const VulkanTarget& target) {
    std::map<FunctionId, Refusal> refused;
    vulkan::Findings findings;
    for (;;) {
        const std::unique_ptr<Emitter> made_by =
            flavour == Flavour::vulkan
                ? std::make_unique<vulkan::VulkanEmitter>(tree, refused, findings, target)
                : std::make_unique<Emitter>(tree, refused);
        Emitter& emitter = *made_by;
        if (!emitter.run()) {
            continue; // Each attempt adds to `refused` or to `findings`.
        }
        Emitted made;
        made.words = with_float_controls(emitter.words(), target.floats);
        made.kernels = emitter.kernels();
        for (FunctionId id = 1; id < tree.functions.size(); ++id) {
            const Function& f = tree.functions[id];
            if (f.kernel && f.body != 0) {
                std::set<FunctionId> all;
                opencl_c::reach(tree, id, all);
                for (const FunctionId used : all) {
                    if (refused.contains(used)) {
                        const Refusal& why = refused[used];
                        made.refused.push_back({f.name, why.token, why.message, why.image});
                        break;
                    }
                }
            }
        }
        return made;
    }
}

} // namespace ferry::emit_spirv
