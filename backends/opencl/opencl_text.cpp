// SPDX-License-Identifier: Apache-2.0
#include "opencl_text.hpp"

#include "opencl_c/check.hpp"
#include "opencl_c/private_memory.hpp"
#include "opencl_device.hpp"
#include "opencl_query.hpp"
#include "opencl_recursion.hpp"
#include "translate/build_flags.hpp"
#include "translate/flatten.hpp"

#include <ferry/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string_view>

namespace ferry::opencl {
namespace {

constexpr int ferry_version = FERRY_VERSION_MAJOR * 10000 + FERRY_VERSION_MINOR * 100 + FERRY_VERSION_PATCH;

bool needs_quotes(const std::string& text) {
    return text.find_first_of(" \t\"'\\();&|") != std::string::npos;
}

constexpr std::string_view float_add = R"(
#define FERRY_ATOMIC_ADD_FLOAT(SPACE) \
    __attribute__((overloadable)) float ferry_atomic_add_float(volatile SPACE float* p, float v) { \
        union { uint u; float f; } was, sum; \
        do { was.f = *p; sum.f = was.f + v; } \
        while (atomic_cmpxchg((volatile SPACE uint*)p, was.u, sum.u) != was.u); \
        return was.f; }
FERRY_ATOMIC_ADD_FLOAT(__global)
FERRY_ATOMIC_ADD_FLOAT(__local)
)";

// Intel's drivers have the functions under Khronos' names with either extension.
constexpr std::string_view sub_groups = R"(
#if (defined(cl_khr_subgroups) || defined(cl_intel_subgroups)) && defined(cl_khr_subgroup_shuffle) && \
    defined(cl_khr_subgroup_shuffle_relative)
#define FERRY_HAS_SUBGROUPS 1
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#endif
)";

// The replacement on drivers whose group copies are done when they return, as PoCL's are.
constexpr std::string_view group_waits =
    "#define wait_group_events(count, events) ((void)(count), (void)(events), "
    "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))\n";

/// The text before the user's source: the feature macros (docs/kernel-language.md), and definitions with
/// blanks or quotes in their values, because drivers split such options in different ways. Messages refer to
/// the source's own name and lines.
std::string prelude(const Source& source, const BuildOptions& options, const OpenclDevice& device) {
    std::string text = "#define FERRY_OPENCL 1\n#define FERRY_HAS_ATOMIC_ADD_FLOAT 1\n#ifdef cl_khr_fp64\n"
                       "#define FERRY_HAS_FP64 1\n#endif\n#define FERRY_VERSION ";
    text += std::to_string(ferry_version) + "\n";
    text += sub_groups;
    if (source.contents().find("ferry_atomic_add_float") != std::string::npos) {
        text += float_add;
    }
    if (device.traits().lacks_group_waits) {
        text += group_waits;
    }
    for (const std::string& define : options.defines) {
        const std::string line = translate::define_line(define) + "\n";
        text += needs_quotes(define) ? line : "";
    }
    text += "#line 1 \"";
    for (const char c : source.name()) {
        text += c == '"' || c == '\\' || c == '\n' ? '_' : c;
    }
    return text + "\"\n";
}

std::string place(const std::string& name, std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const std::size_t end_of_line = before.rfind('\n');
    const std::size_t column = end_of_line == std::string_view::npos ? at + 1 : at - end_of_line;
    return name + ":" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":" +
           std::to_string(column) + ": error: ";
}

/// Drivers read up to the zero, or past it, without an error.
void refuse_zero_byte(const std::string& text, const std::string& name) {
    if (const std::size_t at = text.find('\0'); at != std::string::npos) {
        throw refused_text(place(name, text, at) + "the text has a control byte, 0x00");
    }
}

/// Rejects a function name longer than Traits::longest_name.
void refuse_long_names(const std::string& text, const std::string& name, const OpenclDevice& device) {
    constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const std::size_t most = device.traits().longest_name;
    for (std::size_t at = text.find_first_of(of_names); at < text.size();) {
        const std::size_t end = std::min(text.find_first_not_of(of_names, at), text.size());
        const std::size_t next = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
        if (end - at > most && next < text.size() && text[next] == '(') {
            throw refused_text(place(name, text, at) + "a name of " + std::to_string(end - at) +
                               " characters; " + device.traits().platform_name +
                               " ends the process over a kernel's name of more than " + std::to_string(most));
        }
        at = text.find_first_of(of_names, end);
    }
}

constexpr std::string_view plain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=@:~^%";

/// Whether every driver reads the folder from its options unchanged.
bool is_plain(const std::string& directory) {
    return directory.find_first_not_of(plain) == std::string::npos && !directory.starts_with('-');
}

/// With the headers in place of their #include lines, because drivers search for them in other places, and
/// read folders with blanks and other characters from their options in different ways.
std::string with_headers(const Source& source, const BuildOptions& options) {
    const translate::BuildFlags flags = translate::read_build_flags(options);
    const auto flat = [&](bool whole) {
        return translate::flatten(source.contents(), source.name(), flags.include_directories,
                                  options.headers, whole, flags.defines);
    };
    const auto odd =
        std::find_if_not(options.include_directories.begin(), options.include_directories.end(), is_plain);
    if (odd == options.include_directories.end()) {
        return flat(false);
    }
    try {
        return flat(true);
    } catch (const Error& error) {
        static_cast<void>(flat(false)); // It throws for all other reasons.
        const char character = (*odd)[std::min((*odd).find_first_not_of(plain), (*odd).size() - 1)];
        throw error.with_message(std::string(error.what()) +
                                 "; the driver cannot be given the include folder '" + *odd +
                                 "', whose name has the character '" + character + "'");
    }
}

/// The version of OpenCL C that the options ask for, 120 for 1.2.
int language_version(const BuildOptions& options) {
    int major = 1;
    int minor = 2;
    if (const std::size_t at = options.opencl.rfind("-cl-std=CL"); at != std::string::npos) {
        static_cast<void>(std::sscanf(options.opencl.c_str() + at, "-cl-std=CL%2d.%2d", &major, &minor));
    }
    return major * 100 + minor * 10;
}

/// The macros of the driver that differ from those of the front end. Those of its vendor's own are not known.
std::string driver_macros(const BuildOptions& options, const OpenclDevice& device) {
    const int version = device.traits().version * 10;
    std::string text;
    const auto define = [&](const std::string& name, int value) {
        text += "#define " + name + " " + std::to_string(value) + "\n";
    };
    define("__OPENCL_VERSION__", version);
    define("__OPENCL_C_VERSION__", language_version(options));
    for (const int known : {100, 110, 120, 200, 210, 220, 300}) {
        if (known <= version) {
            define("CL_VERSION_" + std::to_string(known / 100) + "_" + std::to_string(known / 10 % 10),
                   known);
        }
    }
    const std::string extensions = ' ' + device_text(device.api(), device.id(), CL_DEVICE_EXTENSIONS) + ' ';
    std::istringstream names(extensions);
    for (std::string name; names >> name;) {
        define(name, 1);
    }
    const auto has = [&](const char* name) {
        return extensions.find(std::string(" ") + name + ' ') != std::string::npos;
    };
    const bool has_sub_groups = // As in `sub_groups`.
        (has("cl_khr_subgroups") || has("cl_intel_subgroups")) && has("cl_khr_subgroup_shuffle") &&
        has("cl_khr_subgroup_shuffle_relative");
    text += has_sub_groups ? "" : "#undef FERRY_HAS_SUBGROUPS\n";
    for (const char* name : {"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"}) {
        text += has(name) ? "" : "#undef " + std::string(name) + "\n";
    }
    return text;
}

translate::PreprocessOptions preprocess_options(const BuildOptions& options, const OpenclDevice& device) {
    translate::PreprocessOptions with;
    with.predefined = driver_macros(options, device);
    const translate::BuildFlags flags = translate::read_build_flags(options);
    with.defines = flags.defines;
    with.include_directories = flags.include_directories;
    with.headers = translate::memory_headers(options);
    return with;
}

opencl_c::Checked checked(const Source& source, const BuildOptions& options, const OpenclDevice& device) {
    opencl_c::Options with;
    with.name = source.name();
    with.fp64 = device.info().fp64;
    with.fp16 = device.info().fp16;
    with.target = "#define FERRY_OPENCL 1\n";
    with.preprocess = preprocess_options(options, device);
    return opencl_c::check(source.contents(), with);
}

/// Under BuildOptions::opencl_only a text may use everything that the driver has, so it need not pass the
/// check. But some drivers' compilers end the process for a function that calls itself. If the text has no
/// tree, its tokens show the calls.
void refuse_recursion(const opencl_c::Checked& text) {
    const opencl_c::Tree& tree = *text.tree;
    const std::size_t found = tree.recursive != 0 ? tree.functions[tree.recursive].token
                              : tree.checked      ? tree.tokens.size()
                                                  : recursive_function(tree.tokens);
    if (found != tree.tokens.size()) {
        translate::Diagnostics one;
        one.error(tree.tokens[found].at, opencl_c::recursion_message(tree.tokens[found].text));
        throw refused_text(one.text(*tree.files));
    }
}

/// The unchanged source, but with its headers.
std::string contents(const Source& source, const BuildOptions& options, const OpenclDevice& device) {
    const auto look_at = [&](const std::string& text, const std::string& name) {
        refuse_zero_byte(text, name);
        refuse_long_names(text, name, device);
    };
    look_at(source.contents(), source.name());
    for (const auto& [name, text] : options.headers) {
        look_at(text, name);
    }
    if (!options.headers.empty() || source.contents().find("include") != std::string::npos) {
        return with_headers(source, options);
    }
    constexpr std::string_view byte_order_mark =
        "\xEF\xBB\xBF"; // The byte order mark, which drivers' compilers do not expect there.
    return source.contents().substr(source.contents().starts_with(byte_order_mark) ? 3 : 0);
}

/// The caller's options with "-D NAME" and "-I FOLDER" joined: rusticl 22.3 ends the process for an option of
/// a single character.
std::string join_options(const std::string& options) {
    std::string text;
    for (std::size_t i = 0; i < options.size(); ++i) {
        text += options[i];
        const std::string_view tail = std::string_view(text).substr(text.size() < 2 ? 0 : text.size() - 2);
        const bool starts = text.size() < 3 || text[text.size() - 3] == ' ';
        if (starts && (tail == "-D" || tail == "-I")) {
            i = std::min(options.find_first_not_of(" \t", i + 1), options.size()) - 1;
        }
    }
    return text;
}

} // namespace

Error refused_text(const std::string& log) {
    return Error(Code::build_failed, "the text is not passed to the driver\n" + log).with_log(log);
}

std::string option_text(const BuildOptions& options) {
    std::string text = options.opencl.find("-cl-std") == std::string::npos ? "-cl-std=CL1.2 " : "";
    text += argument_info;
    for (const std::string& define : options.defines) {
        text += needs_quotes(define) ? "" : " -D" + define;
    }
    for (const std::string& directory : options.include_directories) {
        text += is_plain(directory) ? " -I" + directory : "";
    }
    return options.opencl.empty() ? text : text + " " + join_options(options.opencl);
}

namespace {

GroupLimits group_limits(const opencl_c::Tree& tree, const OpenclDevice& device) {
    GroupLimits limits;
    const Traits& traits = device.traits();
    if (traits.private_bytes == 0 || !tree.checked) {
        return limits;
    }
    for (const opencl_c::PrivateMemory& memory : opencl_c::private_memory(tree)) {
        const bool fits =
            memory.bytes <= traits.private_bytes / std::max<std::size_t>(traits.private_items, 1);
        const std::size_t most = traits.private_items != 0 ? std::numeric_limits<std::size_t>::max()
                                                           : traits.private_bytes / memory.bytes;
        if (fits && (traits.private_items != 0 || most >= device.info().max_group_size)) {
            continue;
        }
        const opencl_c::Variable& largest = tree.variables[memory.largest];
        limits.emplace(
            std::string(memory.kernel),
            backend::GroupLimit{
                fits ? most : 0,
                "each needs " + std::to_string(memory.bytes) + " bytes of private memory" +
                    (largest.name.empty() ? "" : ", the most for '" + std::string(largest.name) + "'") +
                    ", and a thread of the driver, which runs " +
                    (traits.private_items == 0 ? std::string("a group")
                                               : std::to_string(traits.private_items) + " of them") +
                    " at a time, has a stack for " + std::to_string(traits.private_bytes) +
                    " bytes; put the arrays into a buffer, or allow larger stacks (ulimit -s)"});
    }
    return limits;
}

} // namespace

DriverText driver_text(const Source& source, const BuildOptions& options, const OpenclDevice& device) {
    const std::string text = contents(source, options, device);
    const opencl_c::Checked front = checked(source, options, device);
    if (options.opencl_only) {
        refuse_recursion(front);
    } else if (!front.tree->checked) {
        const std::string log = front.messages();
        throw Error(Code::build_failed, "the portable kernel language does not take it; "
                                        "BuildOptions::opencl_only leaves a text to OpenCL drivers\n" +
                                            log)
            .with_log(log);
    }
    return {prelude(source, options, device) + text, group_limits(*front.tree, device)};
}

} // namespace ferry::opencl
