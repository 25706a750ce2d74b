// SPDX-License-Identifier: Apache-2.0
#include "c_call.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

namespace ferry::c {
namespace {

std::string text_or_none(const char* text) {
    return text != nullptr ? text : "";
}

std::vector<std::string> list(const char* const* texts, std::size_t count, const char* parameter,
                              const Call& at) {
    std::vector<std::string> result;
    if (count != 0) {
        at.not_null(texts, parameter, "as many texts as its count says");
    }
    for (std::size_t i = 0; i < count; ++i) {
        at.not_null(texts[i], parameter, "texts, none of which is null");
        result.emplace_back(texts[i]);
    }
    return result;
}

BuildOptions options_of(const ferry_build_options* options, const Call& at) {
    BuildOptions result;
    if (options != nullptr) {
        result.defines = list(options->defines, options->define_count, "options->defines", at);
        result.include_directories = list(options->include_directories, options->include_directory_count,
                                          "options->include_directories", at);
        result.opencl = text_or_none(options->opencl);
        result.cuda = text_or_none(options->cuda);
        result.hip = text_or_none(options->hip);
        result.global_offsets = options->global_offsets != 0;
        result.untrusted = options->untrusted != 0;
        result.opencl_only = options->opencl_only != 0;
    }
    return result;
}

Source source_of(const ferry_source& source, const Call& at) {
    at.not_null(source.data, "sources", "sources whose 'data' is not null");
    const auto* const text = static_cast<const char*>(source.data);
    const auto* const binary = static_cast<const std::byte*>(source.data);
    const Language language = at.choice(source.language, Language::spirv, "language");
    const bool is_text = language == Language::opencl_c || language == Language::cuda ||
                         language == Language::hip || language == Language::ptx;
    if (source.bytes == FERRY_TO_END && !is_text) {
        at.refuse(Code::invalid_argument, "A source " + at.of() + " is a binary (" +
                                              std::string(to_string(language)) +
                                              ") without a size; FERRY_TO_END is for text");
    }
    const std::size_t bytes = source.bytes == FERRY_TO_END ? std::strlen(text) : source.bytes;
    const std::string_view words(text, bytes);
    const std::span<const std::byte> code(binary, bytes);
    const std::string made_for = text_or_none(source.architecture);
    const auto named = [&](auto make) {
        return source.name != nullptr ? make(words, std::string_view(source.name)) : make(words);
    };
    switch (language) {
    case Language::opencl_c:
        return named([](auto... a) { return Source::opencl_c(a...); });
    case Language::cuda:
        return named([](auto... a) { return Source::cuda(a...); });
    case Language::hip:
        return named([](auto... a) { return Source::hip(a...); });
    case Language::ptx:
        return named([](auto... a) { return Source::ptx(a...); });
    case Language::cubin:
        return Source::cubin(code, made_for);
    case Language::code_object:
        return Source::code_object(code, made_for);
    case Language::opencl_binary:
        return Source::opencl_binary(code, made_for);
    default:
        return Source::spirv(code);
    }
}

std::string contents_of(const char* path, const Call& at) {
    std::string contents;
    std::array<char, 4096> part{};
    struct Close {
        void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
    };
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path, "rbe"));
    int error = file == nullptr ? errno : 0;
    for (std::size_t count = part.size(); file != nullptr && count == part.size();) {
        count = std::fread(part.data(), 1, part.size(), file.get());
        error = std::ferror(file.get()) != 0 ? errno : 0;
        contents.append(part.data(), count);
    }
    if (error != 0) {
        at.refuse(error == ENOENT ? Code::not_found : Code::unavailable,
                  "The file '" + std::string(path) +
                      "' of a program cannot be read: " + std::generic_category().message(error));
    }
    return contents;
}

ferry_program* program_of(ferry_device* device, std::vector<Source> sources,
                          const ferry_build_options* options, const Call& at) {
    const Device& on = at.get(device, "device").device;
    return new ferry_program(Program(on, std::move(sources), options_of(options, at), at.where));
}

} // namespace
} // namespace ferry::c

using ferry::c::Call;
using ferry::c::call;

ferry_code ferry_program_create(ferry_device* device, const ferry_source* sources, size_t count,
                                const ferry_build_options* options, ferry_program** program) {
    return call(__func__, [&](const Call& at) {
        ferry_program*& made = at.out(program, "program");
        if (count != 0) {
            at.not_null(sources, "sources", "as many sources as 'count' says");
        }
        std::vector<ferry::Source> variants;
        for (std::size_t i = 0; i < count; ++i) {
            variants.push_back(ferry::c::source_of(sources[i], at));
        }
        made = ferry::c::program_of(device, std::move(variants), options, at);
    });
}

ferry_code ferry_program_create_from_text(ferry_device* device, const char* opencl_c,
                                          const ferry_build_options* options, ferry_program** program) {
    return call(__func__, [&](const Call& at) {
        ferry_program*& made = at.out(program, "program");
        at.not_null(opencl_c, "opencl_c", "a text");
        made = ferry::c::program_of(device, {ferry::Source::opencl_c(opencl_c)}, options, at);
    });
}

ferry_code ferry_program_create_from_file(ferry_device* device, ferry_language language, const char* path,
                                          const ferry_build_options* options, ferry_program** program) {
    return call(__func__, [&](const Call& at) {
        ferry_program*& made = at.out(program, "program");
        at.not_null(path, "path", "the name of a file");
        const std::string contents = ferry::c::contents_of(path, at);
        const ferry_source source{contents.data(), contents.size(), path, nullptr, language};
        made = ferry::c::program_of(device, {ferry::c::source_of(source, at)}, options, at);
    });
}

ferry_code ferry_program_explain(ferry_program* program, const char** text) {
    return call(__func__, [&](const Call& at) {
        at.not_null(text, "text", "the address of a text");
        *text = at.get(program, "program").program.explain(at.where).c_str();
    });
}

ferry_code ferry_program_get_log(ferry_program* program, const char** text) {
    return call(__func__, [&](const Call& at) {
        at.not_null(text, "text", "the address of a text");
        *text = at.get(program, "program").program.log(at.where).c_str();
    });
}

void ferry_program_release(ferry_program* program) {
    ferry::c::release(program);
}

ferry_code ferry_kernel_create(ferry_program* program, const char* name, ferry_kernel** kernel) {
    return call(__func__, [&](const Call& at) {
        ferry_kernel*& made = at.out(kernel, "kernel");
        at.not_null(name, "name", "a text");
        made = new ferry_kernel(at.get(program, "program").program.kernel(name, at.where));
    });
}

ferry_code ferry_kernel_get_occupancy(ferry_kernel* kernel, const size_t local[3], size_t local_bytes,
                                      int32_t* groups) {
    return call(__func__, [&](const Call& at) {
        at.not_null(groups, "groups", "the address of a number");
        *groups = -1;
        at.not_null(local, "local", "three sizes");
        const std::optional<std::uint32_t> known =
            at.get(kernel, "kernel").kernel.occupancy({local[0], local[1], local[2]}, local_bytes, at.where);
        if (known) {
            *groups = static_cast<std::int32_t>(*known);
        }
    });
}

ferry_code ferry_kernel_prepare(ferry_kernel* kernel, const ferry_grid* grid, const size_t* local_bytes,
                                size_t count) {
    return call(__func__, [&](const Call& at) {
        if (count != 0) {
            at.not_null(local_bytes, "local_bytes", "one size for each local parameter");
        }
        at.get(kernel, "kernel").kernel.prepare(at.grid(grid), {local_bytes, count}, at.where);
    });
}

void ferry_kernel_release(ferry_kernel* kernel) {
    ferry::c::release(kernel);
}
