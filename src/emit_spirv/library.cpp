// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include "base/no_destructor.hpp"
#include "opencl_c/check.hpp"

#include <ferry/error.hpp>

#include <map>
#include <memory>
#include <string>

namespace ferry::emit_spirv {
namespace {

struct Library {
    std::unique_ptr<opencl_c::Tree> tree;
    std::map<std::string_view, opencl_c::FunctionId> functions;
};

Library checked() {
    opencl_c::Options options;
    options.name = "library.cl";
    std::string text;
    std::vector<translate::MemoryHeader>& headers = options.preprocess.headers;
    for (std::size_t i = 0; i < library_piece_count; ++i) {
        const LibraryPiece& piece = library_pieces[i];
        if (headers.empty() || headers.back().name != piece.file) {
            headers.push_back({piece.file, {}});
            if (headers.back().name.ends_with(".cl")) {
                text += "#include \"" + headers.back().name + "\"\n";
            }
        }
        headers.back().text += piece.text;
    }
    opencl_c::Checked made = opencl_c::check(text, options);
    if (!made.tree->checked) {
        throw Error(Code::internal, "the library of built-in functions has errors: " + made.messages());
    }
    Library library{std::move(made.tree), {}};
    for (opencl_c::FunctionId id = 1; id < library.tree->functions.size(); ++id) {
        library.functions.emplace(library.tree->functions[id].name, id);
    }
    return library;
}

const Library& known() {
    static detail::NoDestructor<const Library> library(checked());
    return *library;
}

} // namespace

const opencl_c::Tree& library() {
    return *known().tree;
}

opencl_c::FunctionId library_function(std::string_view name) {
    const auto at = known().functions.find(name);
    return at != known().functions.end() ? at->second : 0;
}

} // namespace ferry::emit_spirv
