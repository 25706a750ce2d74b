// SPDX-License-Identifier: Apache-2.0
#include "opencl_api.hpp"

namespace ferry::opencl {

std::vector<std::string> load(Api& api, const backend::Library& library) {
    std::vector<std::string> missing;
#define FERRY_OPENCL_REQUIRED(name)       \
    api.name.load(library.symbol(#name)); \
    if (api.name == nullptr) {            \
        missing.emplace_back(#name);      \
    }
#define FERRY_OPENCL_OPTIONAL(name, version) api.name.load(library.symbol(#name));
#define FERRY_OPENCL_EXTENSION(name, token)
#include "symbols.def"
#undef FERRY_OPENCL_REQUIRED
#undef FERRY_OPENCL_OPTIONAL
#undef FERRY_OPENCL_EXTENSION
    return missing;
}

Api restrict_to(const Api& api, cl_platform_id platform, int version, std::string_view extensions) {
    Api result = api;
#define FERRY_OPENCL_REQUIRED(name)
#define FERRY_OPENCL_OPTIONAL(name, since) \
    if (version < (since)) {               \
        result.name.unload();              \
    }
#define FERRY_OPENCL_EXTENSION(name, token)                                              \
    if (has_word(extensions, token)) {                                                   \
        result.name.load(api.clGetExtensionFunctionAddressForPlatform(platform, #name)); \
    }
#include "symbols.def"
#undef FERRY_OPENCL_REQUIRED
#undef FERRY_OPENCL_OPTIONAL
#undef FERRY_OPENCL_EXTENSION
    return result;
}

bool has_word(std::string_view list, std::string_view word) {
    for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || list[at - 1] == ' ') &&
            (end == list.size() || list[end] == ' ' || list[end] == '\0')) {
            return true;
        }
    }
    return false;
}

} // namespace ferry::opencl
