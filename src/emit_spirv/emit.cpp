// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

namespace ferry::emit_spirv {

Emitted emit(const Tree& tree, Flavour flavour) {
    std::map<FunctionId, Refusal> refused;
    if (flavour == Flavour::vulkan) {
        Emitted made;
        for (const Function& f : tree.functions) {
            if (f.kernel && f.body != 0) {
                made.refused.push_back({f.name, f.token, "kernels are not emitted for Vulkan yet"});
            }
        }
        return made;
    }
    for (;;) {
        Emitter emitter(tree, refused);
        if (!emitter.run()) {
            continue; // Each attempt adds a function to `refused`.
        }
        Emitted made;
        made.words = emitter.words();
        made.kernels = emitter.kernels();
        for (FunctionId id = 1; id < tree.functions.size(); ++id) {
            const Function& f = tree.functions[id];
            if (f.kernel && f.body != 0) {
                std::set<FunctionId> all;
                emitter.reach(id, all);
                for (const FunctionId used : all) {
                    if (refused.contains(used)) {
                        made.refused.push_back({f.name, refused[used].token, refused[used].message});
                        break;
                    }
                }
            }
        }
        return made;
    }
}

} // namespace ferry::emit_spirv
