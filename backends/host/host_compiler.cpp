// SPDX-License-Identifier: Apache-2.0
#include "host_compiler.hpp"

#include "base/processor.hpp"
#include "cache/disk_cache.hpp"
#include "cache/private_file.hpp"
#include "host_backend.hpp"
#include "host_debug.hpp"
#include "host_run.hpp"
#include "system/file_stamp.hpp"
#include "system/files.hpp"
#include "system/library_file.hpp"
#include "system/machine.hpp"
#include "system/privilege.hpp"
#include "system/process.hpp"
#include "system/shared_library.hpp"
#include "system/temporary_folder.hpp"
#include "translate/build_flags.hpp"
#include "translate/translate.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

namespace ferry::host {
namespace {

constexpr const char* variable = "FERRY_HOST_COMPILER";

bool is_program(const std::string& path) {
    const auto status = ferry::detail::status_at(path);
    return status && status->is_regular() && ferry::detail::may_access(path, ferry::detail::FileAccess::run);
}

std::string find_in_path(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        return is_program(name) ? name : "";
    }
    const char* const path = secure_getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string file = folder;
        file.append("/").append(name);
        if (folder.starts_with('/') && is_program(file)) {
            return file;
        }
    }
    return {};
}

// After the library, where the system's loader does not look.
constexpr const char* stack_mark = "\nferry-stack-bytes ";

unsigned long stack_in(std::string_view bytes) {
    const std::size_t at = bytes.rfind(stack_mark);
    return at == std::string_view::npos
               ? 0
               : std::strtoul(std::string(bytes.substr(at + std::strlen(stack_mark))).c_str(), nullptr, 10);
}

/// One line of the output of -fstack-usage: place and name, tab, bytes, tab, kind.
struct StackUse {
    std::string_view name;
    unsigned long bytes = 0;
    bool bounded = true;

    explicit StackUse(const std::string& line) {
        const std::size_t kind = std::min(line.rfind('\t'), line.size());
        const std::size_t number = kind == 0 ? 0 : std::min(line.rfind('\t', kind - 1), kind);
        name = std::string_view(line).substr(0, number);
        bytes = number < kind ? std::strtoul(line.c_str() + number + 1, nullptr, 10) : 0;
        bounded = line.substr(kind) != "\tdynamic";
    }
    /// A kernel, as named by g++ or clang++, which no other function calls; not a part that was split off.
    bool is_kernel() const {
        return name.find("fy_run_") != std::string_view::npos &&
               (name.ends_with("fy_index)") || name.ends_with("fy_groupEPKPvm"));
    }
};

// Kernels are not recursive, so each other function is on the stack at most once, below one kernel. 0 if the
// compiler does not report it.
unsigned long stack_usage(const std::string& folder) {
    unsigned long others = 0;
    unsigned long kernel = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".su") {
            continue;
        }
        std::ifstream lines(entry.path());
        for (std::string line; std::getline(lines, line);) {
            const StackUse use(line);
            if (!use.bounded) {
                throw Error(ferry::Code::build_failed,
                            "The function '" + std::string(use.name) +
                                "' needs a stack of no constant size: an array of private memory must have "
                                "a constant size");
            }
            (use.is_kernel() ? kernel : others) =
                use.is_kernel() ? std::max(kernel, use.bytes) : others + use.bytes;
        }
    }
    return others + kernel;
}

const Module& load(const std::string& path, unsigned long stack, const BuildOptions& options) {
    std::string problem;
    void* const library = ferry::detail::open_library(path.c_str(), problem);
    if (library == nullptr) {
        throw Error(ferry::Code::build_failed, "The compiled kernels could not be loaded: " + problem);
    }
    using Get = const Module* (*)();
    const auto get = reinterpret_cast<Get>(ferry::detail::symbol_of(library, "ferry_module"));
    const Module& module = checked(get != nullptr ? get() : nullptr, options);
    // The module stays loaded for the life of the process, and so does this object.
    return stack == 0 ? module
                      : *new Module{module.version() | Module::has_stack_bytes, module.kernel_count,
                                    module.kernels, stack};
}

void check_folder(const ferry::detail::TemporaryFolder& folder) {
    if (folder.error() != 0) {
        throw Error(ferry::Code::build_failed,
                    "A folder for the compiler, '" + folder.path() + "', could not be made: " +
                        std::strerror(folder.error())); // NOLINT(concurrency-mt-unsafe)
    }
}

} // namespace

const Compiler& Compiler::get() {
    static detail::NoDestructor<const Compiler> compiler;
    return *compiler;
}

Compiler::Compiler() {
    if (ferry::detail::is_privileged()) {
        // Its own programs (cc1plus, as, ld) are found through PATH, COMPILER_PATH and GCC_EXEC_PREFIX.
        note_ =
            "this program runs with more rights than its user has (set-user-id or file capabilities), and "
            "the user's environment decides which programs a compiler runs, so none is used; compile the "
            "kernels into the program (ferry_add_kernels)";
        return;
    }
    const char* const named = secure_getenv(variable);
    if (named != nullptr && *named != '\0') {
        path_ = find_in_path(named);
        note_ = path_.empty() ? "'" + std::string(named) + "', which " + variable + " names, is no program"
                              : path_ + " (" + variable + ")";
    } else {
        for (const char* name : {"c++", "g++", "clang++"}) {
            path_ = path_.empty() ? find_in_path(name) : path_;
        }
        note_ = path_.empty()
                    ? std::string("none of c++, g++ and clang++ is in PATH; install one, name it in ") +
                          variable + ", or compile the kernels into the program (ferry_add_kernels)"
                    : path_;
    }
    identity_ = ferry::detail::stamp_line(path_);
}

std::vector<std::string> Compiler::words(const translate::Translation& translation,
                                         const BuildOptions& options, Code code) const {
    const translate::BuildFlags flags = translate::read_build_flags(options);
    // Kernels access bytes as other types, as all OpenCL compilers allow.
    std::vector<std::string> words{path_,
                                   "-x",
                                   "c++",
                                   "-std=c++20",
                                   "-fPIC",
                                   "-shared",
                                   "-Wl,-z,defs", // A missing function is an error of the build.
                                   "-w",
                                   "-fno-strict-aliasing",
                                   "-fno-math-errno",
                                   "-fno-exceptions",
                                   "-fno-rtti",
                                   "-fno-trapping-math",
                                   "-fvisibility=hidden",
                                   "-DFY_MODULE=ferry_module",
                                   "-fstack-usage",
                                   flags.unoptimised || flags.debug ? "-O0" : "-O3",
                                   translation.contracts ? "-ffp-contract=fast" : "-ffp-contract=off"};
#if defined(__x86_64__) || defined(__i386__)
    words.emplace_back("-march=native");
#else
    words.insert(words.end(), {"-mcpu=native", "-fsigned-char"});
#endif
    if (flags.debug) {
        words.emplace_back("-g");
    }
    if (code == Code::strict) {
        words.emplace_back("-DFY_STRICT");
    }
    if (flags.fast_math) { // -ffast-math itself would make g++ change the rounding of denormals in the whole
                           // process.
        words.insert(words.end(),
                     {"-fassociative-math", "-freciprocal-math", "-fno-signed-zeros", "-ffinite-math-only"});
    }
    return words;
}

const Module& Compiler::compile(const translate::Translation& translation, const BuildOptions& options,
                                const std::string& name, Code code) const {
    static std::mutex mutex;
    static detail::NoDestructor<std::map<std::string, const Module*>> modules;
    cache::Key key;
    key.add("form", "host module with stack_bytes")
        .add("name", name)
        .add("source", translation.text)
        .add("compiler", identity_);
    for (const std::string& word : words(translation, options, code)) {
        key.add("option", word);
    }
    key.add("processor", processor().identity); // The processor that "native" refers to.
    {
        const std::lock_guard lock(mutex);
        if (const auto found = modules->find(key.text()); found != modules->end()) {
            return *found->second;
        }
    }
    const Module& module = translate::read_build_flags(options).debug
                               ? compile_for_debugger(translation, options, code)
                               : compile_once(key, translation, options, code);
    const std::lock_guard lock(mutex);
    return *modules->emplace(key.text(), &module).first->second;
}

const Module& Compiler::compile_once(const cache::Key& key, const translate::Translation& translation,
                                     const BuildOptions& options, Code code) const {
    std::optional<std::string> bytes = cache::shared().load(key);
    if (!bytes) {
        bytes = build(translation, options, code);
        cache::shared().store(key, *bytes);
    }
    const cache::PrivateFile file(*bytes, "ferry-kernels");
    return load(file.path(), stack_in(*bytes), options);
}

// The debugger reads the library and the texts from disk, as long as the process lives. The next process that
// compiles removes the folder.
const Module& Compiler::compile_for_debugger(const translate::Translation& translation,
                                             const BuildOptions& options, Code code) const {
    static detail::NoDestructor<std::list<ferry::detail::TemporaryFolder>> kept;
    static std::mutex mutex;
    const ferry::detail::TemporaryFolder* folder = nullptr;
    {
        const std::lock_guard lock(mutex);
        folder = &kept->emplace_back(ferry::detail::TemporaryKind::build);
    }
    check_folder(*folder);
    run_in(folder->path(), with_source_lines(translation, folder->path()), translation, options, code);
    return load(folder->path() + "/kernels.so", stack_usage(folder->path()), options);
}

std::string Compiler::build(const translate::Translation& translation, const BuildOptions& options,
                            Code code) const {
    const ferry::detail::TemporaryFolder folder(ferry::detail::TemporaryKind::build);
    check_folder(folder);
    const std::string library = run_in(folder.path(), translation.text, translation, options, code);
    return library + stack_mark + std::to_string(stack_usage(folder.path()));
}

std::string Compiler::run_in(const std::string& folder, const std::string& text,
                             const translate::Translation& translation, const BuildOptions& options,
                             Code code) const {
    const std::string source = folder + "/kernels.cpp";
    const std::string output = folder + "/kernels.so";
    write_file(source, text);
    std::vector<std::string> all = words(translation, options, code);
    all.insert(all.end(), {"-o", output, source, "-lm"});
    const RunResult result = run(all, folder);
    std::error_code none;
    std::string library = std::filesystem::exists(output, none) ? read_file(output) : std::string();
    // If the status is missing, the output decides: a compiler removes it if a step fails.
    if (!backend::is_whole_library(library) || result.status.value_or(0) != 0) {
        const std::string log = translation.explain(result.output, source);
        throw Error(ferry::Code::build_failed,
                    path_ +
                        (result.status && ferry::detail::ending_signal(*result.status) != 0 ? " was " : " ") +
                        ferry::detail::status_text(result.status) +
                        (library.empty() ? "" : " and left an incomplete library") + "\n" + log)
            .with_log(log);
    }
    return library;
}

backend::OfflineCompiler offline_compiler() {
    const Compiler& compiler = Compiler::get();
    backend::OfflineCompiler offline;
    offline.backend = Backend::host;
    offline.dialect = translate::Dialect::host;
    offline.available = compiler.available();
    offline.note = compiler.note();
    offline.architecture = architecture();
    offline.compile = [&compiler](const translate::Translation& translation, const std::string&,
                                  const BuildOptions& options, const std::string&) {
        return backend::OfflineCompiler::Code{Language::host, compiler.build(translation, options), {}};
    };
    return offline;
}

} // namespace ferry::host
